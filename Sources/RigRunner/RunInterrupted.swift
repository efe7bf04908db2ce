/// The run was interrupted: what was under way for the sake of its next case was given up.
public struct RunInterrupted: Error, CustomStringConvertible {
  public let description: String
  /// - Parameter done: what was done until then.
  public init(after done: [String] = []) {
    description = (done + ["no further: the run was interrupted"]).joined(separator: "; ")
  }
}
