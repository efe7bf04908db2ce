public import RigModel
import RigWire

/// `transport.echo`
public struct TransportEchoCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.echo",
    rule: "The server answers with the client ports and the kind of delivery that were asked for.",
    reference: "RFC 2326 12.39", severity: .warning)
  public static let interest = WireInterest([.tracks])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .track(let index, let response) = event,
      let asked = response.request?.message.headers["Transport"].map({ TransportHeader.parse($0) }),
      response.message.headers["Transport"] != nil
    else { return }
    let given = world.tracks[index].header
    let place = response.place.evidence(excerpt: response.message.headers["Transport"])
    if let ports = given.clientPorts, !asked.contains(where: { $0.clientPorts?.first == ports.first }),
      asked.contains(where: { $0.clientPorts != nil })
    {
      log.note(
        Self.info, "ports", subject: index, at: place,
        message: "the server answers with client_port=\(ports), which the client did not offer")
    }
    if !asked.contains(where: { $0.lower == given.lower }) {
      log.note(
        Self.info, "lower", subject: index, at: place,
        message: "the server chose \(given.lower.rawValue), which the client did not offer")
    }
    if given.delivery == .multicast, asked.allSatisfy({ $0.delivery == .unicast }) {
      log.note(
        Self.info, "delivery", subject: index, at: place, message: "the server chose multicast; unicast was asked for")
    }
  }
}
