public import RigModel
import RigWire

/// `session.expiry`
///
/// An error is only what the RFC leaves no room for: a session that is given up while keep-alives come in time.
/// A server that waits longer than it said is a warning; servers may be generous.
public struct SessionExpiryCheck: WireCheck {
  public static let info = CheckInfo(
    id: "session.expiry",
    rule: "A session lives as long as keep-alives come within its timeout, and ends some time after they stop.",
    reference: "RFC 2326 12.37", severity: .error)
  public static let interest = WireInterest([.responses, .accessUnits])

  /// How much longer than its timeout a session may live without a sign of life.
  private static let slack: Int64 = 30_000_000_000

  /// By session id: when its last request was sent, and the longest time that the server can have been without one. A
  /// request may take long to come: it has by the time of its answer, and counts from when it was sent.
  private struct Sign: Sendable {
    var last: Int64
    var longest: Int64 = 0
  }
  private var signs: [String: Sign] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    switch event {
    case .response(let response):
      if let request = response.request, request.fromClient, let id = request.message.session?.id {
        note(id, sent: request.place.time, answered: response.place.time)
      }
      judge(response, world, &log)
    case .accessUnit(let unit): judgeOverstay(unit, world, &log)
    default: break
    }
  }

  private mutating func note(_ id: String, sent: Int64, answered: Int64) {
    if signs.count >= 8192 { signs.removeAll() }
    guard var sign = signs[id] else {
      signs[id] = Sign(last: sent)
      return
    }
    sign.longest = max(sign.longest, answered &- sign.last)
    sign.last = max(sign.last, sent)
    signs[id] = sign
  }

  private func judge(_ response: RTSPResponse, _ world: borrowing WireWorld, _ log: inout FindingLog) {
    guard response.status == 454, response.fromServer, let request = response.request,
      let id = request.message.session?.id,
      let sign = signs[id], let index = world.sessions.lastIndex(where: { $0.id == id })
    else { return }
    let session = world.sessions[index]
    let timeout = Int64(clamping: session.timeout) * 1_000_000_000
    let place = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    if !session.isOver, request.method != "SETUP", sign.longest < timeout {
      log.note(
        Self.info, "early", subject: index, at: place,
        message:
          "session \(id) (timeout \(session.timeout) s) is refused with 454, "
          + "although requests came at most \(Duration.nanoseconds(sign.longest).text) apart"
      )
    }
  }

  private mutating func judgeOverstay(_ unit: AccessUnitEvent, _ world: borrowing WireWorld, _ log: inout FindingLog) {
    guard unit.track >= 0, !world.tracks[unit.track].isInterleaved else { return }
    let index = world.tracks[unit.track].session
    guard index >= 0, !world.sessions[index].isOver else { return }
    let session = world.sessions[index]
    let silent = unit.last.time &- session.lastSign
    guard silent > Int64(clamping: session.timeout) * 1_000_000_000 + Self.slack else { return }
    log.note(
      Self.info, "late", subject: index, at: unit.last.evidence(ssrc: unit.ssrc), severity: .warning,
      message:
        "media still flows \(Duration.nanoseconds(silent).text) after the last sign of the client; "
        + "the timeout is \(session.timeout) s"
    )
  }
}
