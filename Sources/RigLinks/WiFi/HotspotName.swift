/// A network's name as it may be shown and sent: any octets, of which a person reads only some.
struct HotspotName: Hashable, Sendable, CustomStringConvertible {
  let octets: [UInt8]

  init(_ octets: [UInt8]) { self.octets = octets }

  var isValid: Bool { (1...32).contains(octets.count) }

  /// Two digits an octet: what wpa_supplicant takes without any quoting.
  var hex: String { WiFiText.hex(octets) }

  /// In quotes; octets that are no printable ASCII, and quotes, as `\xNN`.
  var description: String {
    let shown = octets.prefix(64).map { octet -> String in
      let isPlain = (0x20...0x7E).contains(octet) && octet != 0x22 && octet != 0x5C
      return isPlain ? String(UnicodeScalar(octet)) : "\\x\(WiFiText.hex([octet]))"
    }
    return "\"\(shown.joined())\""
  }
}

/// A key as wpa_supplicant may be given it.
enum HotspotKey: Hashable, Sendable {
  /// 8…63 printable ASCII characters (IEEE 802.11 annex J.4.1).
  case passphrase(String)
  /// The 256 bits themselves, as 64 hexadecimal digits.
  case raw(String)

  /// - Returns: `nil` for what is no WPA key. Nothing of it may be quoted in a message.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    if bytes.count == 64, text.allSatisfy(\.isHexDigit), text.allSatisfy(\.isASCII) {
      self = .raw(text.lowercased())
    } else if (8...63).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) {
      self = .passphrase(text)
    } else {
      return nil
    }
  }

  /// Another one of the same kind.
  var wrong: HotspotKey {
    switch self {
    case .passphrase(let text): .passphrase(text == "wrong-on-purpose" ? "wrong-on-purpose-2" : "wrong-on-purpose")
    case .raw(let digits): .raw(String(digits.map { $0 == "0" ? "1" : "0" }))
    }
  }
}

enum WiFiText {
  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { (($0 < 16) ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension WiFiLink {
  /// Why a text can be the key of no hotspot; `nil`: it can. Says nothing of the text.
  public static func problem(ofKey text: String) -> String? {
    HotspotKey(text) == nil ? JoinFailure.badKey.description : nil
  }
}
