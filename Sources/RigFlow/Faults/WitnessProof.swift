import RigModel

/// Proofs that rest on what capture and decoder measured.
struct WitnessProof: Sendable {
  private let request: FaultRequest
  private let definition: FaultDefinition
  /// The method of the last answer that asked for credentials.
  private var challenged: String?
  /// The player saw the media end, and nobody had asked for it.
  var mediaEndedEarly = false

  init(_ request: FaultRequest, _ definition: FaultDefinition) {
    self.request = request
    self.definition = definition
  }

  /// - Returns: the proof, once the fact completes it.
  mutating func see(_ fact: Fact) -> String? {
    switch (definition.proof, fact.kind) {
    case (.exchange(let kind), .rtspExchange): isProven(kind, fact.data) ? fact.detail : nil
    case (.stream(let kind), .streamMeasured): isProven(kind, fact.data) ? fact.detail : nil
    case (.pictures(let kind), .picturesMeasured): isProven(kind, fact.data) ? fact.detail : nil
    default: nil
    }
  }

  private func integer(_ name: String) -> Int64? {
    switch definition.argument(name, of: request) {
    case .integer(let value)?: value
    case .bitRate(let rate)?: rate.bitsPerSecond
    default: nil
    }
  }

  private mutating func isProven(_ kind: FaultProof.ExchangeKind, _ data: JSONValue) -> Bool {
    let method = data["method"]?.string
    let status = data["status"]?.integer
    var isAsked = true
    if case .text(let wanted)? = definition.argument("method", of: request) { isAsked = method == wanted }
    switch kind {
    case .status: return isAsked && status != nil && status == integer("code")
    case .unanswered:
      // What never reached the server proves nothing of how it treats requests.
      return isAsked && status == nil && data["closed-by"]?.string != "server" && data["excused"]?.bool != true
    case .closed: return isAsked && status == nil && data["closed-by"]?.string == "server"
    case .cut: return isAsked && data["cut"]?.bool == true
    case .timeout: return data["timeout"]?.integer != nil && data["timeout"]?.integer == integer("seconds")
    case .body:
      guard let size = data["body"]?.integer, let wanted = integer("bytes") else { return false }
      return wanted > 0 && size >= wanted
    case .challenge, .stale:
      if status == 401, data["digest"]?.bool == true, kind == .challenge || data["stale"]?.bool == true {
        challenged = method
      }
      return challenged != nil && data["authorized"]?.bool == true && (200..<300).contains(status ?? 0)
    }
  }

  private func isProven(_ kind: FaultProof.StreamKind, _ data: JSONValue) -> Bool {
    switch kind {
    case .padding: return (data["padded"]?.integer ?? 0) > 0
    case .earlyBye: return mediaEndedEarly && data["bye-lead"]?.double != nil
    case .bitRate:
      guard data["video"]?.bool == true, let rate = data["bit-rate"]?.double, let asked = integer("to") else {
        return false
      }
      return rate > 0 && rate <= Double(asked) * 1.5
    }
  }

  private func isProven(_ kind: FaultProof.PictureKind, _ data: JSONValue) -> Bool {
    guard let frames = data["frames"]?.integer, frames >= 10 else { return false }
    func isMost(_ name: String) -> Bool { (data[name]?.integer ?? 0) >= frames - frames / 10 }
    switch kind {
    case .black: return isMost("black")
    case .frozen: return isMost("still")
    case .rate:
      guard let rate = data["frame-rate"]?.double, let asked = integer("to") else { return false }
      return rate > 0 && rate <= Double(asked) * 1.5
    }
  }
}
