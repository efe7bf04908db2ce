import RigChecks
import RigModel
import RigWire
import Testing

/// Statistics against what was sent.
@Suite struct StatisticsTests {
  private func play(
    _ pictures: Int = 100, tcp: Bool = false, gop: Int = 25,
    edit: (Int, ScriptedCamera.Packet) -> [ScriptedCamera.Packet] = { [$1] }
  ) -> StreamStatistics? {
    var camera = ScriptedCamera(tcp: tcp)
    camera.start()
    camera.video(pictures, gop: gop, edit: edit)
    return camera.script.analyze().streams.first
  }

  @Test func ratesAndKeyFrames() throws {
    let stream = try #require(play())
    #expect(abs(try #require(stream.frameRate) - 24.8) < 0.3)
    #expect(abs(try #require(stream.mediaFrameRate) - 25) < 0.001)
    #expect(abs(try #require(stream.keyInterval) - 1) < 0.02)
    #expect(abs(try #require(stream.longestKeyInterval) - 1) < 0.02)
    #expect(stream.gopLengths == [25, 25, 25])
    let alone = try #require(play(1))
    #expect(alone.frameRate == nil)
    #expect(alone.keyInterval == nil)
  }

  @Test func bursts() throws {
    let lost: Set = [20, 21, 22, 30, 50, 51]
    let stream = try #require(play { lost.contains($0) ? [] : [$1] })
    #expect(stream.lost == 6)
    #expect(stream.lossBursts == 3)
    #expect(stream.longestBurst == 3)
    #expect(stream.received == stream.expected - 6)
    let none = try #require(play())
    #expect(none.lossBursts == 0)
    #expect(none.longestBurst == 0)
  }

  /// Held back by so many packets, from another picture or of the same.
  private func held(_ number: Int, for count: Int) -> StreamStatistics? {
    var kept: ScriptedCamera.Packet?
    return play { index, packet in
      if index == number {
        kept = packet
        return []
      }
      guard index == number + count, let late = kept else { return [packet] }
      return [packet, late]
    }
  }

  @Test func lateIsMoreThanOutOfOrder() throws {
    // Packets 28 to 31 are one key picture.
    let within = try #require(held(29, for: 1))
    #expect(within.reordered == 1)
    #expect(within.late == 0)
    #expect(within.lossBursts == 0)
    let beyond = try #require(held(29, for: 8))
    #expect(beyond.reordered == 1)
    #expect(beyond.late == 1)
    #expect(beyond.lost == 0)
    #expect(beyond.lossBursts == 0)
  }

  /// Sender reports every two seconds, the RTP clock or the wall clock of which runs fast.
  private func reports(rtp: Double = 1, wall: Double = 1) -> StreamStatistics? {
    var camera = ScriptedCamera()
    camera.start()
    let start = camera.script.time
    for _ in 0..<10 {
      camera.video(50, gop: 1000)
      let elapsed = Double(camera.script.time - start)
      let report = RTCPPacket.SenderReport(
        ssrc: camera.videoSSRC, ntp: NTPTime(unixNanoseconds: start + Int64(elapsed * wall)),
        rtpTime: 900_000 &+ UInt32(elapsed * wall * rtp * 90_000 / 1e9), packetCount: camera.videoPackets, octetCount: 0
      )
      camera.send(RTCPPacket.compound([.senderReport(report)]), channel: 1)
    }
    return camera.script.analyze(checks: []).streams.first
  }

  @Test func driftAndSkew() throws {
    // The pictures of the script bring reports of their own, with the true clock: none here, for they come at picture 50.
    for (rtp, wall) in [(1.0, 1.0), (1.0005, 1.0), (1.0, 0.9995)] {
      let stream = try #require(reports(rtp: rtp, wall: wall))
      #expect(abs(try #require(stream.drift) - (rtp - 1) * 1e6) < 5, "\(rtp) \(wall)")
      #expect(abs(try #require(stream.skew) - (wall - 1) * 1e6) < 5, "\(rtp) \(wall)")
    }
    let without = try #require(play(10))
    #expect(without.drift == nil)
    #expect(without.skew == nil)
  }

  /// Audio first, video two seconds later, both sampled when they are sent, less `lead` seconds for the audio.
  private func session(reports: Bool, audioDelay: Double = 0) -> AnalysisResult {
    var camera = ScriptedCamera(audio: true)
    camera.start()
    let start = camera.script.time
    func media(_ time: Int64, _ rate: Double) -> UInt32 {
      UInt32(truncatingIfNeeded: Int64(Double(time - start) / 1e9 * rate))
    }
    func report(_ ssrc: UInt32, _ rate: Double, _ delay: Double, channel: Int) {
      let sampled = camera.script.time - Int64(delay * 1e9)
      let report = RTCPPacket.SenderReport(
        ssrc: ssrc, ntp: NTPTime(unixNanoseconds: sampled), rtpTime: media(sampled, rate), packetCount: 0, octetCount: 0
      )
      camera.send(RTCPPacket.compound([.senderReport(report)]), channel: channel)
    }
    for index in 0..<250 {
      if index == 60, reports { report(camera.audioSSRC, 48_000, audioDelay, channel: 3) }
      let sampled = camera.script.time - Int64(audioDelay * 1e9)
      let packet = ScriptedCamera.Packet(
        payloadType: 97, marker: true, sequence: camera.audioSequence, timestamp: media(sampled, 48_000),
        ssrc: camera.audioSSRC, payload: [0, 16, 0, 3 << 3, 0x21, 0x10, 0x04])
      camera.send(packet.bytes, channel: 2)
      camera.audioSequence &+= 1
      if index >= 100 {
        if index == 120, reports { report(camera.videoSSRC, 90_000, 0, channel: 1) }
        camera.videoTime = media(camera.script.time, 90_000)
        for packet in camera.picture(isKey: index % 50 == 0) { camera.send(packet.bytes, channel: 0) }
      }
      camera.script.wait(0.02)
    }
    return camera.script.analyze()
  }

  @Test func audioThatLeads() throws {
    let together = try #require(session(reports: true).offsets.first)
    #expect(abs(try #require(together.offset)) < 0.04)
    #expect(abs(together.startGap - 2.0) < 0.1)
    let apart = session(reports: true, audioDelay: 0.7)
    #expect(abs(try #require(apart.offsets.first?.offset) - 0.7) < 0.04)
    #expect(apart.of(AVSyncCheck.self).map(\.severity) == [.warning])
    // Without reports it cannot be measured, which is not the same as none.
    let unknown = try #require(session(reports: false).offsets.first)
    #expect(unknown.offset == nil)
    #expect(abs(unknown.startGap - 2.0) < 0.1)
  }
}
