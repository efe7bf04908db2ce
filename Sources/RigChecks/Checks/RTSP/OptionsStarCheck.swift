public import RigModel
import RigWire

/// `rtsp.options.star`
public struct OptionsStarCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.options.star", rule: "OPTIONS is answered in every state, for * too, and names the methods in Public.",
    reference: "RFC 2326 10.1, 12.28", severity: .error)
  public static let interest = WireInterest([.responses])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.fromServer, let request = response.request,
      request.method == "OPTIONS"
    else { return }
    let evidence = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    let target = request.url == "*" ? " *" : ""
    if response.isSuccess {
      // As a keep-alive inside a session nobody reads the list.
      guard response.message.publicMethods == nil, request.message.session == nil else { return }
      log.note(
        Self.info, "public", subject: response.connection, at: evidence, severity: .warning,
        message: "OPTIONS\(target) is answered without a Public header")
    } else if response.status >= 400, ![401, 407, 454, 503].contains(response.status) {
      // 404 speaks of the URL, unless there is none.
      let isFair = response.status == 404 && request.url != "*"
      log.note(
        Self.info, "refused\(target)", subject: response.connection, at: evidence, severity: isFair ? .warning : nil,
        message: "OPTIONS\(target) is answered with \(response.status)")
    }
  }
}
