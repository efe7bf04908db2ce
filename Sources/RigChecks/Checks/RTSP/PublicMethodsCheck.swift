public import RigModel
import RigWire

/// `rtsp.public.truthful`
public struct PublicMethodsCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.public.truthful", rule: "A method that the Public header lists is implemented.",
    reference: "RFC 2326 10.1, 12.28", severity: .error)
  public static let interest = WireInterest([.responses])

  /// Latest list by connection.
  private var listed: [Int: [String]] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .response(let response) = event, response.fromServer, let request = response.request else { return }
    if request.method == "OPTIONS", let methods = response.message.publicMethods {
      if listed.count >= 4096 { listed.removeAll() }
      listed[response.connection] = methods
      return
    }
    guard let methods = listed[response.connection] else { return }
    let evidence = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: response.message.startLine)
    if methods.contains(request.method.uppercased()) {
      // 400 too: a keep-alive with nothing in it cannot be malformed.
      let isRefusal = [405, 501].contains(response.status) || (response.status == 400 && request.message.body.isEmpty)
      guard isRefusal else { return }
      log.note(
        Self.info, request.method, subject: response.connection, at: evidence,
        message: "Public lists \(request.method), and the server answers it with \(response.status)")
    } else if response.isSuccess {
      log.note(
        Self.info, "unlisted " + request.method, subject: response.connection, at: evidence, severity: .warning,
        message: "Public does not list \(request.method), and the server carries it out")
    }
  }
}
