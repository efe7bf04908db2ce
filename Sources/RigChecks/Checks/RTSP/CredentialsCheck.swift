public import RigModel
import RigWire

/// `rtsp.url.no-credentials`
public struct CredentialsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.url.no-credentials", rule: "No user name or password stands in a URL on the wire.",
    reference: "RFC 2326 3.2", severity: .warning)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard let message = WireMessage(event) else { return }
    let urls = [message.message.url, message.message.headers["Content-Base"], message.message.headers["Location"]]
    guard urls.contains(where: { $0.map(Self.hasUserInfo) ?? false }) else { return }
    // The excerpt stays empty: a report must not repeat a password.
    log.note(
      Self.info, "user info", subject: message.connection, at: message.place.evidence(),
      message: "\(message.name) carries credentials in a URL")
  }

  private static func hasUserInfo(_ url: String) -> Bool {
    guard let parsed = try? RTSPURL(parsing: url) else { return false }
    return parsed.user != nil
  }
}
