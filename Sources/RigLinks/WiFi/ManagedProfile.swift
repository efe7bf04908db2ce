/// A hotspot as NetworkManager is told it: a connection in its keyfile format (nm-settings-keyfile(5)), which holds any
/// octets as a name, and a key that no list of processes shows.
struct ManagedProfile: Sendable {
  let id: String
  let uuid: String
  let interface: String
  let hotspot: HotspotProfile
  /// Seconds in which a DHCP server must answer.
  let leaseSeconds: Int64

  /// Holds the key; must not be shown.
  var text: String {
    var lines = [
      "[connection]", "id=\(id)", "uuid=\(uuid)", "type=wifi", "interface-name=\(interface)", "autoconnect=false",
      "[wifi]", "mode=infrastructure", "ssid=\(hotspot.name.octets.map { "\($0);" }.joined())",
      // A radio that sleeps between beacons delays packets, and would be measured.
      "powersave=2",
    ]
    if hotspot.isHidden { lines.append("hidden=true") }
    let key: String? =
      switch hotspot.key {
      case .passphrase(let text)?: ManagedProfile.escaped(text)
      case .raw(let digits)?: digits
      case nil: nil
      }
    if let key { lines += ["[wifi-security]", "key-mgmt=wpa-psk", "psk=\(key)"] }
    lines += [
      "[ipv4]", "method=auto", "may-fail=false", "never-default=true", "ignore-auto-dns=true",
      "dhcp-timeout=\(leaseSeconds)", "[ipv6]", "method=disabled",
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// As a value of a key file: GLib drops spaces at its ends, and reads escapes.
  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case " ": "\\s"
      case "\\": "\\\\"
      default: String(character)
      }
    }.joined()
  }
}
