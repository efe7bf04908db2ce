/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes of an IPv6 address; 0 for IPv4.
  public let high: UInt64
  /// The last eight bytes of an IPv6 address; the whole IPv4 address in the low 32 bits.
  public let low: UInt64
  public let isIPv6: Bool

  public init(ipv4 bits: UInt32) {
    high = 0
    low = UInt64(bits)
    isIPv6 = false
  }

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
    isIPv6 = true
  }

  public static func == (a: IPAddress, b: IPAddress) -> Bool {
    a.low == b.low && a.high == b.high && a.isIPv6 == b.isIPv6
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

  /// `0.0.0.0` or `::`.
  public var isUnspecified: Bool { high == 0 && low == 0 }

  public var isMulticast: Bool { isIPv6 ? high >> 56 == 0xff : low >> 28 == 0xe }

  public var description: String {
    guard isIPv6 else {
      return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)"
    }
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - ($0 % 4) * 16)) }
    // RFC 5952: the longest run of two or more zero groups becomes "::", the first one among equals.
    var best = 0..<0
    var index = 0
    while index < 8 {
      guard groups[index] == 0 else {
        index += 1
        continue
      }
      var end = index
      while end < 8, groups[end] == 0 { end += 1 }
      if end - index > max(best.count, 1) { best = index..<end }
      index = end
    }
    func text(_ part: Range<Int>) -> String {
      part.map { String(groups[$0], radix: 16) }.joined(separator: ":")
    }
    guard !best.isEmpty else { return text(0..<8) }
    return text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
  }
}

extension IPAddress {
  /// Reads dotted IPv4 or textual IPv6 (RFC 4291 2.2, with an optional zone and brackets); `nil` for names.
  public init?(_ text: some StringProtocol) {
    var body = Substring(String(text))
    if body.hasPrefix("["), body.hasSuffix("]") { body = body.dropFirst().dropLast() }
    if let zone = body.firstIndex(of: "%") { body = body[..<zone] }
    if body.contains(":") {
      guard let parsed = IPAddress.parseIPv6(body) else { return nil }
      self = parsed
    } else {
      guard let bits = IPAddress.parseIPv4(body) else { return nil }
      self.init(ipv4: bits)
    }
  }

  private static func parseIPv4(_ text: Substring) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ $0.isASCII && $0.isNumber }), let value = UInt8(part)
      else { return nil }
      bits = bits << 8 | UInt32(value)
    }
    return bits
  }

  private static func parseIPv6(_ text: Substring) -> IPAddress? {
    guard text.count <= 45 else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    func groups(_ half: Substring) -> [UInt16]? {
      guard !half.isEmpty else { return [] }
      var result: [UInt16] = []
      for part in half.split(separator: ":", omittingEmptySubsequences: false) {
        if part.contains("."), let bits = parseIPv4(part) {
          result += [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
        } else if (1...4).contains(part.count), let value = UInt16(part, radix: 16) {
          result.append(value)
        } else {
          return nil
        }
      }
      return result
    }
    guard let front = groups(halves[0]), let back = halves.count == 2 ? groups(halves[1]) : [] else { return nil }
    let missing = 8 - front.count - back.count
    guard halves.count == 2 ? missing >= 1 : missing == 0 else { return nil }
    let all = front + Array(repeating: 0, count: missing) + back
    let high = all[..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
    let low = all[4...].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
    return IPAddress(high: high, low: low)
  }
}
