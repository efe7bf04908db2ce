public import RigModel
import RigWire

/// `transport.server-port.used`
public struct ServerPortCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.server-port.used", rule: "RTP comes from the server_port that the Transport header announced.",
    reference: "RFC 2326 12.39", severity: .warning)
  public static let interest = WireInterest(notes: .firstPacket)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0, case .udp(_, let port?) = world.tracks[packet.track].transport else { return }
    let used = world.streams[packet.stream].flow.source.port
    guard used != port else { return }
    log.note(
      Self.info, "other", subject: packet.track, at: packet.evidence,
      message: "server_port announced \(port), and RTP comes from port \(used): firewalls will drop it")
  }
}
