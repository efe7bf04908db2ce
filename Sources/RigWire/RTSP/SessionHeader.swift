import RigBytes

/// `Session: 4455;timeout=10` (RFC 2326 12.37).
public struct SessionHeader: Hashable, Sendable {
  public var id: String
  /// Seconds; `nil` where not stated: the RFC's default is 60.
  public var timeout: Int?
  public var deviations: [RTSPDeviation]

  public init(id: String, timeout: Int? = nil) {
    self.id = id
    self.timeout = timeout
    self.deviations = []
  }

  public init(parsing value: String) {
    var parts = ASCII.split(value, on: ";").map { ASCII.trimmed($0) }
    self.init(id: parts.removeFirst())
    if id.isEmpty { deviations.append(RTSPDeviation(.badElement, value)) }
    for part in parts {
      let (name, text) = ASCII.cut(part, at: "=")
      if ASCII.equal(ASCII.trimmed(name), "timeout"),
        let seconds = text.flatMap({ ASCII.decimal(ASCII.trimmed($0), limit: 1 << 31) })
      {
        timeout = Int(seconds)
      } else {
        deviations.append(RTSPDeviation(part.isEmpty ? .trailingSeparator : .badElement, part))
      }
    }
  }

  /// Seconds after which a silent session expires.
  public var effectiveTimeout: Int { timeout ?? 60 }
  public var text: String { timeout.map { "\(id);timeout=\($0)" } ?? id }
}
