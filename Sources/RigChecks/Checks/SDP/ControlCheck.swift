public import RigModel
import RigWire

/// `sdp.control`
public struct ControlCheck: WireCheck {
  public static let info = CheckInfo(
    id: "sdp.control", rule: "Each of several media has an a=control of its own; the session has one too.",
    reference: "RFC 2326 C.1.1", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event else { return }
    let place = response.place.evidence()
    let playable = description.media.filter(\.isPlayable)
    if playable.count > 1 {
      for media in playable where media.control?.isEmpty ?? true {
        log.note(
          Self.info, "missing", subject: response.connection, at: place,
          message: "m=\(media.kind) (line \(media.line)) has no a=control, and there are \(playable.count) media")
      }
      let controls = playable.compactMap(\.control).filter { !$0.isEmpty }
      if Set(controls).count < controls.count {
        log.note(
          Self.info, "same", subject: response.connection, at: place,
          message: "two media have the same a=control")
      }
    }
    if description.control == nil {
      log.note(
        Self.info, "session", subject: response.connection, at: place, severity: .warning,
        message: "the session has no a=control: the URL for PLAY must be guessed")
    }
  }
}
