/// The reply to `SCAN_RESULTS`: a line for each access point, `bssid  frequency  signal  flags  ssid`, with tabs.
struct ScanResults: Hashable, Sendable {
  struct AccessPoint: Hashable, Sendable {
    let bssid: String
    let megahertz: Int
    /// Received power in dBm.
    let signal: Int
    let ssid: [UInt8]
  }

  let accessPoints: [AccessPoint]

  init(_ reply: String) {
    accessPoints = reply.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count >= 4, let megahertz = Int(parts[1]), let signal = Int(parts[2]) else { return nil }
      let bssid = SupplicantEvent.address(parts[0])
      guard !bssid.isEmpty else { return nil }
      return AccessPoint(
        bssid: bssid, megahertz: megahertz, signal: signal,
        ssid: parts.count > 4 ? ScanResults.octets(parts[4]) : [])
    }
  }

  /// Undoes the supplicant's escapes: `\xNN`, `\\`, `\"`, `\e`, `\n`, `\r`, `\t`.
  static func octets(_ text: Substring) -> [UInt8] {
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x5C, let kind = rest.popFirst() else {
        out.append(byte)
        continue
      }
      switch kind {
      case 0x65: out.append(0x1B)
      case 0x6E: out.append(0x0A)
      case 0x72: out.append(0x0D)
      case 0x74: out.append(0x09)
      case 0x78:
        guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { continue }
        out.append(value)
        rest = rest.dropFirst(2)
      default: out.append(kind)
      }
    }
    return out
  }
}
