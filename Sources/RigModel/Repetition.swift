/// How often a case is run: `repeat: {times: 20}` or `repeat: {for: 30 min}`.
public struct Repetition: Hashable, Sendable {
  public enum Length: Hashable, Sendable {
    case times(Int)
    /// No attempt begins later than this after the first one began.
    case duration(Duration)
  }

  public var length: Length
  /// The first failed attempt is the last one.
  public var endsAtFailure: Bool

  public init(_ length: Length, endsAtFailure: Bool = false) {
    self.length = length
    self.endsAtFailure = endsAtFailure
  }

  /// How many attempts there are at most; `nil`: time tells.
  public var times: Int? { if case .times(let n) = length { n } else { nil } }

  /// `20 times`, `for 30 min, until one fails`
  public var text: String {
    let base =
      switch length {
      case .times(let n): "\(n) times"
      case .duration(let d): "for \(d.text)"
      }
    return endsAtFailure ? "\(base), until one fails" : base
  }
}
