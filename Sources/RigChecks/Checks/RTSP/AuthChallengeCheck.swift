public import RigModel
import RigWire

/// `rtsp.auth.challenge`
public struct AuthChallengeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.auth.challenge", rule: "401 comes with WWW-Authenticate; a Digest challenge has realm and nonce.",
    reference: "RFC 7235 3.1, RFC 7616 3.3", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.status == 401 else { return }
    let evidence = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    let challenges = AuthenticateHeader(response.message.headers).challenges
    if challenges.isEmpty {
      log.note(
        Self.info, "missing", subject: response.connection, at: evidence,
        message: "401 without WWW-Authenticate: a player cannot tell how to authenticate")
    }
    for challenge in challenges {
      guard challenge.isDigest, challenge["nonce"] == nil || challenge["realm"] == nil else { continue }
      log.note(
        Self.info, "digest", subject: response.connection, at: evidence,
        message: "a Digest challenge lacks its realm or nonce")
    }
  }
}
