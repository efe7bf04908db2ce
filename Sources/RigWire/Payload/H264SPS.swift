/// A sequence parameter set of H.264 (ITU-T H.264 7.3.2.1.1, E.1.1), as far as checks need it.
public struct H264SPS: Hashable, Sendable {
  public enum Failure: Error, Hashable, Sendable {
    /// The NAL unit is not of type 7.
    case notSPS(type: UInt8)
    case truncated
    /// A value that the standard does not allow.
    case invalid(String)
  }

  public var profileIDC: UInt8
  /// constraint_set flags and reserved bits.
  public var constraintFlags: UInt8
  /// Level times 10.
  public var levelIDC: UInt8
  public var id: UInt32
  public var chromaFormatIDC: UInt32 = 1
  /// Luma samples, cropping taken off.
  public var width = 0
  public var height = 0
  public var isFrameMBsOnly = true
  public var maxNumRefFrames: UInt32 = 0
  /// Of the VUI: `time_scale / (2 × num_units_in_tick)` frames per second.
  public var numUnitsInTick: UInt32?
  public var timeScale: UInt32?
  public var isFixedFrameRate: Bool?
  /// Of the VUI: frames that may precede another in decoding order and follow it in output order.
  public var maxNumReorderFrames: UInt32?
  /// Bytes after the stop bit's byte; a NAL unit must not have any.
  public var trailingBytes = 0
  /// The VUI could not be read to its end; what was read stands.
  public var isVUITruncated = false

  public var frameRate: Double? {
    guard let numUnitsInTick, let timeScale, numUnitsInTick > 0 else { return nil }
    return Double(timeScale) / (2 * Double(numUnitsInTick))
  }

  /// As `profile-level-id` of SDP writes it.
  public var profileLevelID: UInt32 {
    UInt32(profileIDC) << 16 | UInt32(constraintFlags) << 8 | UInt32(levelIDC)
  }

  private static let highProfiles: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// Parses a NAL unit with its header byte, without start code.
  public init(parsing nal: [UInt8]) throws(Failure) {
    guard let first = nal.first else { throw .truncated }
    guard first & 31 == 7 else { throw .notSPS(type: first & 31) }
    var reader = BitReader(BitReader.rbsp(nal.dropFirst()))
    guard let profile = reader.bits(8), let flags = reader.bits(8), let level = reader.bits(8),
      let id = reader.unsigned()
    else { throw .truncated }
    profileIDC = UInt8(profile)
    constraintFlags = UInt8(flags)
    levelIDC = UInt8(level)
    self.id = id
    guard id <= 31 else { throw .invalid("seq_parameter_set_id \(id)") }
    if Self.highProfiles.contains(profileIDC) { try readChroma(&reader) }
    try readOrderCounts(&reader)
    try readSize(&reader)
    guard let hasVUI = reader.bit() else { throw .truncated }
    if hasVUI { isVUITruncated = readVUI(&reader) == nil }
    if !isVUITruncated { trailingBytes = Self.bytesAfterStop(reader) }
  }

  private mutating func readChroma(_ reader: inout BitReader) throws(Failure) {
    guard let format = reader.unsigned() else { throw .truncated }
    guard format <= 3 else { throw .invalid("chroma_format_idc \(format)") }
    chromaFormatIDC = format
    if format == 3, reader.bit() == nil { throw .truncated }
    guard reader.unsigned() != nil, reader.unsigned() != nil, reader.bit() != nil, let hasMatrix = reader.bit() else {
      throw .truncated
    }
    guard hasMatrix else { return }
    for index in 0..<(format == 3 ? 12 : 8) {
      guard let isPresent = reader.bit() else { throw .truncated }
      if isPresent { try Self.skipScalingList(&reader, size: index < 6 ? 16 : 64) }
    }
  }

  private static func skipScalingList(_ reader: inout BitReader, size: Int) throws(Failure) {
    var last: Int32 = 8
    var next: Int32 = 8
    for _ in 0..<size {
      if next != 0 {
        guard let delta = reader.signed() else { throw .truncated }
        next = (last &+ delta &+ 256) & 255
      }
      last = next == 0 ? last : next
    }
  }

  private mutating func readOrderCounts(_ reader: inout BitReader) throws(Failure) {
    guard reader.unsigned() != nil, let type = reader.unsigned() else { throw .truncated }
    switch type {
    case 0: guard reader.unsigned() != nil else { throw .truncated }
    case 1:
      guard reader.bit() != nil, reader.signed() != nil, reader.signed() != nil, let cycle = reader.unsigned() else {
        throw .truncated
      }
      guard cycle <= 255 else { throw .invalid("num_ref_frames_in_pic_order_cnt_cycle \(cycle)") }
      for _ in 0..<cycle where reader.signed() == nil { throw .truncated }
    case 2: break
    default: throw .invalid("pic_order_cnt_type \(type)")
    }
  }

  private mutating func readSize(_ reader: inout BitReader) throws(Failure) {
    guard let references = reader.unsigned(), reader.bit() != nil, let columns = reader.unsigned(),
      let rows = reader.unsigned(), let framesOnly = reader.bit()
    else { throw .truncated }
    maxNumRefFrames = references
    isFrameMBsOnly = framesOnly
    if !framesOnly, reader.bit() == nil { throw .truncated }
    guard columns < 4096, rows < 4096 else { throw .invalid("picture size") }
    width = (Int(columns) + 1) * 16
    height = (Int(rows) + 1) * 16 * (framesOnly ? 1 : 2)
    guard reader.bit() != nil, let isCropped = reader.bit() else { throw .truncated }
    guard isCropped else { return }
    guard let left = reader.unsigned(), let right = reader.unsigned(), let top = reader.unsigned(),
      let bottom = reader.unsigned()
    else { throw .truncated }
    let unitX = chromaFormatIDC == 1 || chromaFormatIDC == 2 ? 2 : 1
    let unitY = (chromaFormatIDC == 1 ? 2 : 1) * (framesOnly ? 1 : 2)
    let cropX = unitX * (Int(left) + Int(right))
    let cropY = unitY * (Int(top) + Int(bottom))
    guard cropX < width, cropY < height else { throw .invalid("cropping") }
    width -= cropX
    height -= cropY
  }

  /// `nil` where the bits end too early.
  private mutating func readVUI(_ reader: inout BitReader) -> Void? {
    guard let hasAspect = reader.bit() else { return nil }
    if hasAspect {
      guard let kind = reader.bits(8), kind != 255 || reader.skip(32) else { return nil }
    }
    guard let hasOverscan = reader.bit(), !hasOverscan || reader.skip(1) else { return nil }
    guard let hasSignal = reader.bit() else { return nil }
    if hasSignal {
      guard reader.skip(4), let hasColour = reader.bit(), !hasColour || reader.skip(24) else { return nil }
    }
    guard let hasLocation = reader.bit() else { return nil }
    if hasLocation {
      guard reader.unsigned() != nil, reader.unsigned() != nil else { return nil }
    }
    guard let hasTiming = reader.bit() else { return nil }
    if hasTiming {
      guard let units = reader.bits(32), let scale = reader.bits(32), let isFixed = reader.bit() else { return nil }
      numUnitsInTick = units
      timeScale = scale
      isFixedFrameRate = isFixed
    }
    guard let hasNAL = reader.bit(), !hasNAL || Self.skipHRD(&reader) else { return nil }
    guard let hasVCL = reader.bit(), !hasVCL || Self.skipHRD(&reader) else { return nil }
    if hasNAL || hasVCL, !reader.skip(1) { return nil }
    guard reader.skip(1), let hasRestriction = reader.bit() else { return nil }
    guard hasRestriction else { return () }
    guard reader.skip(1), reader.unsigned() != nil, reader.unsigned() != nil, reader.unsigned() != nil,
      reader.unsigned() != nil, let reorder = reader.unsigned(), reader.unsigned() != nil
    else { return nil }
    maxNumReorderFrames = reorder
    return ()
  }

  private static func skipHRD(_ reader: inout BitReader) -> Bool {
    guard let count = reader.unsigned(), count <= 31, reader.skip(8) else { return false }
    for _ in 0...count {
      guard reader.unsigned() != nil, reader.unsigned() != nil, reader.skip(1) else { return false }
    }
    return reader.skip(20)
  }

  private static func bytesAfterStop(_ reader: BitReader) -> Int {
    let stopByte = reader.position / 8
    return max(0, reader.bytes.count - stopByte - 1)
  }
}

/// A picture parameter set of H.264 (7.3.2.2): its ids.
public struct H264PPS: Hashable, Sendable {
  public var id: UInt32
  public var spsID: UInt32

  /// Parses a NAL unit with its header byte; `nil` where it is no PPS or its ids do not read.
  public init?(parsing nal: [UInt8]) {
    guard let first = nal.first, first & 31 == 8 else { return nil }
    var reader = BitReader(BitReader.rbsp(nal.dropFirst().prefix(16)))
    guard let id = reader.unsigned(), id <= 255, let sps = reader.unsigned(), sps <= 31 else { return nil }
    self.id = id
    spsID = sps
  }
}
