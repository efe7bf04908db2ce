/// A time in a session: `running + 5 s`.
public struct Moment: Hashable, Sendable, CustomStringConvertible {
  public enum Anchor: Hashable, Sendable, CustomStringConvertible {
    /// The stage begins.
    case stage(StageID)
    /// The session opens the gate.
    case gate(Gate)
    public var description: String {
      switch self {
      case .stage(let stage): stage.rawValue
      case .gate(let gate): gate.rawValue
      }
    }
  }

  public var anchor: Anchor
  public var offset: Duration

  public init(_ anchor: Anchor, offset: Duration = .zero) {
    self.anchor = anchor
    self.offset = offset
  }

  public var description: String { offset == .zero ? "\(anchor)" : "\(anchor) + \(offset.text)" }
}
