public import RigModel

/// `framing.channel.assigned`
public struct ChannelAssignedCheck: WireCheck {
  public static let info = CheckInfo(
    id: "framing.channel.assigned", rule: "Interleaved frames use channels that a SETUP assigned.",
    reference: "RFC 2326 10.12", severity: .error)
  public static let interest = WireInterest([.framing])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .framing(let damage) = event, case .unassignedChannel(let channel) = damage.kind else { return }
    log.note(
      Self.info, "channel \(channel)", subject: damage.connection, at: damage.place.evidence(),
      message: "an interleaved frame on channel \(channel), which no SETUP assigned")
  }
}
