/// One line of the conformance script: a numbered step and its outcome.
public struct ConformanceLine: Hashable, Sendable, CustomStringConvertible {
  public enum Outcome: Hashable, Sendable {
    case ok
    /// What came instead.
    case notOK(String)
    /// Why the step cannot be held with this device, or over this channel.
    case skipped(String)
  }

  public var number: Int
  /// The rule; the same for every device and channel.
  public var title: String
  public var outcome: Outcome

  /// `ok 3 hello: …`, `not ok 3 hello: …: what came`, `skipped 3 hello: …: why`
  public var description: String {
    switch outcome {
    case .ok: "ok \(number) \(title)"
    case .notOK(let what): "not ok \(number) \(title): \(what)"
    case .skipped(let why): "skipped \(number) \(title): \(why)"
    }
  }
}
