import RigChecks
import RigFlow
import RigModel
import Testing

@Suite struct MeasureRuleTests {
  private static let spread = Distribution(
    samples: 900, minimum: 1, p50: 3, p90: 8, p95: 12, p99: 20, maximum: 40)

  private func judge(
    _ limit: MeasureLimit, _ measurements: [Measurement], lag: Duration? = nil, missing: String? = nil
  ) -> MeasureRecord? {
    MeasureRule(measurements, lag: lag) { _ in missing }.judge([limit]).first
  }

  @Test func theValueTheLimitAndTheSourceAreSaid() {
    let limit = MeasureLimit("rtp.loss", [.init(.max, .init(0.1, "0.1 %"))])
    let over = judge(limit, [Measurement("rtp.loss", 0.25, "%")])
    #expect(over?.outcome == .exceeded)
    #expect(over?.reason == "rtp.loss is 0.25 %, limit max 0.1 % (source: capture)")
    #expect(over?.stage == .running)
    // At the limit is inside it.
    #expect(judge(limit, [Measurement("rtp.loss", 0.1, "%")])?.outcome == .met)
  }

  @Test func theMarginalBandWarns() {
    let most = MeasureLimit("time-to-active", [.init(.max, .init(8, "8 s"))], marginal: .init(6, "6 s"))
    #expect(judge(most, [Measurement("time-to-active", 6, "s")])?.outcome == .met)
    let near = judge(most, [Measurement("time-to-active", 7.2, "s")])
    #expect(near?.outcome == .marginal)
    #expect(near?.reason == "time-to-active is 7.2 s, limit max 8 s (source: stage times); marginal from 6 s")
    #expect(judge(most, [Measurement("time-to-active", 8.001, "s")])?.outcome == .exceeded)
    let least = MeasureLimit("video.frame-rate", [.init(.min, .init(14, "14 fps"))], marginal: .init(20, "20 fps"))
    #expect(judge(least, [Measurement("video.frame-rate", 25, "fps")])?.outcome == .met)
    #expect(judge(least, [Measurement("video.frame-rate", 19, "fps")])?.outcome == .marginal)
    #expect(judge(least, [Measurement("video.frame-rate", 13.9, "fps")])?.outcome == .exceeded)
  }

  @Test(arguments: zip([MeasureLimit.Bound.p50, .p90, .p95, .p99, .max], [3, 8, 12, 20, 40] as [Double]))
  func percentilesAreOfTheSamples(_ bound: MeasureLimit.Bound, _ value: Double) {
    let measured = [Measurement("rtp.jitter", 40, "ms", distribution: Self.spread)]
    let met = judge(MeasureLimit("rtp.jitter", [.init(bound, .init(value, ""))]), measured)
    #expect(met?.outcome == .met)
    let over = judge(MeasureLimit("rtp.jitter", [.init(bound, .init(value - 0.5, ""))]), measured)
    #expect(over?.outcome == .exceeded)
    #expect(over?.reason.contains("over 900 samples") == true)
  }

  @Test func whatWasNotMeasuredIsNeverMet() {
    let limit = MeasureLimit("rtp.loss", [.init(.max, .init(100, "100 %"))])
    #expect(judge(limit, [])?.outcome == .notMade)
    let blocked = judge(limit, [Measurement("rtp.loss", 0, "%")], missing: "the capture dropped 3 packets")
    #expect(blocked?.outcome == .notMade)
    #expect(blocked?.reason == "rtp.loss was not measured: the capture dropped 3 packets (limit: max 100 %)")
    #expect(judge(limit, [Measurement("rtp.loss", .nan, "%")])?.outcome == .notMade)
    let single = MeasureLimit("rtp.jitter", [.init(.p95, .init(9, "9 ms"))])
    #expect(judge(single, [Measurement("rtp.jitter", 1, "ms")])?.outcome == .notMade)
  }

  @Test func whatTheHarnessItselfMayHaveAddedIsNotEstablished() {
    let limit = MeasureLimit("time-to-active", [.init(.max, .init(8, "8 s"))])
    let measured = [Measurement("time-to-active", 8.1, "s")]
    #expect(judge(limit, measured, lag: .milliseconds(50))?.outcome == .exceeded)
    #expect(judge(limit, measured, lag: .milliseconds(200))?.outcome == .notMade)
  }

  // MARK: The verdict

  private func rule(
    _ outcome: MeasureRecord.Outcome, failed: FailurePoint? = nil, failure: Session.Failure? = nil
  ) -> Judge.Ruling {
    let measure = MeasureRecord(
      measurement: "rtp.loss", limit: "max 1 %", value: "2 %", outcome: outcome, source: "capture", reason: "because",
      stage: .running)
    return Judge.rule(
      Judge.Evidence(
        expectation: Expectation(failed: failed), flow: .rtspHotspot, failure: failure, measures: [measure]))
  }

  @Test func aLimitDecidesTheVerdict() {
    #expect(rule(.met).verdict == .pass)
    let warned = rule(.marginal)
    #expect(warned.verdict == .pass)
    #expect(warned.reason.hasSuffix("; marginal: because"))
    #expect(rule(.notMade).verdict == .inconclusive)
    let over = rule(.exceeded)
    #expect(over.verdict == .fail)
    #expect(over.failurePoint == FailurePoint(.running))
    #expect(over.reason == "failed at running: because")
  }

  @Test func aPlanMayExpectALimitToBeExceeded() {
    #expect(rule(.exceeded, failed: FailurePoint(.running)).verdict == .pass)
    #expect(rule(.met, failed: FailurePoint(.running)).verdict == .fail)
    let elsewhere = rule(.exceeded, failed: FailurePoint(.play))
    #expect(elsewhere.verdict == .fail)
  }

  @Test func anExpectedFailureElsewhereDoesNotExcuseIt() {
    let failure = JudgeTests.failure(FailurePoint(.play), .subject, doubt: nil)
    let ruling = rule(.exceeded, failed: FailurePoint(.play), failure: failure)
    #expect(ruling.verdict == .fail)
    #expect(ruling.failurePoint == FailurePoint(.running))
  }
}
