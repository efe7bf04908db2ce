public import RigModel

/// `media.quality-factor`: not of one capture, but of a matrix of runs at the device's default bit rate.
public enum QualityFactorCheck {
  public static let info = CheckInfo(
    id: "media.quality-factor",
    rule: "At the default bit rate, mean bytes per frame never rise with the quality factor.",
    reference: "qualityFactor", severity: .policy)

  /// What one run measured.
  public struct Row: Hashable, Sendable {
    public var factor: Int
    /// Payload bytes per picture, the mean over the run.
    public var meanBytesPerFrame: Double
    public init(factor: Int, meanBytesPerFrame: Double) {
      self.factor = factor
      self.meanBytesPerFrame = meanBytesPerFrame
    }
  }

  /// One finding for each factor whose mean is above that of the next lower factor.
  /// - Parameters:
  ///   - rows: in any order; several runs of one factor count by their mean, rows that are no number not at all.
  ///   - tolerance: the share by which a mean may rise and is not named.
  public static func judge(_ rows: [Row], tolerance: Double = 0) -> [Finding] {
    var means: [Int: (sum: Double, count: Int)] = [:]
    for row in rows where row.meanBytesPerFrame.isFinite && row.meanBytesPerFrame >= 0 {
      let before = means[row.factor] ?? (0, 0)
      means[row.factor] = (before.sum + row.meanBytesPerFrame, before.count + 1)
    }
    let steps = means.map { (factor: $0.key, mean: $0.value.sum / Double($0.value.count)) }
      .sorted { $0.factor < $1.factor }
    return zip(steps, steps.dropFirst()).compactMap { lower, higher in
      guard higher.mean > lower.mean * (1 + max(0, tolerance)) else { return nil }
      return Finding(
        check: info.id, severity: info.severity,
        message:
          "\(Decimal3(higher.mean)) bytes a frame at factor \(higher.factor), and \(Decimal3(lower.mean)) "
          + "at factor \(lower.factor)"
      )
    }
  }
}
