public import RigModel
import RigWire

/// `transport.syntax`
public struct TransportSyntaxCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.syntax",
    rule: "Transport is written as the grammar has it: semicolons, port pairs of n and n + 1, unicast or multicast.",
    reference: "RFC 2326 12.39", severity: .warning)
  public static let interest = WireInterest([.requests, .responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard let message = WireMessage(event), let value = message.message.headers["Transport"] else { return }
    var place = message.evidence
    place.excerpt = value
    for transport in TransportHeader.parse(value).prefix(16) {
      for deviation in transport.deviations.prefix(16) {
        log.note(
          Self.info, deviation.kind.rawValue, subject: message.connection, at: place,
          message: "the Transport header of \(message.name): \(Self.text(deviation))")
      }
    }
  }

  private static func text(_ deviation: RTSPDeviation) -> String {
    switch deviation.kind {
    case .badSeparator: "a comma stands for a semicolon (\(deviation.detail))"
    case .badPair: "the second number is not the first plus one (\(deviation.detail))"
    case .missingDelivery: "neither unicast nor multicast: multicast is the default"
    default: "\(deviation)"
    }
  }
}
