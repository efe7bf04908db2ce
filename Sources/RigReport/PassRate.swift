/// How many attempts passed, and between which bounds the true rate probably lies.
public struct PassRate: Hashable, Sendable {
  public let passed: Int
  /// Attempts with a verdict of pass or fail; others prove nothing about the subject.
  public let judged: Int

  public init(passed: Int, judged: Int) {
    self.passed = passed
    self.judged = judged
  }

  /// 0 to 1.
  public var rate: Double { judged > 0 ? Double(passed) / Double(judged) : 0 }

  /// The Wilson score interval, 95 %: it holds for few attempts and for rates near 0 and 1 as well. `nil` without
  /// attempts.
  public var interval: ClosedRange<Double>? {
    guard judged > 0 else { return nil }
    // The 97.5 % quantile of the normal distribution.
    let z = 1.959_963_984_540_054
    let n = Double(judged)
    let middle = rate + z * z / (2 * n)
    let spread = z * (rate * (1 - rate) / n + z * z / (4 * n * n)).squareRoot()
    let scale = 1 + z * z / n
    let low = passed == 0 ? 0 : max(0, (middle - spread) / scale)
    return low...max(low, passed == judged ? 1 : min(1, (middle + spread) / scale))
  }

  /// `172 of 200 attempts passed (86 %, 95 % interval 80.5 % to 90.1 %)`
  public var text: String {
    guard let interval else { return "no attempt was judged" }
    return "\(passed) of \(judged) attempts passed (\(PassRate.percent(rate)), 95 % interval "
      + "\(PassRate.percent(interval.lowerBound)) to \(PassRate.percent(interval.upperBound)))"
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
