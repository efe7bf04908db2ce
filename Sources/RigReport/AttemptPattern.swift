/// A regularity in which attempts failed: it tells a cold start from a leak, and both from chance.
public enum AttemptPattern: Hashable, Sendable {
  /// Only the first attempt failed.
  case firstOnly
  /// All attempts up to this one failed, and none after it.
  case until(Int)
  /// All attempts after this one failed, and none before.
  case after(Int)
  /// Each attempt with this period failed, from `first` on, and no other.
  case every(Int, first: Int)

  /// - Parameter failed: by attempt, in order; `nil`: the attempt proved nothing of the subject, and fits any pattern.
  /// - Returns: the pattern that all attempts obey; `nil` where there is none, or where chance would often look like it.
  public static func find(_ failed: [Bool?]) -> AttemptPattern? {
    let failures = failed.indices.filter { failed[$0] == true }
    let passes = failed.indices.filter { failed[$0] == false }
    guard let first = failures.first, let last = failures.last, let firstPass = passes.first, let lastPass = passes.last
    else { return nil }
    if failures == [0], passes.count >= 2 { return .firstOnly }
    if last < firstPass, failures.count >= 2, passes.count >= 2 { return .until(last + 1) }
    if lastPass < first, failures.count >= 2, passes.count >= 2 { return .after(first) }
    // Two failures have a distance, and no period.
    guard failures.count >= 3 else { return nil }
    let period = zip(failures.dropFirst(), failures).map { $0 - $1 }.min() ?? 0
    guard period >= 2, first < period else { return nil }
    let isEvery = failed.indices.allSatisfy { index in
      let isDue = index >= first && (index - first) % period == 0
      return failed[index] == nil || failed[index] == isDue
    }
    return isEvery ? .every(period, first: first + 1) : nil
  }

  /// `every 7th attempt failed`, `attempt 3 and then every 7th failed`
  public var text: String {
    switch self {
    case .firstOnly: "only the first attempt failed"
    case .until(let last): "attempts 1 to \(last) failed, and none after"
    case .after(let last): "every attempt after attempt \(last) failed"
    case .every(let period, let first) where first == period: "every \(AttemptPattern.ordinal(period)) attempt failed"
    case .every(let period, let first):
      "every \(AttemptPattern.ordinal(period)) attempt failed, beginning with attempt \(first)"
    }
  }

  static func ordinal(_ n: Int) -> String {
    switch (n % 10, n % 100) {
    case (_, 11...13): "\(n)th"
    case (1, _): "\(n)st"
    case (2, _): "\(n)nd"
    case (3, _): "\(n)rd"
    default: "\(n)th"
    }
  }
}
