import RigChecks
import RigModel
import RigWire
import Testing

@Suite struct RTCPCheckTests {
  @Test(arguments: [true, false])
  func noSenderReport(_ tcp: Bool) {
    var camera = ScriptedCamera(tcp: tcp)
    camera.start()
    // Fewer than 51 pictures at a time: the script reports with the 51st.
    for _ in 0..<6 { camera.video(50) }
    #expect(camera.script.analyze().of(SenderReportCheck.self).map(\.severity) == [.error])
    camera.report()
    #expect(camera.script.analyze().of(SenderReportCheck.self).isEmpty)
  }

  @Test func mappingMoves() {
    var camera = ScriptedCamera()
    camera.start()
    camera.report()
    camera.video(40)
    camera.report()
    #expect(camera.script.analyze().of(SenderReportMappingCheck.self).isEmpty)
    camera.video(40, gop: 100)
    camera.report(rtpShift: UInt32(bitPattern: -155_790))
    let found = camera.script.analyze().of(SenderReportMappingCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.count == 1)
  }

  @Test(arguments: [true, false])
  func lengthBeyondThePacket(_ tcp: Bool) {
    var camera = ScriptedCamera(tcp: tcp)
    camera.start()
    camera.video(5)
    camera.report(cut: 8)
    let found = camera.script.analyze().of(RTCPLengthCheck.self)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.severity == .error })
  }

  @Test func countBeyondThePacket() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    // RC 5 in a sender report of 28 bytes.
    camera.send([0x85, 0xc8, 0, 6, 0x11, 0x11, 0x11, 0x11] + [UInt8](repeating: 0, count: 20), channel: 1)
    let result = camera.script.analyze()
    #expect(result.of(RTCPLengthCheck.self).map(\.severity) == [.error])
    #expect(result.of(RTCPCompoundCheck.self).map(\.severity) == [.warning])
  }

  @Test func bye() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(5)
    camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.answer()
    camera.script.wait(1)
    camera.script.close()
    #expect(camera.script.analyze().of(ByeCheck.self).map(\.severity) == [.policy])

    var early = ScriptedCamera(tcp: false)
    early.start()
    early.video(5)
    early.sayBye()
    early.video(50, gop: 100)
    #expect(early.script.analyze().of(ByeCheck.self).map(\.severity) == [.policy])
  }

  @Test func countsThatDoNotGrow() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.report()
    camera.video(40)
    camera.videoPackets = 3
    camera.report()
    #expect(camera.script.analyze().of(SenderReportCountsCheck.self).map(\.severity) == [.warning])
  }

  @Test func audioAndVideoApart() {
    func judge(audioDelay: Int64) -> [Severity] {
      var camera = ScriptedCamera(audio: true)
      camera.start()
      camera.video(5)
      camera.report()
      camera.audio(10)
      let report = RTCPPacket.SenderReport(
        ssrc: camera.audioSSRC, ntp: NTPTime(unixNanoseconds: camera.script.time - audioDelay),
        rtpTime: camera.audioTime, packetCount: 10, octetCount: 0)
      let bytes = RTCPPacket.compound([
        .senderReport(report), .sourceDescription([.init(ssrc: camera.audioSSRC, cname: "camera")]),
      ])
      camera.send(bytes, channel: 3)
      camera.audio(5)
      return camera.script.analyze().of(AVSyncCheck.self).map(\.severity)
    }
    #expect(judge(audioDelay: 0) == [])
    #expect(judge(audioDelay: 900_000_000) == [.warning])
  }
}
