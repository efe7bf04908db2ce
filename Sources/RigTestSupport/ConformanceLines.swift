/// The lines that `streamrig conform` prints for a device that conforms: over every channel the same, but for the
/// differences that `Tests/conformance` names.
public struct ConformanceLines: Sendable {
  private let titles: [String]
  /// By channel, then by the number of the step: why it is skipped there.
  private var reasons: [Substring: [Substring: Substring]] = [:]

  /// - Parameters:
  ///   - steps: the text of `Tests/conformance/steps`: a number and a title a line.
  ///   - differences: that of `Tests/conformance/differences`: channel, number and reason a line; `#` begins a comment.
  public init(steps: String, differences: String) {
    titles = steps.split(separator: "\n").map(String.init)
    for line in differences.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3 else { continue }
      reasons[words[0], default: [:]][words[1]] = words[2].drop { $0 == " " }
    }
  }

  public func expected(over channel: String) -> [String] {
    titles.map { title in
      let number = title.prefix { $0 != " " }
      return reasons[channel[...]]?[number].map { "skipped \(title): \($0)" } ?? "ok \(title)"
    }
  }
}
