import RigBytes

/// A decoder with one comparison wrong by one.
enum PlantedBug {
  /// The units of a STAP-A (RFC 6184 5.7.1) must lie inside of it.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    guard bytes.first.map({ $0 & 31 }) == 24 else { return }
    for range in units(bytes) { try require(range.upperBound <= bytes.count, "\(range) of \(bytes.count) bytes") }
  }

  private static func units(_ bytes: [UInt8]) -> [Range<Int>] {
    var units: [Range<Int>] = []
    var place = 1
    while let size = bytes.span.bytes.u16(at: place).map({ Int($0) }) {
      // The bug: a size that is one too large passes.
      guard size > 0, place + 2 + size <= bytes.count + 1 else { break }
      units.append(place + 2..<place + 2 + size)
      place += 2 + size
    }
    return units
  }
}
