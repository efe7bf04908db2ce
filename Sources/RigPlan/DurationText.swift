/// A duration as plans and command lines write it: `3 s`, `250 ms`, `30 min`, `24 h`.
public enum DurationText {
  /// A duration above zero; `nil`: the text is none.
  public static func read(_ text: String) -> Duration? {
    guard case .success(let read) = QuantityReader.duration(text, positive: true),
      case .duration(let duration) = read.value
    else { return nil }
    return duration
  }
}
