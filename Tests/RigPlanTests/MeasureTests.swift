import RigModel
import Testing

@testable import RigPlan

@Suite struct MeasureTests {
  @Test func limitsAreReadInTheUnitOfTheMeasurement() throws {
    let reading = Sample.read(
      Sample.plan(
        """
        measure:
          time-to-active: {max: 8 s, marginal: 6500 ms}
          rtp.loss: {max: 0.1 %}
          rtp.jitter: {p95: 15 ms, p99: 0.02 s}
          video.frame-rate: {min: 14 fps}
          video.decode-errors: {max: 0}
          video.bitrate: {min: 1 Mbit/s, max: 4500 kbit/s}
          av.offset: {min: -125 ms, max: 45 ms}

        """))
    #expect(reading.diagnostics.map(\.description) == [])
    let limits = try #require(reading.plan).plan.measure
    #expect(limits.map(\.measurement).first == "time-to-active")
    #expect(limits[0].demands == [.init(.max, .init(8, "8 s"))])
    #expect(limits[0].marginal == .init(6.5, "6500 ms"))
    #expect(limits[0].position == SourcePosition(file: "p.yaml", line: 6, column: 3))
    #expect(limits[1].demands == [.init(.max, .init(0.1, "0.1 %"))])
    #expect(limits[2].demands == [.init(.p95, .init(15, "15 ms")), .init(.p99, .init(20, "0.02 s"))])
    #expect(limits[4].demands == [.init(.max, .init(0, "0"))])
    #expect(limits[5].demands.map(\.value.number) == [1e6, 4.5e6])
    #expect(limits[6].demands.map(\.value.number) == [-125, 45])
  }

  struct Wrong: Sendable {
    let text: String
    let error: String
    init(_ text: String, _ error: String) {
      self.text = text
      self.error = error
    }
  }

  @Test(arguments: [
    Wrong("measure: 5 s", "5:10: measure: is \"5 s\", expected a mapping of measurements"),
    Wrong(
      "measure: {rtp.los: {max: 1 %}}",
      "5:11: measure.rtp.los: is not a measurement, expected one of time-to-active, time-to-key-frame, "
        + "video.frame-rate, video.frames, video.decode-errors, video.lost-counters, video.bitrate, audio.bitrate, "
        + "video.gop, video.key-interval, rtp.longest-burst, rtp.duplicates, rtp.reordered, rtp.late, rtp.loss, "
        + "rtp.jitter and 1 more; did you mean \"rtp.loss\"?"),
    Wrong("measure: {rtp.loss: 1 %}", "5:21: measure.rtp.loss: is text, expected a mapping such as {max: 8 %}"),
    Wrong(
      "measure: {rtp.loss: {}}",
      "5:21: measure.rtp.loss: limits nothing, expected at least one of min, max"),
    Wrong(
      "measure: {rtp.loss: {marginal: 1 %}}",
      "5:21: measure.rtp.loss: limits nothing, expected at least one of min, max"),
    Wrong(
      "measure: {rtp.loss: {p95: 1 %}}",
      "5:22: measure.rtp.loss.p95: is a percentile, and rtp.loss is one number in a case, "
        + "expected one of min, max, marginal"),
    Wrong(
      "measure: {rtp.jitter: {p96: 1 ms}}",
      "5:24: measure.rtp.jitter.p96: is an unknown key, expected one of min, max, p50, p90, p95, p99, marginal; "
        + "did you mean \"p90\"?"),
    Wrong(
      "measure: {rtp.loss: {max: 1 ms}}",
      "5:27: measure.rtp.loss.max: unknown unit \"ms\", expected %, such as 8 %"),
    Wrong(
      "measure: {time-to-active: {max: 8}}",
      "5:33: measure.time-to-active.max: \"8\" needs a unit, expected ms, s or min, such as 8 s"),
    Wrong(
      "measure: {time-to-active: {max: soon}}",
      "5:33: measure.time-to-active.max: \"soon\" is not a limit of time-to-active, "
        + "expected a number with a unit, ms, s or min, such as 8 s"),
    Wrong(
      "measure: {time-to-active: {max: -1 s}}",
      "5:33: measure.time-to-active.max: \"-1 s\" is not a limit of time-to-active, "
        + "expected a number with a unit, ms, s or min, such as 8 s"),
    Wrong(
      "measure: {rtp.loss: {max: 101 %}}",
      "5:27: measure.rtp.loss.max: \"101 %\" is more than the whole, expected 0 % to 100 %"),
    Wrong(
      "measure: {rtp.loss: {min: 2 %, max: 1 %}}",
      "5:21: measure.rtp.loss: has min 2 % above max 1 %, expected min below max"),
    Wrong(
      "measure: {rtp.loss: {max: 1 %, marginal: 2 %}}",
      "5:42: measure.rtp.loss.marginal: 2 % is not inside max 1 %, expected less than the limit"),
    Wrong(
      "measure: {video.frame-rate: {min: 14 fps, marginal: 14 fps}}",
      "5:53: measure.video.frame-rate.marginal: 14 fps is not inside min 14 fps, expected more than the limit"),
    Wrong(
      "measure: {rtp.jitter: {p95: 2 ms, max: 3 ms, marginal: 1 ms}}",
      "5:56: measure.rtp.jitter.marginal: belongs to one limit, and 2 stand beside it, "
        + "expected one limit with marginal"),
  ])
  func whatIsWrongIsSaidWithItsPlace(_ wrong: Wrong) {
    let errors = Sample.errors(wrong.text + "\n")
    #expect(errors.count == 1)
    #expect(errors.first?.hasPrefix("p.yaml:\(wrong.error)") == true, "\(errors)")
  }
}
