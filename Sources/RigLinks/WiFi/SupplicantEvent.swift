/// What wpa_supplicant tells unasked on its control socket: `<3>CTRL-EVENT-CONNECTED - Connection to …`.
///
/// Names of networks and identities in it were chosen by strangers: they stand in quotes, with escapes, and decide
/// nothing here.
enum SupplicantEvent: Hashable, Sendable {
  case scanStarted
  case scanResults
  /// A scan that the driver refused, with its errno.
  case scanFailed(errno: Int32)
  /// The scan is over, and no access point has the wanted name and kind of protection.
  case networkNotFound
  case authenticating(bssid: String)
  case associated(bssid: String)
  /// `step`: which frame of the exchange was answered so; of SAE 1 is the commit, 2 the confirm.
  case authenticationRejected(bssid: String, type: Int, step: Int, status: Int)
  case associationRejected(bssid: String, status: Int)
  case connected(bssid: String)
  /// Reason codes as in IEEE 802.11 section 9.4.1.7; `isLocal`: this station's own doing.
  case disconnected(bssid: String, reason: Int, isLocal: Bool)
  /// The network is left alone for a while; `WRONG_KEY`, `CONN_FAILED`, `AUTH_FAILED`.
  case temporarilyDisabled(reason: String)
  case terminating
  case other

  /// - Parameter message: a datagram, with or without its priority in angle brackets.
  init(_ message: String) {
    var text = message[...]
    if text.first == "<", let end = text.firstIndex(of: ">") { text = text[text.index(after: end)...] }
    let words = text.split(separator: " ", maxSplits: 1)
    let rest = words.count > 1 ? String(words[1]) : ""
    switch words.first {
    case "CTRL-EVENT-SCAN-STARTED": self = .scanStarted
    case "CTRL-EVENT-SCAN-RESULTS": self = .scanResults
    case "CTRL-EVENT-SCAN-FAILED": self = .scanFailed(errno: Int32(clamping: -SupplicantFields(rest).number("ret")))
    case "CTRL-EVENT-NETWORK-NOT-FOUND": self = .networkNotFound
    case "SME:" where rest.hasPrefix("Trying to authenticate with "):
      self = .authenticating(bssid: SupplicantEvent.address(rest.dropFirst("Trying to authenticate with ".count)))
    case "Associated" where rest.hasPrefix("with "):
      self = .associated(bssid: SupplicantEvent.address(rest.dropFirst("with ".count)))
    case "CTRL-EVENT-AUTH-REJECT":
      let fields = SupplicantFields(rest)
      self = .authenticationRejected(
        bssid: SupplicantEvent.address(rest[...]), type: fields.number("auth_type"),
        step: fields.number("auth_transaction"),
        status: fields.number("status_code"))
    case "CTRL-EVENT-ASSOC-REJECT":
      let fields = SupplicantFields(rest)
      self = .associationRejected(
        bssid: SupplicantEvent.address(fields["bssid"][...]), status: fields.number("status_code"))
    case "CTRL-EVENT-CONNECTED" where rest.hasPrefix("- Connection to "):
      self = .connected(bssid: SupplicantEvent.address(rest.dropFirst("- Connection to ".count)))
    case "CTRL-EVENT-DISCONNECTED":
      let fields = SupplicantFields(rest)
      self = .disconnected(
        bssid: SupplicantEvent.address(fields["bssid"][...]), reason: fields.number("reason"),
        isLocal: fields["locally_generated"] == "1")
    case "CTRL-EVENT-SSID-TEMP-DISABLED": self = .temporarilyDisabled(reason: SupplicantFields(rest)["reason"])
    case "CTRL-EVENT-TERMINATING": self = .terminating
    default: self = .other
    }
  }

  /// The hardware address at the beginning of a text; empty where there is none.
  static func address(_ text: Substring) -> String {
    let bytes = text.prefix(17)
    let parts = bytes.split(separator: ":", omittingEmptySubsequences: false)
    let isAddress = parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }
    return isAddress ? bytes.lowercased() : ""
  }
}

/// `name=value name="quoted value"` as events carry it. The first of equal names counts: ours come before what a
/// stranger's text could add.
struct SupplicantFields {
  private var values: [String: String] = [:]

  init(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == 0x20 }
      let name = rest.prefix { $0 != 0x20 && $0 != 0x3D }
      rest = rest[name.endIndex...]
      guard rest.first == 0x3D else { continue }
      rest = rest.dropFirst()
      var value: [UInt8] = []
      if rest.first == 0x22 {
        rest = rest.dropFirst()
        while let byte = rest.first, byte != 0x22 {
          // An escaped quote does not end it.
          let taken = byte == 0x5C ? rest.prefix(2) : rest.prefix(1)
          value += taken
          rest = rest.dropFirst(taken.count)
        }
        rest = rest.dropFirst()
      } else {
        value = Array(rest.prefix { $0 != 0x20 })
        rest = rest.dropFirst(value.count)
      }
      let key = String(decoding: name, as: UTF8.self)
      if values[key] == nil { values[key] = String(decoding: value, as: UTF8.self) }
    }
  }

  subscript(_ name: String) -> String { values[name] ?? "" }
  /// 0 where it is missing or no number.
  func number(_ name: String) -> Int { Int(self[name]).map { max(-1 << 31, min($0, 1 << 31)) } ?? 0 }
}
