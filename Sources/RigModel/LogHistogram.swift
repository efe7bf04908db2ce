/// Percentiles of any number of samples in bounded memory.
///
/// Each power of two is cut into 64 buckets of one width, so that a percentile is off by at most 1/128 (0.8 %) of its
/// value. The least and the greatest sample are exact. Samples outside 1e-9 … 8e9 are counted in the outermost buckets.
/// At most 33 KB, of which only the powers of two that were met are taken.
public struct LogHistogram: Hashable, Sendable {
  /// The greatest relative error of a percentile.
  public static let error = 1.0 / 128

  private static let exponents = -30...32
  private static let steps = 64

  /// One row of counts for each power of two; empty where no sample fell.
  private var rows = [[UInt64]](repeating: [], count: exponents.count)
  /// Samples of zero and below.
  private var zeros: UInt64 = 0
  public private(set) var count: UInt64 = 0
  public private(set) var minimum = Double.infinity
  public private(set) var maximum = -Double.infinity

  public init() {}

  /// Takes a sample; one that is no number counts for nothing.
  public mutating func add(_ sample: Double) {
    guard sample.isFinite else { return }
    count &+= 1
    minimum = Swift.min(minimum, sample)
    maximum = Swift.max(maximum, sample)
    guard sample > 0 else {
      zeros &+= 1
      return
    }
    var row = Int(sample.exponent)
    var step = Int((sample.significand - 1) * Double(Self.steps))
    if row < Self.exponents.lowerBound { (row, step) = (Self.exponents.lowerBound, 0) }
    if row > Self.exponents.upperBound { (row, step) = (Self.exponents.upperBound, Self.steps - 1) }
    row -= Self.exponents.lowerBound
    if rows[row].isEmpty { rows[row] = [UInt64](repeating: 0, count: Self.steps) }
    rows[row][Swift.min(step, Self.steps - 1)] &+= 1
  }

  /// Takes all samples of another histogram.
  public mutating func merge(_ other: LogHistogram) {
    count &+= other.count
    zeros &+= other.zeros
    minimum = Swift.min(minimum, other.minimum)
    maximum = Swift.max(maximum, other.maximum)
    for (row, counts) in other.rows.enumerated() where !counts.isEmpty {
      if rows[row].isEmpty {
        rows[row] = counts
      } else {
        for step in counts.indices { rows[row][step] &+= counts[step] }
      }
    }
  }

  /// The smallest value that at least `percent` of the samples do not exceed (nearest rank); `nil` without samples.
  public func percentile(_ percent: Double) -> Double? {
    guard count > 0 else { return nil }
    let share = Swift.min(Swift.max(percent, 0), 100) / 100
    let rank = Swift.max(1, UInt64((Double(count) * share).rounded(.up)))
    if rank >= count { return maximum }
    // What is zero or below is not told apart.
    if rank <= zeros { return Swift.min(0, maximum) }
    var seen = zeros
    for (row, counts) in rows.enumerated() where !counts.isEmpty {
      for (step, n) in counts.enumerated() where n > 0 {
        seen &+= n
        guard seen >= rank else { continue }
        let middle = 1 + (Double(step) + 0.5) / Double(Self.steps)
        let value = Double(sign: .plus, exponent: row + Self.exponents.lowerBound, significand: middle)
        return Swift.min(Swift.max(value, minimum), maximum)
      }
    }
    return maximum
  }

  /// The samples in a few numbers; `nil` without samples.
  public var distribution: Distribution? {
    guard let p50 = percentile(50), let p90 = percentile(90), let p95 = percentile(95), let p99 = percentile(99) else {
      return nil
    }
    return Distribution(
      samples: Int64(clamping: count), minimum: minimum, p50: p50, p90: p90, p95: p95, p99: p99, maximum: maximum)
  }
}

/// Many samples in a few numbers, in the unit of their measurement.
public struct Distribution: Hashable, Sendable {
  public var samples: Int64
  public var minimum: Double
  public var p50: Double
  public var p90: Double
  public var p95: Double
  public var p99: Double
  public var maximum: Double

  public init(
    samples: Int64, minimum: Double, p50: Double, p90: Double, p95: Double, p99: Double, maximum: Double
  ) {
    self.samples = samples
    self.minimum = minimum
    self.p50 = p50
    self.p90 = p90
    self.p95 = p95
    self.p99 = p99
    self.maximum = maximum
  }
}
