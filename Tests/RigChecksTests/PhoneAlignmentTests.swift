import RigModel
import RigWire
import Testing

@testable import RigChecks

@Suite struct PhoneAlignmentTests {
  /// Whether the range holds how far the phone's clock really is off, and is no wider than this.
  private func expectAligned(
    _ result: Result<PhoneClock, PhoneAlignment.Refusal>, _ error: Duration, within width: Duration,
    _ basis: PhoneClock.Basis, _ place: SourceLocation = #_sourceLocation
  ) {
    switch result {
    case .failure(let refusal): Issue.record("refused: \(refusal)", sourceLocation: place)
    case .success(let clock):
      let truth = PhoneCapture.wallOffset + error.nanoseconds
      #expect(clock.offset.contains(truth), "\(clock.text)", sourceLocation: place)
      #expect(clock.uncertainty <= width, "\(clock.text)", sourceLocation: place)
      #expect(clock.basis == basis, sourceLocation: place)
    }
  }

  private func refusal(_ result: Result<PhoneClock, PhoneAlignment.Refusal>) -> String {
    if case .failure(let refusal) = result { refusal.description } else { "" }
  }

  @Test(arguments: [0, 0.4, -0.4, 3 * 3600, -3 * 3600, 86_400 * 400] as [Double])
  func aClockThatIsOffIsFound(_ seconds: Double) {
    let error = Duration.seconds(seconds)
    var capture = PhoneCapture(clockError: error)
    capture.session()
    expectAligned(capture.align(), error, within: .milliseconds(300), abs(seconds) < 1 ? .machine : .requests)
  }

  @Test(arguments: [0, 3 * 3600, -3 * 3600] as [Double])
  func theAgentsClockIsMoreExact(_ seconds: Double) {
    let error = Duration.seconds(seconds)
    var capture = PhoneCapture(clockError: error)
    capture.session()
    expectAligned(
      capture.align(PhoneCapture.question(words: [error, error])), error, within: .milliseconds(3), .agent)
  }

  @Test func aClockThatDriftsIsFound() {
    // 500 millionths: 3 ms in this session, told by the agent at both ends.
    var capture = PhoneCapture(clockError: .seconds(7200))
    capture.drift = 500
    capture.session()
    expectAligned(capture.align(), .seconds(7200), within: .milliseconds(300), .requests)
    let words: [Duration] = [.seconds(7200), .seconds(7200) + .milliseconds(3)]
    expectAligned(
      capture.align(PhoneCapture.question(words: words)), .seconds(7200), within: .milliseconds(5), .agent)
  }

  @Test func aClockThatIsSetDuringTheSessionIsRefused() {
    var capture = PhoneCapture()
    capture.session()
    let text = refusal(capture.align(PhoneCapture.question(words: [.zero, .seconds(3600)])))
    #expect(text.hasPrefix("the phone's clock moved by 3600.006 s during the session"))
  }

  @Test func theLastOfTwoSessionsIsTaken() throws {
    var capture = PhoneCapture(clockError: .seconds(-5000))
    capture.session(after: .seconds(-90))
    // One that failed soon, right before.
    capture.session(after: .seconds(-4)) { camera in
      camera.options()
      camera.script.close()
    }
    capture.session()
    let result = capture.align()
    expectAligned(result, .seconds(-5000), within: .milliseconds(300), .requests)
    let clock = try result.get()
    #expect(clock.openings.count == 1)
    // Nor does anything of the others get into the evidence.
    let (analysis, facts, _) = capture.judge(clock)
    #expect(analysis.sessions == 1 && analysis.dialogues == 1)
    #expect(facts.facts().contains { $0.kind == .keyFrame })
  }

  @Test func theOneThatTheClocksNameIsTaken() throws {
    for words in [[Duration.zero], []] {
      var capture = PhoneCapture()
      capture.session(after: .seconds(-60))
      capture.session()
      capture.session(after: .seconds(60))
      let result = capture.align(PhoneCapture.question(words: words))
      expectAligned(result, .zero, within: .milliseconds(300), words.isEmpty ? .machine : .agent)
      let clock = try result.get()
      let opening = try #require(clock.openings.first)
      let began = opening.time - PhoneCapture.wallOffset
      #expect(abs(began - PhoneCapture.received.nanoseconds) < 1_000_000_000)
      #expect(capture.judge(clock).result.sessions == 1)
    }
  }

  @Test func anotherSessionThanTheAgentsIsRefused() {
    var capture = PhoneCapture()
    capture.session(after: .seconds(-600))
    let text = refusal(capture.align(PhoneCapture.question(words: [.zero])))
    #expect(text.contains("the nearest 599.7") && text.contains("before it"), "\(text)")
    #expect(text.hasSuffix("expected requests for \(PhoneCapture.url) after it was received"))
  }

  @Test func whatWasThereBeforeIsNotTaken() {
    var capture = PhoneCapture()
    capture.session(after: .seconds(-600))
    let seen = capture.scan.last
    #expect(refusal(capture.align(PhoneCapture.question(seenBefore: seen))).hasPrefix("it holds only what it held"))
    capture.session()
    expectAligned(
      capture.align(PhoneCapture.question(seenBefore: seen)), .zero, within: .milliseconds(300), .machine)
  }

  @Test func aSessionThatIsLongerThanTheCaseIsRefused() {
    var capture = PhoneCapture(clockError: .seconds(86_400))
    capture.session { camera in
      camera.start()
      camera.video(500)
      camera.teardown()
    }
    #expect(refusal(capture.align()).contains("longer than the session was"))
  }

  @Test func aCaptureWithoutTheAddressIsRefused() {
    var capture = PhoneCapture()
    #expect(refusal(capture.align()).hasPrefix("it holds no packets; expected requests for"))
    capture.session { camera in camera.ask("DESCRIBE", "rtsp://10.0.0.1/other") }
    #expect(refusal(capture.align()).hasPrefix("it holds RTSP requests for rtsp://10.0.0.1/other only; expected"))
    var foreign = PhoneCapture()
    foreign.session { camera in camera.script.client("GET / HTTP/1.1\n\n") }
    #expect(refusal(foreign.align()).hasPrefix("it holds no RTSP request; expected"))
  }

  @Test func aRefusedConnectionIsSeen() throws {
    var capture = PhoneCapture()
    capture.session { camera in
      camera.script = WireScript()
      camera.script.time = PhoneCapture.wallOffset + PhoneCapture.received.nanoseconds + 100_000_000
      camera.script.segment([], fromServer: false, flags: 2)
      camera.script.segment([], fromServer: true, flags: 0x14)
    }
    let clock = try capture.align().get()
    #expect(clock.openings.map(\.isRefused) == [true])
    let facts = capture.judge(clock).facts
    #expect(facts.facts().map(\.kind) == [.mediaUnreachable])
    #expect(facts.join != nil && facts.shortfall == nil)
  }

  @Test(
    arguments: [
      ("rtsp://10.0.0.1/live", true), ("RTSP://10.0.0.1:554/live/", true), ("rtsp://u:p@10.0.0.1/live", true),
      ("rtsp://10.0.0.1/Live", false), ("rtsp://10.0.0.1:8554/live", false), ("rtsp://10.0.0.11/live", false),
      ("rtsp://10.0.0.1/live?x", false), ("rtsp://10.0.0.1", false), ("live", false),
    ])
  func theAddressIsComparedAsPlayersWriteIt(_ url: String, _ isSame: Bool) {
    #expect(WantedAddress(PhoneCapture.url)?.matches(url) == isSame)
  }
}
