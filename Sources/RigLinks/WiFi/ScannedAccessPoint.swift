/// An access point of `iw dev … scan`.
struct ScannedAccessPoint: Hashable, Sendable {
  let bssid: String
  var megahertz = 0
  var ssid: [UInt8] = []

  /// Each begins with `BSS 02:00:00:00:00:00(on wlan0)`; its fields follow, indented by a tab. Names are escaped as in
  /// the supplicant's results.
  static func list(_ text: String) -> [ScannedAccessPoint] {
    var found: [ScannedAccessPoint] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("BSS ") {
        let bssid = SupplicantEvent.address(line.dropFirst(4).prefix(17))
        if !bssid.isEmpty { found.append(ScannedAccessPoint(bssid: bssid)) }
      } else if !found.isEmpty {
        if line.hasPrefix("\tfreq: ") {
          found[found.count - 1].megahertz = Int(line.dropFirst(7).prefix { $0 != "." }) ?? 0
        }
        if line.hasPrefix("\tSSID: ") { found[found.count - 1].ssid = ScanResults.octets(line.dropFirst(7)) }
      }
    }
    return found
  }
}
