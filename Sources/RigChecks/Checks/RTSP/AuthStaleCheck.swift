public import RigModel
import RigWire

/// `rtsp.auth.stale`
public struct AuthStaleCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.auth.stale",
    rule: "A nonce that was good and is refused for its age comes back as stale=TRUE with a new nonce, once.",
    reference: "RFC 7616 3.3", severity: .error)
  public static let interest = WireInterest([.responses])

  private struct Dialogue: Sendable {
    /// The nonce of the last request that succeeded.
    var accepted: String?
    /// The nonce of the last challenge that said stale.
    var renewed: String?
  }
  private var dialogues: [Int: Dialogue] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.fromServer, let request = response.request else { return }
    let used = request.message.headers["Authorization"].flatMap {
      AuthenticateHeader(parsing: $0).challenges.first { $0.isDigest }?["nonce"]
    }
    if dialogues.count >= 4096, dialogues[response.connection] == nil { dialogues.removeAll() }
    if response.isSuccess {
      if let used { dialogues[response.connection] = Dialogue(accepted: used) }
      return
    }
    guard response.status == 401,
      let challenge = AuthenticateHeader(response.message.headers).challenges.first(where: { $0.isDigest }),
      let offered = challenge["nonce"]
    else { return }
    let state = dialogues[response.connection] ?? Dialogue()
    let evidence = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    func note(_ kind: String, _ severity: Severity?, _ message: String) {
      log.note(
        Self.info, kind, subject: response.connection, at: evidence, severity: severity, message: message)
    }
    if challenge.isStale {
      if used == nil {
        note("nothing", .warning, "stale=TRUE in answer to a \(request.method) without credentials")
      } else if used == offered {
        note("same", nil, "stale=TRUE with the very nonce that is said to be stale")
      } else if used == state.renewed {
        note("again", nil, "\(request.method) with the new nonce is answered with another stale=TRUE: no end to it")
      }
      dialogues[response.connection, default: Dialogue()].renewed = offered
    } else if let used, used == state.accepted, offered != used {
      note(
        "unsaid", nil,
        "the nonce that \(request.method) carries was accepted before and is refused without stale=TRUE: "
          + "a player takes its password for wrong")
    }
  }
}
