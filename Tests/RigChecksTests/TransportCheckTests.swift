import RigChecks
import RigModel
import RigWire
import Testing

/// `transport.syntax`, `transport.interleaved.any`, `session.keepalive`, connections that are named and not judged.
@Suite struct TransportCheckTests {
  private func answered(_ transport: String, tcp: Bool = true, _ check: any WireCheck.Type) -> [Severity] {
    var camera = ScriptedCamera(tcp: tcp)
    camera.transportReply = { _ in transport }
    camera.start()
    return camera.script.analyze().of(check).map(\.severity)
  }

  @Test(arguments: [
    "RTP/AVP;unicast;client_port=5000-5001;server_port=40000-40001,ssrc=FFFFCCCC",
    "RTP/AVP;unicast;client_port=5000-5001;server_port=39000-35968",
    "RTP/AVP;client_port=5000-5001", "RTP/AVP;unicast;client_port=5000-5001;", "RTP/AVP;unicast;client_port=x",
    "RTP/AVP;unicast;client_port=5000-5001;ssrc=zz",
  ])
  func syntax(_ transport: String) {
    #expect(answered(transport, tcp: false, TransportSyntaxCheck.self) == [.warning])
  }

  @Test func commasAndPortsAreReadAllTheSame() throws {
    let header = try #require(
      TransportHeader.parse("RTP/AVP;unicast;client_port=5000-5001;server_port=40000-40001,ssrc=FFFFCCCC").first)
    #expect(header.serverPorts == .init(40000, 40001))
    #expect(header.ssrc == 0xffff_cccc)
  }

  @Test func otherChannels() {
    let check = InterleavedChannelCheck.self
    #expect(answered("RTP/AVP/TCP;unicast;interleaved=4-5", check) == [.policy])
    #expect(answered("RTP/AVP/TCP;unicast;interleaved=0-1", check) == [])
    #expect(answered("RTP/AVP/TCP;unicast", check) == [.warning])
    #expect(answered("RTP/AVP/TCP;unicast;interleaved=256-257", check).contains(.error))
  }

  @Test func aChannelForTwo() {
    var camera = ScriptedCamera(audio: true)
    camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=0-1" }
    camera.start()
    #expect(camera.script.analyze().of(InterleavedChannelCheck.self).contains { $0.severity == .error })
    // The same media set up anew.
    var again = ScriptedCamera()
    again.options()
    again.setup("video", first: 0)
    again.setup("video", first: 0)
    #expect(again.script.analyze().of(InterleavedChannelCheck.self).isEmpty)
  }

  // MARK: session.keepalive

  private func keptAlive(tcp: Bool, every seconds: Int, timeout: Int = 5) -> [Severity] {
    var camera = ScriptedCamera(tcp: tcp)
    camera.timeout = timeout
    camera.start()
    for _ in 0..<(20 / seconds) {
      camera.video(25 * seconds, gop: 1000)
      camera.keepAlive()
    }
    return camera.script.analyze().of(KeepAliveCheck.self).map(\.severity)
  }

  @Test func keepAlives() {
    #expect(keptAlive(tcp: false, every: 4) == [])
    #expect(keptAlive(tcp: false, every: 10) == [.warning])
    #expect(keptAlive(tcp: true, every: 10) == [.policy])
    #expect(keptAlive(tcp: true, every: 10, timeout: Int(Int32.max)) == [])
  }

  @Test func refusedWhileMediaGoesOn() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(25)
    camera.keepAlive("454 Session Not Found")
    camera.video(100, gop: 1000)
    #expect(camera.script.analyze().of(KeepAliveCheck.self).map(\.severity) == [.error])
    // It really is gone.
    var gone = ScriptedCamera(tcp: false)
    gone.start()
    gone.video(25)
    gone.keepAlive("454 Session Not Found")
    gone.script.wait(5)
    #expect(gone.script.analyze().of(KeepAliveCheck.self).isEmpty)
  }

  @Test func timeoutInARequest() {
    var camera = ScriptedCamera()
    camera.start()
    camera.ask("PAUSE", ScriptedCamera.url + "/", "Session: 4455;timeout=60\n")
    camera.answer("200 OK", "Session: 4455\n")
    #expect(camera.script.analyze().of(SessionIDCheck.self).map(\.severity) == [.warning])
  }

  // MARK: hidden RTSP

  @Test func tlsOnAnRTSPPortIsNamed() {
    var script = WireScript()
    script.serverPort = 322
    script.open()
    script.segment([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3], fromServer: false)
    script.segment([0x16, 3, 3, 0, 100, 2, 0, 0, 96, 3, 3], fromServer: true)
    let result = script.analyze()
    #expect(result.unjudged.map(\.kind) == [.tls])
    #expect(result.unjudged.first?.place.frame == 4)
    #expect(result.findings.isEmpty)
    #expect(result.dialogues == 0)
    // On other ports it is anything.
    script = WireScript()
    script.serverPort = 443
    script.open()
    script.segment([0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3], fromServer: false)
    #expect(script.analyze().unjudged.isEmpty)
  }

  @Test(arguments: [
    "GET /live?a=1 HTTP/1.0\nx-sessioncookie: abc\nAccept: application/x-rtsp-tunnelled\n\n",
    "POST /live HTTP/1.0\nContent-Type: application/x-rtsp-tunnelled\nContent-Length: 32767\n\nREVTQ1JJQkU=",
  ])
  func rtspInHTTPIsNamed(_ head: String) {
    var script = WireScript()
    script.serverPort = 80
    script.open()
    script.client(head)
    script.server("HTTP/1.0 200 OK\nContent-Type: application/x-rtsp-tunnelled\n\n")
    let result = script.analyze()
    #expect(result.unjudged.map(\.kind) == [.httpTunnel])
    #expect(result.findings.isEmpty)
    #expect(result.dialogues == 0)
  }

  @Test func otherHTTPIsNot() {
    var script = WireScript()
    script.serverPort = 80
    script.open()
    script.client("GET /live HTTP/1.1\nHost: 10.0.0.1\n\n")
    #expect(script.analyze().unjudged.isEmpty)
  }
}
