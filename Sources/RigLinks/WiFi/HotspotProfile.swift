import RigDevice

/// One hotspot as wpa_supplicant is told it: the fields of a network block, none of which needs a file.
struct HotspotProfile: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let name: String
    /// As it stands in the command; may hold the key, and must not be shown.
    let value: String
  }

  let name: HotspotName
  let key: HotspotKey?
  let isHidden: Bool
  let channel: WiFiChannel?

  /// - Parameter rigKey: what the rig knows where the device names no key.
  /// - Throws: `JoinFailure` where no station could join with it.
  init(_ request: JoinRequest, rigKey: String?) throws(JoinFailure) {
    name = HotspotName(request.ssid)
    guard name.isValid else { throw .badName(octets: request.ssid.count) }
    let text = request.key ?? rigKey
    key = text.flatMap(HotspotKey.init)
    guard text == nil || key != nil else { throw .badKey }
    isHidden = request.isHidden
    channel = request.channel.flatMap(WiFiChannel.init)
    if let number = request.channel, channel == nil { throw .badChannel(number) }
  }

  /// - Parameters:
  ///   - usesWrongKey: another key than the right one.
  ///   - anyChannel: does not keep to the channel that was named.
  func fields(usesWrongKey: Bool = false, anyChannel: Bool = false) -> [Field] {
    var fields = [Field(name: "ssid", value: name.hex)]
    switch usesWrongKey ? key?.wrong : key {
    case nil: fields.append(Field(name: "key_mgmt", value: "NONE"))
    case .raw(let digits)?:
      fields.append(Field(name: "key_mgmt", value: "WPA-PSK WPA-PSK-SHA256"))
      fields.append(Field(name: "psk", value: digits))
    case .passphrase(let text)?:
      fields.append(Field(name: "key_mgmt", value: "WPA-PSK WPA-PSK-SHA256 SAE"))
      // Quotes inside do no harm: the value goes to the last quote of the line, and holds no line feed.
      fields.append(Field(name: "psk", value: "\"\(text)\""))
      fields.append(Field(name: "ieee80211w", value: "1"))
    }
    if isHidden { fields.append(Field(name: "scan_ssid", value: "1")) }
    if let channel, !anyChannel { fields.append(Field(name: "scan_freq", value: "\(channel.megahertz)")) }
    return fields
  }
}

/// A channel of the 2.4 and 5 GHz bands.
struct WiFiChannel: Hashable, Sendable {
  let number: Int
  let megahertz: Int

  init?(_ number: Int) {
    self.number = number
    switch number {
    case 1...13: megahertz = 2407 + 5 * number
    case 14: megahertz = 2484
    case 36...64 where number % 4 == 0, 100...144 where number % 4 == 0: megahertz = 5000 + 5 * number
    case 149...177 where number % 4 == 1: megahertz = 5000 + 5 * number
    default: return nil
    }
  }

  /// An access point must listen for radar for a minute, or ten, before it may send here.
  var needsRadarCheck: Bool { (52...144).contains(number) }
}

/// The file that wpa_supplicant starts with: nothing in it comes from a device.
struct SupplicantConfig: Sendable {
  /// Where the control sockets are made.
  let folder: String
  /// ISO 3166-1 alpha-2, for the regulatory domain; `nil`: the machine's.
  let country: String?

  /// - Returns: `nil` for what is no country code.
  static func country(_ text: String) -> String? {
    let code = text.uppercased()
    return code.utf8.count == 2 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? code : nil
  }

  var text: String {
    "ctrl_interface=\(folder)\nupdate_config=0\np2p_disabled=1\n" + (country.map { "country=\($0)\n" } ?? "")
  }
}
