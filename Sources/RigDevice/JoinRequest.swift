public import RigModel

/// A hotspot that the device names in `connectDeviceHotspotStarting{ssid, join{by, key, hidden, channel}}`, or
/// `ssidHex` where the name is not UTF-8.
public struct JoinRequest: Hashable, Sendable {
  /// Who joins: the device or its phone by itself, or the harness for it, as on a firmware bench.
  public enum Joiner: String, Sendable { case device, harness }

  /// 1…32 octets of any value (IEEE 802.11 section 9.4.2.2); kept as sent, judged by who joins.
  public var ssid: [UInt8]
  public var by: Joiner
  /// The passphrase. A secret: it must stand in no text.
  public var key: String?
  /// The access point does not announce its name.
  public var isHidden: Bool
  public var channel: Int?

  public init(ssid: [UInt8], by: Joiner, key: String? = nil, isHidden: Bool = false, channel: Int? = nil) {
    self.ssid = ssid
    self.by = by
    self.key = key
    self.isHidden = isHidden
    self.channel = channel
  }

  /// As the event carries it. What is missing or of another kind counts as left out; without `by` the device joins.
  public init(ssid: String, ssidHex: String? = nil, join: JSONValue) {
    self.init(
      ssid: ssidHex.flatMap(JoinRequest.bytes) ?? Array(ssid.utf8),
      by: join["by"]?.string.flatMap(Joiner.init) ?? .device, key: join["key"]?.string,
      isHidden: join["hidden"]?.bool ?? false, channel: join["channel"]?.integer.flatMap { Int(exactly: $0) })
  }

  private static func bytes(hex: String) -> [UInt8]? {
    let digits = hex.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0, digits.count <= 64 else { return nil }
    var out: [UInt8] = []
    for i in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[i], let low = digits[i + 1] else { return nil }
      out.append(UInt8(high << 4 | low))
    }
    return out
  }
}
