import RigModel

/// Why a station is not on the hotspot: one case for each thing that a person would do about it.
enum JoinFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case badName(octets: Int)
  case badKey
  case badChannel(Int)
  /// No access point with that name, and the wanted kind of protection, was seen.
  case notFound(HotspotName, scans: Int, after: Duration, channel: WiFiChannel?, hasKey: Bool)
  case wrongKey(HotspotName, bssid: String)
  /// IEEE 802.11 section 9.4.1.9.
  case rejected(HotspotName, bssid: String, step: String, status: Int)
  /// Seen, but the exchange came to no end; the last reason of the access point, if any.
  case unfinished(HotspotName, after: Duration, reason: Int?)
  case scanRefused(errno: Int32)
  case blocked
  case noLease(HotspotName, String)
  case supplicant(String)
  /// Another network of the machine has the hotspot's addresses.
  case subnetClash(String)
  /// As NetworkManager says it, where it has no case of its own.
  case managed(HotspotName, String)

  /// The station could not even try: of the hotspot that says nothing.
  var isOfStation: Bool {
    switch self {
    case .scanRefused, .blocked, .supplicant, .subnetClash: true
    case .badName, .badKey, .badChannel, .notFound, .wrongKey, .rejected, .unfinished, .noLease, .managed: false
    }
  }

  func fact(at now: HostTime) -> Fact {
    Fact(isOfStation ? .stationFailed : .linkNotJoined, by: .link, at: now, detail: description)
  }

  var description: String {
    switch self {
    case .badName(let octets): "the device names a hotspot of \(octets) octets, expected 1 to 32"
    case .badKey: "the hotspot's key is no WPA key: expected 8 to 63 printable characters, or 64 hexadecimal digits"
    case .badChannel(let number): "the device names channel \(number), which is none of the 2.4 and 5 GHz bands"
    case .notFound(let name, let scans, let time, let channel, let hasKey):
      "the hotspot \(name) was not found: \(scans) scans in \(time.text)"
        + (channel.map { ", at first on channel \($0.number)" } ?? "")
        + (hasKey ? "" : "; no key is known, so an open hotspot was looked for")
    case .wrongKey(let name, let bssid):
      "wrong key: the access point \(bssid) of \(name) did not accept what the station proved of its key"
    case .rejected(let name, let bssid, let step, let status):
      "the access point \(bssid) of \(name) rejected the \(step): \(JoinFailure.status(status))"
    case .unfinished(let name, let time, let reason):
      "joining \(name) came to no end in \(time.text)" + (reason.map { "; last \(JoinFailure.reason($0))" } ?? "")
    case .scanRefused(let errno): "the radio refuses to scan (errno \(errno))"
    case .blocked: "the radio is blocked (rfkill)"
    case .noLease(let name, let why): "no lease on \(name): \(why)"
    case .supplicant(let why), .subnetClash(let why): why
    case .managed(let name, let why): "joining \(name) failed: \(why)"
    }
  }

  /// A status code with its meaning, for those that access points send.
  static func status(_ code: Int) -> String {
    let meaning: String? =
      switch code {
      case 1: "unspecified"
      case 10: "capabilities are not supported"
      case 12: "denied for a reason outside the standard"
      case 13: "authentication algorithm is not supported"
      case 14: "authentication out of sequence"
      case 15: "challenge failed"
      case 16: "authentication timed out"
      case 17: "access point has no room for another station"
      case 18: "basic rates are not supported"
      case 30: "refused for the moment"
      case 31: "robust management frames policy"
      case 37: "request declined"
      case 40: "invalid element"
      case 41: "invalid group cipher"
      case 42: "invalid pairwise cipher"
      case 43: "invalid key management"
      case 53: "invalid PMKID"
      default: nil
      }
    return "status \(code)" + (meaning.map { " (\($0))" } ?? "")
  }

  /// A reason code with its meaning.
  static func reason(_ code: Int) -> String {
    let meaning: String? =
      switch code {
      case 1: "unspecified"
      case 2: "authentication is no longer valid"
      case 3: "the sender leaves"
      case 4: "inactivity"
      case 5: "access point has no room for its stations"
      case 6, 7: "frame of a wrong class"
      case 8: "the sender leaves the network"
      case 14: "message integrity"
      case 15: "4-way handshake timed out"
      case 16: "group key handshake timed out"
      case 23: "802.1X failed"
      default: nil
      }
    return "reason \(code)" + (meaning.map { " (\($0))" } ?? "")
  }
}
