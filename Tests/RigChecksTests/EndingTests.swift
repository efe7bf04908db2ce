@testable import RigChecks
import RigModel
import RigWire
import Testing

/// Whether a server had a request that it did not answer: what it acknowledged when it said BYE, or closed, tells.
@Suite struct EndingTests {
  private static let named = "Session: 4455\n"
  private static let url = ScriptedCamera.url + "/"

  private func playing(tcp: Bool = true, audio: Bool = true, from number: UInt32 = 1000) -> ScriptedCamera {
    var camera = ScriptedCamera(tcp: tcp, audio: audio)
    camera.script = WireScript()
    camera.script.clientNext = number
    camera.script.open()
    camera.start()
    camera.video(5)
    if audio { camera.audio(5) }
    return camera
  }

  /// The findings that blame the server for its silence.
  private func blame(_ camera: ScriptedCamera) -> [Finding] {
    let result = camera.script.analyze()
    return result.of(TeardownCheck.self) + result.of(SingleResponseCheck.self)
  }

  // MARK: the server's close

  /// How many bytes of the request the server's FIN acknowledges, and whether that makes its silence a fault. Wherever
  /// the sequence numbers wrap.
  @Test(arguments: (0..<32).map { UInt32($0) * 45 })
  func whatTheFINDoesNotAcknowledgeCrossedIt(_ before: UInt32) {
    for (method, part) in [("TEARDOWN", 0), ("TEARDOWN", 30), ("TEARDOWN", -1), ("TEARDOWN", nil), ("PAUSE", -1)] {
      var camera = playing(audio: false, from: 0 &- before)
      let began = camera.script.clientNext
      camera.ask(method, Self.url, Self.named)
      let end = camera.script.clientNext
      camera.script.serverAcknowledges = part.map { $0 < 0 ? end &- 1 : began &+ UInt32($0) }
      camera.script.segment([], fromServer: true, flags: 0x11)
      // From now on its TCP takes what no program reads any more.
      camera.script.serverAcknowledges = nil
      camera.script.segment([], fromServer: true, flags: 0x10)
      camera.script.wait(8)
      camera.script.segment([], fromServer: false, flags: 0x11)
      #expect(blame(camera).map(\.severity) == (part == nil ? [.error] : []), "\(method) \(part ?? .max) \(before)")
    }
  }

  @Test func aFINBeforeItsLastBytesTellsAllTheSame() {
    var camera = playing(audio: false)
    let number = camera.script.serverNext
    camera.script.segment([0x24, 1, 0, 1, 0], fromServer: true, lost: true)
    camera.script.segment([], fromServer: true, flags: 0x11)
    camera.ask("TEARDOWN", Self.url, Self.named)
    // The bytes before it come now, and acknowledge the request.
    camera.script.segment([0x24, 1, 0, 1, 0], fromServer: true, sequence: number)
    camera.script.segment([], fromServer: false, flags: 0x11)
    #expect(blame(camera).isEmpty)
  }

  /// What the server's TCP acknowledged after its FIN may come before it.
  @Test func aFINThatIsOvertakenTellsWhatItTold() {
    var camera = playing(audio: false)
    let began = camera.script.clientNext
    camera.ask("TEARDOWN", Self.url, Self.named)
    camera.script.segment([], fromServer: true, flags: 0x10, sequence: camera.script.serverNext &+ 1)
    camera.script.serverAcknowledges = began
    camera.script.segment([], fromServer: true, flags: 0x11)
    camera.script.segment([], fromServer: false, flags: 0x11)
    #expect(blame(camera).isEmpty)
  }

  @Test func aResetTellsWhatWasAcknowledgedBefore() {
    for isHeard in [true, false] {
      var camera = playing(audio: false)
      let began = camera.script.clientNext
      camera.ask("TEARDOWN", Self.url, Self.named)
      if !isHeard { camera.script.serverAcknowledges = began }
      camera.script.segment([], fromServer: true, flags: 0x10)
      // A reset that answers a segment has no acknowledgement.
      camera.script.segment([], fromServer: true, flags: 4)
      #expect(blame(camera).map(\.severity) == (isHeard ? [.error] : []))
    }
  }

  @Test func itDoesNotMatterWhoClosesFirst() {
    for isHeard in [true, false] {
      var camera = playing(audio: false)
      let began = camera.script.clientNext
      camera.ask("TEARDOWN", Self.url, Self.named)
      camera.script.segment([], fromServer: false, flags: 0x11)
      camera.script.wait(8)
      if !isHeard { camera.script.serverAcknowledges = began }
      camera.script.segment([], fromServer: true, flags: 0x11)
      #expect(blame(camera).map(\.severity) == (isHeard ? [.error] : []))
    }
  }

  // MARK: the server's own end

  private func sayBye(_ camera: inout ScriptedCamera, audio: Bool) {
    let ssrc = audio ? camera.audioSSRC : camera.videoSSRC
    let bytes = RTCPPacket.compound([
      .receiverReport(.init(ssrc: ssrc)), .sourceDescription([.init(ssrc: ssrc, cname: "camera")]),
      .bye(ssrcs: [ssrc], reason: nil),
    ])
    camera.send(bytes, channel: audio ? 3 : 1)
  }

  /// The device says BYE of one track, the player takes its leave, the device says BYE of the other one and closes; the
  /// request lies unread, as its reset shows.
  @Test(arguments: [(true, "TEARDOWN"), (true, "PAUSE"), (false, "TEARDOWN"), (false, "PAUSE")])
  func aRequestBetweenTheBYEsOfTwoTracksCrossedTheEnd(_ tcp: Bool, _ method: String) {
    var camera = playing(tcp: tcp)
    sayBye(&camera, audio: false)
    camera.ask(method, Self.url, Self.named)
    sayBye(&camera, audio: true)
    camera.script.segment([], fromServer: true, flags: 0x14)
    let result = camera.script.analyze()
    #expect(result.findings.allSatisfy { $0.severity != .error }, "\(result.findings)")
    #expect(result.exchanges.last?.excuse == "the server had ended before it came")
    #expect(result.exchanges.last?.closedBy == nil)
  }

  @Test func aBYEThatAcknowledgesTheRequestIsNoEndOfItsOwn() {
    var camera = playing()
    camera.ask("TEARDOWN", Self.url, Self.named)
    for audio in [false, true] { sayBye(&camera, audio: audio) }
    camera.script.segment([], fromServer: true, flags: 0x14)
    #expect(blame(camera).map(\.severity) == [.error])
  }

  /// The capture of the player's side shows the request first; the BYE had left by then.
  @Test func aBYEThatWasOnItsWayIsOneBefore() {
    var camera = playing()
    let began = camera.script.clientNext
    camera.ask("TEARDOWN", Self.url, Self.named)
    camera.script.serverAcknowledges = began
    for audio in [false, true] { sayBye(&camera, audio: audio) }
    camera.script.serverAcknowledges = nil
    camera.script.segment([], fromServer: true, flags: 0x14)
    #expect(blame(camera).isEmpty)
  }

  /// One source ends, the other goes on: the session still runs.
  @Test(arguments: [true, false])
  func theBYEOfOneTrackIsNoEndWhileTheOtherSends(_ tcp: Bool) {
    var camera = playing(tcp: tcp)
    sayBye(&camera, audio: true)
    camera.video(5, gop: 100)
    camera.ask("TEARDOWN", Self.url, Self.named)
    sayBye(&camera, audio: false)
    camera.script.segment([], fromServer: true, flags: 0x11)
    #expect(blame(camera).map(\.severity) == [.error])
    // Nor does it end the session where the other track says nothing at all.
    var silent = playing(tcp: tcp)
    sayBye(&silent, audio: true)
    silent.ask("TEARDOWN", Self.url, Self.named)
    silent.script.segment([], fromServer: true, flags: 0x11)
    #expect(blame(silent).map(\.severity) == [.error])
  }

  @Test func aServerThatSaidBYEAndStaysMustAnswer() {
    var camera = playing()
    for audio in [false, true] { sayBye(&camera, audio: audio) }
    camera.ask("TEARDOWN", Self.url, Self.named)
    camera.script.segment([], fromServer: true, flags: 0x10)
    camera.script.wait(8)
    camera.script.segment([], fromServer: false, flags: 0x11)
    #expect(blame(camera).map(\.severity) == [.error])
  }

  // MARK: requests that never came

  @Test func whatTheServerNeverAcknowledgedItNeedNotAnswer() {
    for method in ["TEARDOWN", "GET_PARAMETER"] {
      for isHeard in [true, false] {
        var camera = playing(audio: false)
        let began = camera.script.clientNext
        camera.ask(method, Self.url, Self.named)
        if !isHeard { camera.script.serverAcknowledges = began }
        camera.script.segment([], fromServer: true, flags: 0x10)
        camera.script.wait(8)
        // The client still tries.
        camera.script.segment([0], fromServer: false, sequence: began)
        #expect(blame(camera).map(\.severity) == (isHeard ? [.error] : []), "\(method)")
        let last = camera.script.analyze().exchanges.last
        #expect(last?.excuse == (isHeard ? nil : "the server never acknowledged it"))
      }
    }
  }

  /// The server goes on sending: it has not heard of the TEARDOWN. And it is no fault that it stops.
  @Test(arguments: [true, false])
  func aTEARDOWNThatNeverCameEndsNothing(_ stops: Bool) {
    for isHeard in [true, false] {
      var camera = playing(tcp: false, audio: false)
      let began = camera.script.clientNext
      camera.ask("TEARDOWN", Self.url, Self.named)
      if !isHeard { camera.script.serverAcknowledges = began }
      camera.script.segment([], fromServer: true, flags: 0x10)
      camera.script.segment([], fromServer: false, flags: 0x14)
      camera.video(stops ? 1 : 100, gop: 200)
      camera.script.wait(4)
      camera.script.segment([], fromServer: false, flags: 4)
      let errors = camera.script.analyze().findings.filter { $0.severity == .error }.map(\.check)
      #expect(errors == (isHeard && !stops ? ["session.teardown"] : []))
    }
  }

  // MARK: what the capture lacks

  @Test func anAnswerThatTheCaptureLacksWasGiven() {
    for isAcknowledged in [true, false] {
      var camera = playing(audio: false)
      camera.ask("TEARDOWN", Self.url, Self.named)
      let before = camera.script.serverNext
      if isAcknowledged {
        camera.script.segment(WireScript.text("RTSP/1.0 200 OK\nCSeq: 5\n\n"), fromServer: true, lost: true)
      }
      camera.script.segment([], fromServer: true, flags: 0x11)
      camera.script.segment([], fromServer: false, flags: 0x11)
      let result = camera.script.analyze()
      #expect(blame(camera).map(\.severity) == (isAcknowledged ? [] : [.error]))
      #expect(result.missingTCPBytes == (isAcknowledged ? Int64(camera.script.serverNext &- before) - 1 : 0))
      #expect((result.inconclusive["framing"] != nil) == isAcknowledged)
    }
  }

  /// The answer came behind bytes that never did: the player did not get it, and that is no silence of the server.
  @Test func anAnswerThatWasNotDeliveredWasGiven() {
    var camera = playing(audio: false)
    let number = camera.script.serverNext
    camera.script.segment([0x24, 1, 0, 1, 0], fromServer: true, lost: true)
    camera.script.clientAcknowledges = number
    camera.ask("TEARDOWN", Self.url, Self.named)
    camera.answer("200 OK", Self.named)
    camera.script.segment([], fromServer: false, flags: 0x10)
    camera.script.wait(8)
    camera.script.segment([], fromServer: false, flags: 0x14)
    #expect(blame(camera).isEmpty)
    #expect(camera.script.analyze().missingTCPBytes == 0)
  }

  /// A capture of the client's packets alone knows of no answers.
  @Test func aCaptureOfOneSideBlamesNobody() {
    var camera = playing()
    camera.ask("TEARDOWN", Self.url, Self.named)
    camera.script.wait(8)
    camera.script.segment([], fromServer: false, flags: 0x11)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    for (index, frame) in camera.script.frames.enumerated() where frame.bytes[29] == 2 {
      analyzer.see(frame: frame.bytes.span.bytes, number: index + 1, time: frame.time, link: .ethernet)
    }
    let result = analyzer.finish()
    #expect(result.exchanges.count == 6)
    #expect(result.exchanges.allSatisfy { $0.excuse == "the capture lacks bytes in which the answer may be" })
    #expect(result.of(TeardownCheck.self).isEmpty && result.of(SingleResponseCheck.self).isEmpty)
  }

  /// A request that came out of no TCP stream has no number to compare: who closed is all that is known.
  @Test func withoutTCPItIsTheClose() {
    var camera = playing(audio: false)
    camera.script.segment([], fromServer: true, flags: 0x11)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    for (index, frame) in camera.script.frames.enumerated() {
      analyzer.see(frame: frame.bytes.span.bytes, number: index + 1, time: frame.time, link: .ethernet)
    }
    let message = RTSPMessage(.request(method: "TEARDOWN", url: "*"))
    var request = RTSPRequest(
      connection: 0, message: message, deviations: [], place: WirePlace(frame: 1, time: 1), fromClient: true)
    #expect(analyzer.ending(of: request, from: 0, connectionEnded: true) == .serverClosed)
    request.end = 1 << 20
    #expect(analyzer.ending(of: request, from: 0, connectionEnded: true) == .crossed)
  }
}
