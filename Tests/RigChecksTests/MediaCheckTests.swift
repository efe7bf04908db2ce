import RigChecks
import RigModel
import Testing

@Suite struct MediaCheckTests {
  private func play(
    _ pictures: Int = 60, tcp: Bool = true, context: AnalysisContext = AnalysisContext(captureDropped: 0),
    gop: Int = 25, edit: (Int, ScriptedCamera.Packet) -> [ScriptedCamera.Packet]
  ) -> AnalysisResult {
    var camera = ScriptedCamera(tcp: tcp)
    camera.start()
    camera.video(pictures, gop: gop, edit: edit)
    return camera.script.analyze(context)
  }

  /// Changes packet `number` only.
  private func at(
    _ number: Int, _ change: @escaping (inout ScriptedCamera.Packet) -> Void
  ) -> (Int, ScriptedCamera.Packet) -> [ScriptedCamera.Packet] {
    { index, packet in
      var packet = packet
      if index == number { change(&packet) }
      return [packet]
    }
  }

  @Test func versionPaddingExtension() {
    // Padding longer than the packet, an extension beyond it, a wrong version.
    for first in [UInt8(0xa0), 0x90] {
      let found = play(
        edit: at(30) {
          $0.first = first; $0.payload = [0x41, 0xff, 0xff, 0xff, 0xff]
        }
      )
      .of(RTPHeaderCheck.self)
      #expect(found.map(\.severity) == [.error], "\(first)")
    }
    #expect(play(tcp: false, edit: at(30) { $0.first = 0x40 }).of(RTPHeaderCheck.self).map(\.severity) == [.error])
  }

  @Test func unknownPayloadType() {
    let found = play(edit: at(30) { $0.payloadType = 99 }).of(PayloadTypeCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.first.sequence == Int64(UInt16(65_530) &+ 30))
  }

  @Test func ssrcChange() {
    let result = play(edit: { index, packet in
      var packet = packet
      if index >= 30 { packet.ssrc = 0x3333_3333 }
      return [packet]
    })
    #expect(result.of(SSRCStableCheck.self).map(\.severity) == [.error])
    #expect(result.of(TransportSSRCCheck.self).isEmpty)
    #expect(result.streams.map(\.lost) == [0, 0])
  }

  @Test func loss() {
    let drop: (Int, ScriptedCamera.Packet) -> [ScriptedCamera.Packet] = { [30, 31, 50].contains($0) ? [] : [$1] }
    let proven = play(tcp: false, edit: drop)
    #expect(proven.streams.first?.lost == 3)
    let found = proven.of(SequenceCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.count == 2)
    #expect(proven.inconclusive["rtp"] == nil)

    // The writer of a capture file says at its end what it dropped.
    let statistics = play(tcp: false, context: AnalysisContext(captureDropped: 5), edit: drop)
    #expect(statistics.of(SequenceCheck.self).map(\.severity) == [.warning])

    let doubtful = play(tcp: false, context: AnalysisContext(), edit: drop)
    #expect(doubtful.of(SequenceCheck.self).map(\.severity) == [.warning])
    #expect(doubtful.inconclusive["rtp"] != nil)

    #expect(play(tcp: true, context: AnalysisContext(), edit: drop).of(SequenceCheck.self).map(\.severity) == [.error])
  }

  @Test func duplicateAndLate() {
    let twice = play(tcp: false, edit: { $0 == 30 ? [$1, $1] : [$1] })
    #expect(twice.of(SequenceCheck.self).map(\.severity) == [.warning])
    #expect(twice.streams.first?.duplicates == 1)
    #expect(twice.streams.first?.lost == 0)

    var held: [ScriptedCamera.Packet] = []
    let swapped = play(
      tcp: false,
      edit: { index, packet in
        if index == 30 {
          held = [packet]
          return []
        }
        defer { held = [] }
        return [packet] + held
      })
    let found = swapped.of(SequenceCheck.self)
    #expect(found.map(\.severity) == [.warning])
    #expect(swapped.streams.first?.reordered == 1)
    #expect(swapped.streams.first?.lost == 0)
  }

  @Test func restart() {
    let result = play(edit: { index, packet in
      var packet = packet
      if index >= 30 { packet.sequence &+= 20_000 }
      return [packet]
    })
    #expect(result.of(SequenceCheck.self).map(\.severity) == [.error])
    #expect(result.streams.first?.lost == 0)
    #expect(result.streams.first?.restarts == 1)
  }

  @Test func emptyPayload() {
    #expect(play(edit: at(30) { $0.payload = [] }).of(EmptyPayloadCheck.self).map(\.severity) == [.warning])
  }

  @Test func markers() {
    #expect(play(edit: at(10) { $0.marker = false }).of(H264MarkerCheck.self).map(\.severity) == [.error])
    // A marker on each NAL unit: on the aggregate before the key picture.
    #expect(play(edit: at(0) { $0.marker = true }).of(H264MarkerCheck.self).map(\.severity) == [.error])
  }

  @Test func fragments() {
    let both = play(edit: at(10) { $0.payload = [0x5c, 0xc1, 0x9a, 0x02] })
    #expect(both.of(H264FragmentCheck.self).map(\.severity) == [.error])
    // The second key picture begins with packet 28: 28 is the aggregate, 29 the first fragment.
    let noStart = play(edit: at(29) { $0.payload[1] = 0x05 })
    #expect(noStart.of(H264FragmentCheck.self).map(\.severity) == [.error])
    let noEnd = play(edit: at(31) { $0.payload[1] = 0x05 })
    #expect(noEnd.of(H264FragmentCheck.self).map(\.severity) == [.error])
    // A lost fragment is a loss and no bad fragment.
    #expect(play(edit: { $0 == 30 ? [] : [$1] }).of(H264FragmentCheck.self).isEmpty)
  }

  @Test func aggregates() {
    #expect(play(edit: at(28) { $0.payload[2] = 200 }).of(H264AggregateCheck.self).map(\.severity) == [.error])
  }

  @Test func startCodes() {
    let found = play(edit: at(40) { $0.payload = [0x41, 0x9a, 0, 0, 0, 1, 0x68, 0xce] }).of(H264StartCodeCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.first.offset == 3)
  }

  @Test(arguments: [
    [0xff, 0xf1, 0x60, 0x40, 0x01, 0xbf, 0xfc, 0x21] as [UInt8], [0, 16, 0, 2 << 3, 1, 2, 3], [0, 13, 0],
    [0, 32, 0, 1 << 3, 0, 1 << 3, 9],
  ])
  func auHeaders(_ payload: [UInt8]) {
    var camera = ScriptedCamera(audio: true)
    camera.start()
    camera.audio(20) { index, packet in
      var packet = packet
      if index == 10 { packet.payload = payload }
      return [packet]
    }
    let result = camera.script.analyze()
    #expect(result.of(AUHeadersCheck.self).map(\.severity) == [.error])
    #expect(result.of(AUHeadersCheck.self).first?.count == 1)
  }

  @Test func timestamps() {
    let jump = play(edit: { index, packet in
      var packet = packet
      if index >= 40 { packet.timestamp &+= 90_000 * 3600 }
      return [packet]
    })
    #expect(jump.of(MonotonicCheck.self).map(\.severity) == [.error])
    let back = play(edit: { index, packet in
      var packet = packet
      if index >= 40 { packet.timestamp &-= 90_000 * 5 }
      return [packet]
    })
    #expect(back.of(MonotonicCheck.self).map(\.severity) == [.error])
    // Pictures out of display order are a fault only where the SPS rules them out (max_num_reorder_frames of 0).
    let ruledOut = play(edit: at(40) { $0.timestamp &+= 3 * 3600 })
    #expect(ruledOut.of(MonotonicCheck.self).map(\.severity) == [.error])
    var camera = ScriptedCamera()
    camera.sdp = camera.sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }.map { $0 + "\n" }.joined()
    camera.start()
    camera.video(60, edit: at(40) { $0.timestamp &+= 3 * 3600 })
    #expect(camera.script.analyze().of(MonotonicCheck.self).isEmpty)
  }

  @Test func keyFrameWithoutParameterSets() {
    var camera = ScriptedCamera()
    camera.sdp = camera.sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }.map { $0 + "\n" }.joined()
    camera.start()
    camera.video(30) { index, packet in packet.payload.first == 0x18 ? [] : [packet] }
    #expect(camera.script.analyze().of(DecodableCheck.self).map(\.severity) == [.error])
  }

  @Test func noKeyFrame() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(150) { _, packet in packet.payload.first == 0x41 ? [packet] : [] }
    #expect(camera.script.analyze().of(DecodableCheck.self).map(\.severity) == [.error])
  }

  @Test func lateKeyFrame() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(140, gop: 1000) { _, packet in packet.payload.first == 0x41 ? [packet] : [] }
    camera.video(10)
    #expect(camera.script.analyze().of(DecodableCheck.self).map(\.severity) == [.warning])
  }

  @Test func noMediaAfterPlay() {
    var camera = ScriptedCamera()
    camera.start()
    camera.script.wait(6)
    camera.keepAlive()
    #expect(camera.script.analyze().of(DecodableCheck.self).map(\.severity) == [.error])
  }

  @Test func groupsOfPictures() {
    func judge(_ expected: Int?) -> [Severity] {
      play(context: AnalysisContext(expectedGOP: expected, captureDropped: 0), edit: { [$1] }).of(GOPCheck.self)
        .map(\.severity)
    }
    #expect(judge(25) == [])
    #expect(judge(nil) == [])
    #expect(judge(15) == [.error])
    #expect(judge(30) == [.warning])
    let never = play(
      context: AnalysisContext(expectedGOP: 15, captureDropped: 0), gop: 1000, edit: { [$1] })
    #expect(never.of(GOPCheck.self).map(\.severity) == [.error])
  }

  @Test func silence() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(25)
    camera.script.wait(3)
    camera.videoTime &+= 270_000
    camera.video(25)
    let found = camera.script.analyze().of(GapCheck.self)
    #expect(found.map(\.severity) == [.error])

    var stopped = ScriptedCamera()
    stopped.start()
    stopped.video(25)
    stopped.script.wait(3)
    stopped.keepAlive()
    #expect(stopped.script.analyze().of(GapCheck.self).map(\.severity) == [.error])

    var paused = ScriptedCamera()
    paused.start()
    paused.video(25)
    paused.ask("PAUSE", ScriptedCamera.url + "/", "Session: 4455\n")
    paused.answer()
    paused.script.wait(5)
    paused.play()
    paused.video(25)
    #expect(paused.script.analyze().of(GapCheck.self).isEmpty)
  }

  @Test func bitRate() {
    let context = AnalysisContext(askedBitRate: BitRate(bitsPerSecond: 4_000_000), captureDropped: 0)
    #expect(play(context: context, edit: { [$1] }).of(BitRateCheck.self).map(\.severity) == [.warning])
  }

  @Test func settings() {
    let edit = at(30) { $0.payloadType = 99 }
    let off = AnalysisContext(captureDropped: 0, settings: ["rtp.pt.known": .off])
    let result = play(context: off, edit: edit)
    #expect(result.of(PayloadTypeCheck.self).isEmpty)
    #expect(!result.judged.contains("rtp.pt.known"))
    let policy = AnalysisContext(captureDropped: 0, settings: ["rtp.pt.known": .policy])
    #expect(play(context: policy, edit: edit).of(PayloadTypeCheck.self).map(\.severity) == [.policy])
  }

  @Test func startAtZero() {
    var camera = ScriptedCamera()
    camera.videoSequence = 0
    camera.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;seq=0;rtptime=900000\n"
    camera.start()
    camera.video(5)
    #expect(camera.script.analyze().of(InitialRandomCheck.self).map(\.severity) == [.policy])
  }

  @Test func largeDatagrams() {
    let large = at(10) { $0.payload += [UInt8](repeating: 0x55, count: 1500) }
    #expect(play(tcp: false, edit: large).of(RTPSizeCheck.self).map(\.severity) == [.warning])
    #expect(play(tcp: true, edit: large).of(RTPSizeCheck.self).isEmpty)
  }

  @Test func clockThatRunsFast() {
    let result = play(
      150,
      edit: { _, packet in
        var packet = packet
        packet.timestamp = 900_000 &+ (packet.timestamp &- 900_000) / 4 * 5
        return [packet]
      })
    #expect(result.of(ClockRateCheck.self).map(\.severity) == [.warning])
  }

  @Test func h265Packets() {
    func judge(_ payloads: [[UInt8]]) -> [Severity] {
      var camera = ScriptedCamera()
      camera.sdp = camera.sdp.split(separator: "\n").filter { !$0.hasPrefix("a=fmtp") }
        .map { $0 == "a=rtpmap:96 H264/90000" ? "a=rtpmap:96 H265/90000\n" : $0 + "\n" }.joined()
      camera.start()
      for payload in payloads {
        let packet = ScriptedCamera.Packet(
          payloadType: 96, marker: true, sequence: camera.videoSequence, timestamp: camera.videoTime,
          ssrc: camera.videoSSRC, payload: payload)
        camera.send(packet.bytes, channel: 0)
        camera.videoSequence &+= 1
        camera.videoTime &+= 3600
        camera.script.wait(0.04)
      }
      return camera.script.analyze().of(H265PacketsCheck.self).map(\.severity)
    }
    let single: [UInt8] = [0x02, 0x01, 9, 9]
    #expect(judge([single, [0x62, 0x01, 0x93, 1], [0x62, 0x01, 0x53, 2], single]) == [])
    #expect(judge([single, [0x62, 0x01, 0xd3, 1], single]) == [.error])
    #expect(judge([single, [0x60, 0x01, 0, 9, 1], single]) == [.error])
  }
}
