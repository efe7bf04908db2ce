/// The H.264 byte stream format (ITU-T H.264 Annex B) and the length-prefixed form of clips (4 bytes, big-endian).
enum AnnexB {
  /// The NAL units between the start codes 00 00 01, without trailing zero bytes.
  static func units(in bytes: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>.SubSequence] {
    var starts: [Int] = []
    var at = 0
    while at + 2 < bytes.count {
      if bytes[at + 2] > 1 {
        at += 3
      } else if bytes[at] == 0, bytes[at + 1] == 0, bytes[at + 2] == 1 {
        starts.append(at + 3)
        at += 3
      } else {
        at += 1
      }
    }
    return starts.enumerated().map { index, start in
      var end = index + 1 < starts.count ? starts[index + 1] - 3 : bytes.count
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      return bytes[start..<end]
    }
  }

  /// The coded slices (types 1 to 5) of an access unit, each with its length before it; the rest is left out.
  static func lengthPrefixedPictures(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    for unit in units(in: bytes) where (1...5).contains((unit.first ?? 0) & 0x1F) { appendWithLength(unit, to: &out) }
    return out
  }

  static func appendWithLength(_ unit: some Collection<UInt8>, to out: inout [UInt8]) {
    out.append(bigEndian: UInt32(truncatingIfNeeded: unit.count))
    out.append(contentsOf: unit)
  }

  /// The byte stream form of length-prefixed units; `nil` where a length does not fit.
  static func byteStream(ofLengthPrefixed bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count > 4 else { return nil }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard length > 0, length <= rest.count else { return nil }
      out += [0, 0, 0, 1]
      out += rest.prefix(length)
      rest = rest.dropFirst(length)
    }
    return out
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
