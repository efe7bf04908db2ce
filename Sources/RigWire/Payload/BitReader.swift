/// Reads single bits and Exp-Golomb codes (ITU-T H.264 9.1), most significant bit first; `nil` beyond the end.
struct BitReader {
  let bytes: [UInt8]
  /// In bits from the start.
  private(set) var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count * 8 - position }

  mutating func bit() -> Bool? {
    guard remaining > 0 else { return nil }
    let value = bytes[position >> 3] >> UInt8(7 - position & 7) & 1
    position += 1
    return value == 1
  }

  /// At most 32 bits.
  mutating func bits(_ count: Int) -> UInt32? {
    guard count >= 0, count <= 32, count <= remaining else { return nil }
    var value: UInt32 = 0
    for _ in 0..<count {
      value = value << 1 | UInt32(bytes[position >> 3] >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= remaining else { return false }
    position += count
    return true
  }

  /// `ue(v)`, up to 2³² − 2.
  mutating func unsigned() -> UInt32? {
    var zeros = 0
    while true {
      guard let one = bit() else { return nil }
      if one { break }
      zeros += 1
      guard zeros < 32 else { return nil }
    }
    guard let rest = bits(zeros) else { return nil }
    return UInt32(truncatingIfNeeded: (UInt64(1) << UInt64(zeros)) - 1 + UInt64(rest))
  }

  /// `se(v)`.
  mutating func signed() -> Int32? {
    guard let code = unsigned() else { return nil }
    let half = Int64((UInt64(code) + 1) / 2)
    return Int32(truncatingIfNeeded: code & 1 == 1 ? half : -half)
  }

  /// Whether more than the stop bit and zeros follow (`more_rbsp_data`).
  var hasMoreData: Bool {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return false }
    let stop = last * 8 + 7 - bytes[last].trailingZeroBitCount
    return position < stop
  }

  /// NAL unit bytes without emulation prevention: every 00 00 03 becomes 00 00 (7.4.1).
  static func rbsp(_ nal: some Sequence<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    var zeros = 0
    for byte in nal {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      out.append(byte)
    }
    return out
  }
}
