/// How to look at what a check found: for `streamrig check --explain`.
public struct CheckGuide: Hashable, Sendable {
  /// What makes the check speak, in one or two sentences.
  public var trips: String
  /// A display filter of Wireshark that shows the packets in question; empty where no packet does.
  public var displayFilter: String

  init(_ trips: String, _ displayFilter: String) {
    self.trips = trips
    self.displayFilter = displayFilter
  }

  /// The guide to a check on captured packets; `nil` for other ids.
  public static func page(_ id: String) -> CheckGuide? {
    dialogue[id] ?? description[id] ?? session[id] ?? stream[id] ?? payload[id]
  }
}
