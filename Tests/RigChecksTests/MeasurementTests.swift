import RigChecks
import RigModel
import Testing

/// Names and units under which numbers of a capture are reported.
@Suite struct MeasurementTests {
  private func camera(edit: (Int, ScriptedCamera.Packet) -> [ScriptedCamera.Packet]) -> AnalysisResult {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(100, gop: 25, edit: edit)
    return camera.script.analyze()
  }

  private func table(_ list: [Measurement]) -> [String: Measurement] {
    Dictionary(list.map { ($0.name, $0) }) { first, _ in first }
  }

  @Test func wholeCaptureAndStream() throws {
    let result = camera { (20..<24).contains($0) ? [] : $0 == 60 ? [$1, $1] : [$1] }
    let stream = try #require(result.streams.first)
    let found = table(result.measurements(naming: .codec))
    let loss = 100 * Double(4) / Double(stream.expected)
    for name in ["rtp.loss", "rtp.h264.loss"] {
      #expect(abs(try #require(found[name]?.value) - loss) < 1e-9)
      #expect(found[name]?.unit == "%")
    }
    #expect(found["rtp.longest-burst"] == Measurement("rtp.longest-burst", 4, "packets"))
    #expect(found["rtp.duplicates"] == Measurement("rtp.duplicates", 1, "packets"))
    #expect(found["rtp.jitter"]?.value == stream.jitter * 1000)
    #expect(found["rtp.jitter"]?.distribution?.samples == stream.packets - 1)
    #expect(found["rtp.jitter"]?.distribution?.maximum == stream.maxJitter * 1000)
    #expect(found["video.gop"] == Measurement("video.gop", 25, "frames"))
    #expect(found["video.bitrate"]?.value == stream.bitRate)
    #expect(found["video.frame-rate"]?.unit == "fps")
    #expect(found["audio.bitrate"] == nil)
    #expect(found["av.offset"] == nil)
  }

  @Test func aCaptureOfBothHasTheirOffset() throws {
    let result = analyzeCapture(try Fixture.bytes("gst_av_udp"), context: AnalysisContext(captureDropped: 0)).result
    let found = table(result.measurements(naming: .ssrc))
    #expect(found["av.offset"]?.unit == "ms")
    #expect(found["audio.bitrate"] != nil)
    for stream in result.streams {
      let name =
        String(repeating: "0", count: 8 - String(stream.ssrc, radix: 16).count) + String(stream.ssrc, radix: 16)
      #expect(found["rtp.\(name).packets"]?.value == Double(stream.packets))
    }
  }

  @Test func namesAreUniqueAndCleanWhateverTheWireSays() {
    var result = camera { [$1] }
    var stream = result.streams[0]
    stream.codec = "H\u{1b}[2J<\u{e9}>1 " + String(repeating: "x", count: 9000)
    result.streams = Array(repeating: stream, count: 40)
    let names = result.measurements(naming: .codec).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.count < 300)
    for name in names {
      #expect(name.utf8.count < 64)
      #expect(name.utf8.allSatisfy { $0 > 0x2c && $0 < 0x7b && $0 != 0x3c && $0 != 0x3e })
    }
  }

  @Test func withoutAStreamThereIsNothingToMeasure() {
    #expect(analyzeCapture([]).result.measurements(naming: .codec).isEmpty)
  }

  @Test func dropsMakeCountsInconclusive() {
    var camera = ScriptedCamera(tcp: true)
    camera.start()
    camera.video(50)
    let clean = camera.script.analyze(AnalysisContext(captureDropped: 0))
    #expect(clean.inconclusive.isEmpty)
    let dropped = camera.script.analyze(AnalysisContext(captureDropped: 1))
    #expect(dropped.inconclusive["rtp"]?.contains("dropped by the capture: 1") == true)
  }
}
