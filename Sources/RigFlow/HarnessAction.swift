/// What the harness does, as it stands in the timeline: checks and proofs read these words.
public enum HarnessAction {
  public static let start = "start"
  public static let stop = "stop"
  public static let stopAsCleanUp = "stop as clean-up"
  public static let closeMedia = "close media"
  public static let join = "join"
  private static let openPrefix = "open "

  public static func open(_ url: String) -> String { openPrefix + url }
  /// The URL that an `open` action opened; `nil` for other actions.
  public static func opened(_ action: String) -> String? {
    action.hasPrefix(openPrefix) ? String(action.dropFirst(openPrefix.count)) : nil
  }
}
