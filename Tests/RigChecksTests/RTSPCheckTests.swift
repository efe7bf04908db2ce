import RigChecks
import RigModel
import RigWire
import Testing

@Suite struct RTSPCheckTests {
  @Test(arguments: [true, false], [true, false])
  func theUnchangedCameraBreaksNoRule(tcp: Bool, audio: Bool) {
    var camera = ScriptedCamera(tcp: tcp, audio: audio)
    camera.playHeaders = "RTP-Info: url=\(ScriptedCamera.url)/video;seq=65530;rtptime=900000"
    camera.playHeaders += audio ? ",url=\(ScriptedCamera.url)/audio;seq=7;rtptime=4800\n" : "\n"
    camera.start()
    camera.video(100)
    if audio { camera.audio(40) }
    camera.video(50)
    camera.keepAlive()
    camera.teardown()
    camera.script.close()
    camera.script.wait(3)
    camera.script.open()
    let result = camera.script.analyze(
      AnalysisContext(expectedGOP: 25, captureDropped: 0),
      checks: CheckCatalog.wire.filter { $0.info.id != "media.gap" })
    #expect(result.findings.isEmpty, "\(result.findings)")
    #expect(result.streams.count == (audio ? 2 : 1))
    // 150 pictures, and three packets more for each of six key pictures.
    #expect(result.streams.first?.packets == 168)
    #expect(result.streams.first?.frames == 150)
    #expect(result.streams.first?.keyFrames == 6)
    #expect(result.streams.first?.gopLengths == [25, 25, 25, 25, 25])
  }

  private func errors(_ result: AnalysisResult, _ check: any WireCheck.Type) -> [Finding] {
    result.of(check).filter { $0.severity == .error }
  }

  @Test func bareLineFeeds() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS")
    camera.script.segment(Array("RTSP/1.0 200 OK\nCSeq: 1\nPublic: PLAY\n\n".utf8), fromServer: true)
    let found = errors(camera.script.analyze(), LineEndCheck.self)
    #expect(found.count == 1)
    #expect(found.first?.first.frame == 5)
    #expect(found.first?.first.offset == 0)
  }

  @Test func foldedHeader() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS")
    camera.answer("200 OK", "Public: PLAY,\n SETUP\n")
    #expect(camera.script.analyze().of(HeaderFoldCheck.self).map(\.severity) == [.warning])
  }

  @Test func missingAndMalformedCSeq() {
    var camera = ScriptedCamera()
    camera.answerCSeq = { _ in nil }
    camera.options()
    camera.answerCSeq = { _ in "CSeq: abc\n" }
    camera.options()
    #expect(errors(camera.script.analyze(), CSeqPresentCheck.self).count == 2)
  }

  @Test func cseqOfThePreviousRequest() {
    var camera = ScriptedCamera()
    camera.start()
    camera.answerCSeq = { "CSeq: \($0 - 1)\n" }
    camera.keepAlive("400 Bad Request")
    let result = camera.script.analyze()
    #expect(errors(result, CSeqEchoCheck.self).count == 1)
    #expect(errors(result, PublicMethodsCheck.self).count == 1)
  }

  @Test func secondResponse() {
    var camera = ScriptedCamera()
    camera.options()
    camera.answer()
    #expect(errors(camera.script.analyze(), SingleResponseCheck.self).count == 1)
  }

  @Test func closedWithoutResponse() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS")
    camera.script.close(fromServer: true)
    #expect(errors(camera.script.analyze(), SingleResponseCheck.self).count == 1)
    var patient = ScriptedCamera()
    patient.ask("OPTIONS")
    patient.script.close()
    #expect(patient.script.analyze().findings.isEmpty)
  }

  @Test(arguments: [-4, 6])
  func wrongContentLength(_ error: Int) {
    var camera = ScriptedCamera()
    camera.lengthError = error
    camera.describe()
    camera.setup("video", first: 0)
    #expect(!errors(camera.script.analyze(), ContentLengthCheck.self).isEmpty)
  }

  @Test func contentLengthMissing() {
    var camera = ScriptedCamera()
    camera.ask("DESCRIBE")
    camera.script.server("RTSP/1.0 200 OK\nCSeq: 1\nContent-Type: application/sdp\n\n" + camera.sdp)
    camera.setup("video", first: 0)
    #expect(errors(camera.script.analyze(), ContentLengthCheck.self).count == 1)
  }

  @Test func contentBase() {
    var camera = ScriptedCamera()
    camera.describeHeaders = "Content-Base: 10.0.0.1:554/live/\n"
    camera.start()
    camera.video(10)
    let result = camera.script.analyze()
    #expect(errors(result, ContentBaseCheck.self).count == 1)
    #expect(result.streams.first?.codec == "H264")

    var slashless = ScriptedCamera()
    slashless.describeHeaders = "Content-Base: \(ScriptedCamera.url)\n"
    slashless.start()
    #expect(slashless.script.analyze().of(ContentBaseCheck.self).map(\.severity) == [.warning])
  }

  @Test func publicListsWhatIsRefused() {
    var camera = ScriptedCamera()
    camera.start()
    camera.keepAlive("501 Not Implemented")
    #expect(errors(camera.script.analyze(), PublicMethodsCheck.self).count == 1)
    var silent = ScriptedCamera()
    silent.publicMethods = "DESCRIBE, SETUP, PLAY, TEARDOWN"
    silent.start()
    silent.keepAlive("501 Not Implemented")
    #expect(silent.script.analyze().of(PublicMethodsCheck.self).isEmpty)
  }

  @Test func rtspIsFoundOnAnyPortAndAcrossSegments() {
    var camera = ScriptedCamera()
    camera.script = WireScript()
    camera.script.serverPort = 18_554
    camera.script.open()
    camera.cseq = 1
    for piece in ["OPT", "IONS rt", "sp://10.0.0.1/live RTSP/1.0\nCS", "eq: 1\n\n"] { camera.script.client(piece) }
    camera.answer("200 OK", "Public: PLAY\n")
    let result = camera.script.analyze()
    #expect(result.dialogues == 1)
    #expect(result.findings.isEmpty)
  }

  @Test func otherProtocolsAreLeftAlone() {
    var script = WireScript()
    script.open()
    script.client("OPTIONS * HTTP/1.1\nHost: x\n\n")
    script.server("HTTP/1.1 200 OK\nContent-Length: 0\n\n")
    #expect(script.analyze().dialogues == 0)
  }

  @Test func requestWithoutAnAnswer() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS")
    camera.script.wait(6)
    camera.script.close()
    #expect(errors(camera.script.analyze(), SingleResponseCheck.self).count == 1)
  }

  @Test func redirections() {
    for (headers, count) in [("", 1), ("Location: /other\n", 1), ("Location: \(ScriptedCamera.url)\n", 1)] {
      var camera = ScriptedCamera()
      camera.ask("DESCRIBE")
      camera.answer("302 Moved Temporarily", headers)
      #expect(errors(camera.script.analyze(), RedirectCheck.self).count == count, "\(headers)")
    }
    var camera = ScriptedCamera()
    camera.ask("DESCRIBE")
    camera.answer("302 Moved Temporarily", "Location: rtsp://10.0.0.1:1554/s1\n")
    #expect(camera.script.analyze().findings.isEmpty)
  }

  @Test func challenges() {
    for headers in ["", "WWW-Authenticate: Digest realm=\"c\"\n"] {
      var camera = ScriptedCamera()
      camera.ask("DESCRIBE")
      camera.answer("401 Unauthorized", headers)
      #expect(errors(camera.script.analyze(), AuthChallengeCheck.self).count == 1)
    }
    var camera = ScriptedCamera()
    camera.ask("DESCRIBE")
    camera.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"c\", nonce=\"1\"\n")
    #expect(camera.script.analyze().findings.isEmpty)
  }

  @Test func credentialsInAURLAreToldAndNotRepeated() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS", "rtsp://user:secret@10.0.0.1/live")
    camera.answer()
    let found = camera.script.analyze().of(CredentialsCheck.self)
    #expect(found.map(\.severity) == [.warning])
    #expect(!"\(found)".contains("secret"))
  }
}
