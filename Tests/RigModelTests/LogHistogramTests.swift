import RigModel
import Testing

@Suite struct LogHistogramTests {
  /// A sequence without a pattern that a bucket could hide.
  private func samples(_ n: Int, seed: UInt64) -> [Double] {
    var state = seed
    return (0..<n).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let unit = Double(state >> 11) / Double(1 << 53)
      return 0.001 + unit * unit * unit * 500
    }
  }

  @Test(arguments: [1, 2, 3, 10, 99, 100, 101, 5000]) func percentilesAreWithinTheErrorThatIsPromised(_ n: Int) {
    let values = samples(n, seed: UInt64(n))
    var histogram = LogHistogram()
    for value in values { histogram.add(value) }
    let sorted = values.sorted()
    for percent in [0, 1, 50, 90, 95, 99, 100] as [Double] {
      let rank = max(1, Int((Double(n) * percent / 100).rounded(.up)))
      let exact = sorted[rank - 1]
      let found = histogram.percentile(percent) ?? -1
      #expect(abs(found - exact) <= exact * LogHistogram.error, "p\(percent) of \(n): \(found), exact \(exact)")
    }
    #expect(histogram.minimum == sorted.first)
    #expect(histogram.maximum == sorted.last)
  }

  @Test func twoHalvesAreTheWhole() {
    let values = samples(1000, seed: 3)
    var whole = LogHistogram()
    var left = LogHistogram()
    var right = LogHistogram()
    for (i, value) in values.enumerated() {
      whole.add(value)
      if i % 3 == 0 { left.add(value) } else { right.add(value) }
    }
    left.merge(right)
    #expect(left == whole)
  }

  @Test func valuesThatNobodyExpects() {
    var histogram = LogHistogram()
    #expect(histogram.distribution == nil)
    for value in [.nan, .infinity, -.infinity] as [Double] { histogram.add(value) }
    #expect(histogram.count == 0)
    for value in [0, -3, 1e-300, 1e300, .leastNonzeroMagnitude, 5] as [Double] { histogram.add(value) }
    let distribution = histogram.distribution
    #expect(distribution?.samples == 6)
    #expect(distribution?.minimum == -3)
    #expect(distribution?.maximum == 1e300)
    #expect(histogram.percentile(34).map { $0 >= -3 && $0 <= 0.001 } == true)
  }
}
