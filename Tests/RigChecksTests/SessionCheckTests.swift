import RigChecks
import RigModel
import Testing

@Suite struct SessionCheckTests {
  @Test func setupWithoutTransport() {
    var camera = ScriptedCamera()
    camera.transportReply = { _ in nil }
    camera.start()
    camera.video(30)
    let result = camera.script.analyze()
    #expect(result.of(TransportPresentCheck.self).map(\.severity) == [.error])
    // The channels asked for are taken to be the ones.
    #expect(result.streams.first?.codec == "H264")
  }

  @Test(arguments: [true, false])
  func otherSSRCThanAnnounced(_ tcp: Bool) {
    var camera = ScriptedCamera(tcp: tcp)
    camera.transportReply = { first in
      (tcp
        ? "RTP/AVP/TCP;unicast;interleaved=\(first)-1" : "RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001")
        + ";ssrc=0000a0c6"
    }
    camera.start()
    camera.video(30)
    let found = camera.script.analyze().of(TransportSSRCCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.first.ssrc == 0x1111_1111)
  }

  @Test func otherClientPortsThanAsked() {
    var camera = ScriptedCamera(tcp: false)
    camera.transportReply = { _ in "RTP/AVP;unicast;client_port=8000-8001;server_port=6000-6001" }
    camera.start()
    #expect(camera.script.analyze().of(TransportEchoCheck.self).map(\.severity) == [.warning])
  }

  @Test func channelsGivenOtherwiseAreFollowed() {
    var camera = ScriptedCamera()
    camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=4-5" }
    camera.start()
    for packet in camera.picture(isKey: true) { camera.send(packet.bytes, channel: 4) }
    let result = camera.script.analyze()
    #expect(result.streams.first?.packets == 4)
    #expect(result.of(ChannelAssignedCheck.self).isEmpty)
  }

  @Test func unassignedChannel() {
    var camera = ScriptedCamera()
    camera.start()
    for packet in camera.picture(isKey: true) { camera.send(packet.bytes, channel: 6) }
    let found = camera.script.analyze().of(ChannelAssignedCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.count == 4)
  }

  @Test func mediaBeforeTheReplyToPlay() {
    var camera = ScriptedCamera()
    camera.options()
    camera.describe()
    camera.setup("video", first: 0)
    camera.ask("PLAY", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.video(3)
    camera.answer("200 OK", "Session: 4455\n" + camera.playHeaders)
    camera.video(30, gop: 100)
    let result = camera.script.analyze()
    #expect(result.findings.isEmpty, "\(result.findings)")
    #expect(result.streams.first?.lost == 0)
  }

  @Test func garbageBetweenFrames() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.script.segment([0xde, 0xad, 0xbe, 0xef, 0x24, 0x00], fromServer: true)
    camera.video(20, gop: 100)
    let result = camera.script.analyze()
    let found = result.of(FramingIntactCheck.self)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.message.hasPrefix("6 bytes") == true)
    #expect(result.streams.first?.lost == 0)
  }

  @Test func messageInsideAFrame() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.script.segment([0x24, 0, 0, 0x40], fromServer: true)
    camera.script.server("RTSP/1.0 400 Bad Request\nCSeq: 9\n\n")
    camera.video(20, gop: 100)
    #expect(!camera.script.analyze().of(FramingIntactCheck.self).isEmpty)
  }

  @Test func emptyFrame() {
    var camera = ScriptedCamera()
    camera.start()
    camera.send([], channel: 0)
    camera.video(5)
    #expect(camera.script.analyze().of(FramingIntactCheck.self).map(\.severity) == [.warning])
  }

  @Test func bytesThatTheCaptureLacksAreNobodysFault() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(10)
    camera.script.segment([UInt8](repeating: 0x24, count: 40), fromServer: true, lost: true)
    camera.video(150, gop: 100)
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == 40)
    #expect(result.findings.allSatisfy { $0.severity != .error }, "\(result.findings)")
    #expect(result.inconclusive["framing"] != nil)
    #expect(result.streams.first?.packets == 169)
  }

  @Test func sessionChangesItsName() {
    var camera = ScriptedCamera(audio: true)
    camera.options()
    camera.describe()
    camera.setup("video", first: 0)
    camera.ask(
      "SETUP", ScriptedCamera.url + "/audio", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\nSession: 4455\n")
    camera.answer("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\nSession: BBB\n")
    #expect(camera.script.analyze().of(SessionIDCheck.self).map(\.severity) == [.error])
  }

  @Test func sessionGivenUpWhileKeptAlive() {
    var camera = ScriptedCamera()
    camera.timeout = 10
    camera.start()
    for status in ["200 OK", "454 Session Not Found"] {
      camera.video(100, gop: 100)
      camera.keepAlive(status)
    }
    #expect(camera.script.analyze().of(SessionExpiryCheck.self).map(\.severity) == [.error])
  }

  /// The keep-alive left in time, and was lost on its way: the server had it, and answered, four seconds later.
  @Test func aKeepAliveThatComesLateKeepsNothingAlive() {
    for delay in [0.1, 4] {
      var camera = ScriptedCamera()
      camera.timeout = 10
      camera.start()
      camera.video(200, gop: 100)
      camera.ask("GET_PARAMETER", ScriptedCamera.url + "/", "Session: 4455\n")
      camera.script.wait(delay)
      camera.answer("454 Session Not Found", "Session: 4455\n")
      let found = camera.script.analyze().of(SessionExpiryCheck.self)
      #expect(found.map(\.severity) == (delay < 1 ? [.error] : []))
    }
  }

  @Test func sessionExpiresForWantOfKeepAlives() {
    var camera = ScriptedCamera()
    camera.timeout = 10
    camera.start()
    camera.video(300, gop: 100)
    camera.keepAlive("454 Session Not Found")
    #expect(camera.script.analyze().of(SessionExpiryCheck.self).isEmpty)
  }

  @Test func sessionThatNeverExpires() {
    var camera = ScriptedCamera(tcp: false)
    camera.timeout = 5
    camera.start()
    camera.video(950, gop: 100)
    #expect(camera.script.analyze().of(SessionExpiryCheck.self).map(\.severity) == [.warning])
  }

  @Test func teardownWithoutAnswer() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.script.close(fromServer: true)
    #expect(camera.script.analyze().of(TeardownCheck.self).map(\.severity) == [.error])
  }

  @Test func teardownAfterTheServersOwnEndNeedsNoAnswer() {
    for saysBye in [true, false] {
      var camera = ScriptedCamera()
      camera.start()
      camera.video(5)
      if saysBye { camera.sayBye() }
      camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
      // The reset acknowledges the request: it lay unread when the server closed.
      camera.script.segment([], fromServer: true, flags: 0x14)
      #expect(camera.script.analyze().of(TeardownCheck.self).isEmpty == saysBye)
    }
  }

  @Test func anAnswerThatCrossesAResetIsNoneTooMany() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.script.segment([], fromServer: false, flags: 0x14)
    camera.answer("200 OK", "Session: 4455\n")
    #expect(camera.script.analyze().of(SingleResponseCheck.self).isEmpty)
  }

  @Test func requestsThatCrossTheServersCloseNeedNoAnswer() {
    for (method, check) in [
      ("TEARDOWN", TeardownCheck.self as any WireCheck.Type), ("GET_PARAMETER", SingleResponseCheck.self),
    ] {
      var camera = ScriptedCamera()
      camera.start()
      camera.video(5)
      // The server closes; its FIN acknowledges nothing of what the client still writes.
      camera.script.segment([], fromServer: true, flags: 0x11)
      camera.ask(method, ScriptedCamera.url + "/", "Session: 4455\n")
      camera.script.segment([], fromServer: false, flags: 0x11)
      #expect(camera.script.analyze().of(check).isEmpty, "\(method)")
    }
  }

  /// The server has closed, and answers with a reset: that ends the connection, however long the capture goes on.
  @Test func aRequestBehindTheServersCloseThatIsResetNeedsNoAnswer() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.script.segment([], fromServer: true, flags: 0x11)
    camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.script.segment([], fromServer: true, flags: 4)
    camera.script.wait(8)
    camera.script.segment([], fromServer: false, flags: 4)
    #expect(camera.script.analyze().of(TeardownCheck.self).isEmpty)
  }

  @Test func mediaAfterTeardown() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(25)
    camera.teardown()
    camera.video(75, gop: 100)
    let found = camera.script.analyze().of(TeardownCheck.self)
    #expect(found.map(\.severity) == [.error])
    // Two seconds of grace, then 25 pictures.
    #expect(found.first.map { (20...26).contains($0.count) } == true)
  }

  @Test func rtpInfo() {
    var camera = ScriptedCamera()
    camera.playHeaders = ""
    camera.start()
    #expect(camera.script.analyze().of(RTPInfoCheck.self).map(\.severity) == [.warning])
    var wrong = ScriptedCamera()
    wrong.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;seq=5000;rtptime=0\n"
    wrong.videoTime = 0x7fa0_0000
    wrong.start()
    wrong.video(10)
    #expect(wrong.script.analyze().of(RTPInfoCheck.self).count == 2)
  }

  @Test func setupWithoutASession() {
    var camera = ScriptedCamera()
    camera.describe()
    camera.ask("SETUP", ScriptedCamera.url + "/video", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\n")
    camera.answer("200 OK", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\n")
    camera.ask("PLAY", ScriptedCamera.url + "/")
    camera.answer("200 OK", camera.playHeaders)
    camera.video(5)
    let result = camera.script.analyze()
    #expect(result.of(SessionIDCheck.self).map(\.severity) == [.error])
    #expect(result.streams.first?.codec == "H264")
  }

  @Test func teardownIgnored() {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(5)
    camera.ask("TEARDOWN", ScriptedCamera.url + "/", "Session: 4455\n")
    camera.video(150, gop: 1000)
    camera.script.close()
    #expect(camera.script.analyze().of(TeardownCheck.self).map(\.severity) == [.error])
  }

  @Test func headersThatDoNotEnd() {
    var camera = ScriptedCamera()
    camera.options()
    camera.ask("DESCRIBE")
    camera.script.server("RTSP/1.0 200 OK\nCSeq: 2\nContent-Type: applica")
    camera.script.close(fromServer: true)
    #expect(camera.script.analyze().of(FramingIntactCheck.self).map(\.severity) == [.error])
    // Cut off by the end of the capture it is no fault.
    var cut = ScriptedCamera()
    cut.ask("OPTIONS")
    cut.script.server("RTSP/1.0 200 OK\nCSeq: 1\nPublic: PL")
    #expect(cut.script.analyze().findings.isEmpty)
  }

  @Test func mediaFromAnotherPort() {
    var camera = ScriptedCamera(tcp: false)
    camera.transportReply = { _ in "RTP/AVP;unicast;client_port=5000-5001;server_port=6970-6971" }
    camera.start()
    camera.video(5)
    let result = camera.script.analyze()
    #expect(result.of(ServerPortCheck.self).map(\.severity) == [.warning])
    #expect(result.streams.first?.packets == 8)
  }

  @Test func pathOpenersOfThePlayerAreNoStream() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    // What FFmpeg sends to the server's ports before PLAY.
    for _ in 0..<4 {
      camera.script.udp(
        [0x80] + [UInt8](repeating: 0, count: 11), fromServer: false, serverPort: 6000, clientPort: 5000)
    }
    camera.video(5)
    let result = camera.script.analyze()
    #expect(result.streams.count == 1)
    #expect(result.findings.isEmpty, "\(result.findings)")
  }
}
