import RigBytes

/// The NAL unit that is being put together; bounded: it keeps the first 8 bytes, and the whole of parameter sets only.
struct NALAssembly: Sendable {
  static let maximumParameterSet = 4096

  private(set) var unit: NALUnit
  private let keepsBytes: Bool
  private(set) var hasStartCode = false
  /// Zeros at the end of what was taken, at most 2: a start code may lie across fragments.
  private var zeros = 0

  init(type: UInt8, reference: UInt8, carrier: NALUnit.Carrier, keepsBytes: Bool) {
    unit = NALUnit(
      type: type, reference: reference, size: 0, head: 0, carrier: carrier, packets: 0, isComplete: true,
      parameterSet: [])
    self.keepsBytes = keepsBytes
  }

  mutating func countPacket() { unit.packets += 1 }
  mutating func markIncomplete() { unit.isComplete = false }

  mutating func take(_ byte: UInt8) {
    if unit.size < 8 { unit.head |= UInt64(byte) << UInt64(56 - 8 * unit.size) }
    if keepsBytes, unit.parameterSet.count < Self.maximumParameterSet { unit.parameterSet.append(byte) }
    unit.size += 1
  }

  mutating func take(_ bytes: RawSpan) {
    let count = bytes.byteCount
    var place = 0
    while unit.size < 8 || keepsBytes, place < count, let byte = bytes.u8(at: place) {
      if keepsBytes, unit.parameterSet.count >= Self.maximumParameterSet, unit.size >= 8 { break }
      take(byte)
      place += 1
    }
    unit.size += count - place
    searchStartCode(bytes)
  }

  private mutating func searchStartCode(_ bytes: RawSpan) {
    guard !hasStartCode else { return }
    let count = bytes.byteCount
    // Across the seam: the first two bytes with the zeros before them.
    var run = zeros
    for place in 0..<min(2, count) {
      let byte = bytes.u8(at: place) ?? 0xFF
      if run >= 2, byte == 1 { return hasStartCode = true }
      run = byte == 0 ? min(run + 1, 2) : 0
    }
    zeros = run
    guard count > 2 else { return }
    // Inside: look at every third byte as long as none can belong to 00 00 01.
    var place = 2
    while place < count, let byte = bytes.u8(at: place) {
      if byte > 1 {
        place += 3
      } else if byte == 1 {
        if bytes.u16(at: place - 2) == 0 { return hasStartCode = true }
        place += 3
      } else {
        place += 1
      }
    }
    zeros = bytes.u8(at: count - 1) == 0 ? (bytes.u8(at: count - 2) == 0 ? 2 : 1) : 0
  }

  /// The unit; parameter sets end before a start code.
  func finished() -> NALUnit {
    guard hasStartCode, keepsBytes else { return unit }
    var result = unit
    let bytes = unit.parameterSet
    if let cut = bytes.indices.dropLast(2).first(where: {
      bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1
    }) {
      var kept = bytes[..<cut]
      while kept.last == 0 { kept.removeLast() }
      result.parameterSet = Array(kept)
    }
    return result
  }
}
