import RigBytes

/// The AU header sizes of RFC 3640 3.2.1.1, in bits, as SDP announces them.
public struct AACHeaderSizes: Hashable, Sendable {
  public var size: Int
  public var index: Int
  public var indexDelta: Int

  /// Each clamped to 0–32.
  public init(size: Int, index: Int, indexDelta: Int) {
    self.size = min(max(size, 0), 32)
    self.index = min(max(index, 0), 32)
    self.indexDelta = min(max(indexDelta, 0), 32)
  }

  public init(_ parameters: AACFormatParameters) {
    self.init(size: parameters.sizeLength, index: parameters.indexLength, indexDelta: parameters.indexDeltaLength)
  }

  /// AAC-hbr (3.3.6).
  public static let highBitRate = AACHeaderSizes(size: 13, index: 3, indexDelta: 3)
}

/// One RTP payload of AAC (RFC 3640): the access units as byte ranges of what was parsed.
public struct AACPayload: Hashable, Sendable {
  public struct Unit: Hashable, Sendable {
    /// As the header says; a fragment's is the size of the whole unit.
    public var size: Int
    /// AU-Index of the first, AU-Index-delta of the others.
    public var index: Int
    /// Byte offsets in the payload.
    public var range: Range<Int>
    /// Only a piece of the unit is in this packet.
    public var isFragment: Bool
    public init(size: Int, index: Int, range: Range<Int>, isFragment: Bool) {
      self.size = size
      self.index = index
      self.range = range
      self.isFragment = isFragment
    }
  }

  public enum Problem: Hashable, Sendable {
    case emptyPayload
    /// An ADTS syncword where the AU-headers-length is due.
    case adtsInsteadOfHeaders
    /// A unit that begins with an ADTS syncword: the ADTS header must be taken off.
    case adtsInUnit(Int)
    /// AU-headers-length goes beyond the packet, in bits.
    case headersOverrun(Int)
    /// The headers' bits are no whole number of headers.
    case headersNotWhole(Int)
    /// The sizes sum to more than the packet holds, and there is more than one unit.
    case unitOverrun(unit: Int, needed: Int, available: Int)
    /// Bytes after the last unit.
    case trailingBytes(Int)
    case zeroSizedUnit(Int)
  }

  public var units: [Unit] = []
  public var problems: [Problem] = []

  public init(parsing payload: RawSpan, sizes: AACHeaderSizes) {
    guard payload.byteCount > 0 else {
      problems.append(.emptyPayload)
      return
    }
    guard sizes.size + sizes.index > 0 else {
      units = [Unit(size: payload.byteCount, index: 0, range: 0..<payload.byteCount, isFragment: false)]
      noteADTS(payload)
      return
    }
    if Self.isADTS(payload, at: 0) {
      problems.append(.adtsInsteadOfHeaders)
      return
    }
    guard let bitCount = payload.u16(at: 0).map({ Int($0) }), 2 + (bitCount + 7) / 8 <= payload.byteCount else {
      problems.append(.headersOverrun(Int(payload.u16(at: 0) ?? 0)))
      return
    }
    let headersEnd = 2 + (bitCount + 7) / 8
    let headers = readHeaders(payload.clamped(to: 2..<headersEnd).array, bitCount, sizes)
    place(headers, sizes, from: headersEnd, payload)
    noteADTS(payload)
  }

  public init(parsing payload: [UInt8], sizes: AACHeaderSizes) {
    self.init(parsing: payload.span.bytes, sizes: sizes)
  }

  private mutating func readHeaders(
    _ bytes: [UInt8], _ bitCount: Int, _ sizes: AACHeaderSizes
  ) -> [(size: Int, index: Int)] {
    var reader = BitReader(bytes)
    var headers: [(size: Int, index: Int)] = []
    while reader.position < bitCount {
      let indexBits = headers.isEmpty ? sizes.index : sizes.indexDelta
      let needed = sizes.size + indexBits
      guard needed > 0, bitCount - reader.position >= needed, let size = reader.bits(sizes.size),
        let index = reader.bits(indexBits)
      else {
        problems.append(.headersNotWhole(bitCount))
        break
      }
      headers.append((Int(size), Int(index)))
    }
    return headers
  }

  private mutating func place(
    _ headers: [(size: Int, index: Int)], _ sizes: AACHeaderSizes, from start: Int, _ payload: RawSpan
  ) {
    var offset = start
    for (number, header) in headers.enumerated() {
      let available = payload.byteCount - offset
      let size = sizes.size == 0 ? available : header.size
      if size == 0 { problems.append(.zeroSizedUnit(number)) }
      if size > available, headers.count > 1 {
        problems.append(.unitOverrun(unit: number, needed: size, available: available))
        return
      }
      let end = offset + min(size, available)
      units.append(Unit(size: size, index: header.index, range: offset..<end, isFragment: size > available))
      offset = end
    }
    if offset < payload.byteCount { problems.append(.trailingBytes(payload.byteCount - offset)) }
  }

  private mutating func noteADTS(_ payload: RawSpan) {
    for (number, unit) in units.enumerated() where Self.isADTS(payload, at: unit.range.lowerBound) {
      problems.append(.adtsInUnit(number))
    }
  }

  /// Whether an ADTS header may begin at `offset`: twelve ones, any ID, layer 00.
  public static func isADTS(_ bytes: RawSpan, at offset: Int) -> Bool {
    guard let word = bytes.u16(at: offset) else { return false }
    return word & 0xFFF6 == 0xFFF0
  }

  /// A payload of one or several whole units with AAC-hbr headers (13 + 3 bits); `nil` where a unit exceeds 8,191
  /// bytes or there is none.
  public static func packetize(_ units: [[UInt8]]) -> [UInt8]? {
    guard !units.isEmpty, units.count <= 255, units.allSatisfy({ $0.count < 8192 }) else { return nil }
    var out = ByteWriter(reserving: 2 + units.reduce(0) { $0 + $1.count + 2 })
    out.u16(UInt16(units.count * 16))
    for unit in units { out.u16(UInt16(unit.count << 3)) }
    for unit in units { out.append(unit) }
    return out.bytes
  }
}
