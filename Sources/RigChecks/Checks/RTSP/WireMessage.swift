import RigModel
import RigWire

/// The common part of a request and a response event.
struct WireMessage {
  var connection: Int
  var message: RTSPMessage
  var deviations: [RTSPDeviation]
  var place: WirePlace
  /// `the OPTIONS request`, `the response to PLAY`.
  var name: String

  init?(_ event: WireEvent) {
    switch event {
    case .request(let request):
      connection = request.connection
      message = request.message
      deviations = request.deviations
      place = request.place
      name = "the \(request.method) request"
    case .response(let response):
      connection = response.connection
      message = response.message
      deviations = response.deviations
      place = response.place
      name = response.request.map { "the response to \($0.method)" } ?? "a response"
    default: return nil
    }
  }

  var evidence: Evidence {
    place.evidence(sequence: message.cseq.map { Int64($0) }, excerpt: message.startLine)
  }
}
