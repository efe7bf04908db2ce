import RigModel
import RigWire
import Testing

@testable import RigChecks

@Suite struct PhoneFactsTests {
  private func facts(
    _ clockError: Duration = .seconds(3600), cut: Duration? = nil, _ script: (inout ScriptedCamera) -> Void
  ) throws -> (facts: [Fact], all: PhoneFacts, result: AnalysisResult, pictures: [CodedPicture]) {
    var capture = PhoneCapture(clockError: clockError)
    capture.session(script)
    if let cut { capture.cut(at: cut) }
    let question = PhoneCapture.question(words: [clockError])
    let (result, facts, pictures) = capture.judge(try capture.align(question).get(), question)
    return (facts.facts(), facts, result, pictures)
  }

  @Test func aHealthySessionGivesWhatThePlayerWouldHaveSeen() throws {
    let (facts, all, result, pictures) = try facts { PhoneCapture.healthy(&$0) }
    #expect(facts.map(\.kind) == [.mediaOpened, .firstPacket, .keyFrame])
    #expect(facts.allSatisfy { $0.witness == .phone })
    let key = try #require(facts.last?.time)
    #expect(key > PhoneCapture.received + .milliseconds(150) && key < PhoneCapture.received + .milliseconds(200))
    #expect(all.shortfall == nil)
    #expect(all.join?.data["host"] == "10.0.0.1")
    #expect(result.worst != .error, "\(result.findings)")
    #expect(pictures.count == 147)
    // The parameter sets of the description, then those in band, then the picture from its three fragments.
    #expect(pictures.first?.nalTypes == [7, 8, 7, 8, 5])
    #expect(pictures.first?.bytes.suffix(9) == [0x65, 0x88, 1, 2, 3, 4, 5, 6, 7])
    #expect(pictures.dropFirst().first?.nalTypes == [1])
  }

  @Test func evidenceHasTheTimeOfThisMachine() throws {
    let (_, _, result, _) = try facts { PhoneCapture.healthy(&$0) }
    let first = try #require(result.streams.first?.firstTime)
    #expect(abs(first - PhoneCapture.wallOffset - PhoneCapture.received.nanoseconds) < 1_000_000_000)
  }

  @Test(
    arguments: [
      ("404 Not Found", "DESCRIBE was answered 404 (frame 7)"),
      ("503 Service Unavailable", "DESCRIBE was answered 503"),
      ("302 Moved", "DESCRIBE was answered 302"), ("401 Unauthorized", "DESCRIBE was answered 401"),
    ])
  func anErrorOfTheServerIsWhatKeptTheMediaAway(_ status: String, _ detail: String) throws {
    let (facts, all, _, _) = try facts { camera in
      camera.options()
      camera.ask("DESCRIBE")
      camera.answer(status)
      camera.script.close()
    }
    #expect(facts.map(\.kind) == [.mediaFailed])
    #expect(facts.first?.detail.hasPrefix(detail) == true, "\(facts)")
    #expect(all.shortfall == nil)
  }

  @Test func aChallengeThatIsAnsweredIsNoError() throws {
    let (facts, _, _, _) = try facts { camera in
      camera.ask("DESCRIBE")
      camera.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\n")
      camera.start()
      camera.script.wait(6)
    }
    #expect(facts.map(\.kind) == [.mediaOpened])
  }

  @Test func aServerThatHangsUpIsSeen() throws {
    let (facts, _, _, _) = try facts { camera in
      camera.options()
      camera.ask("DESCRIBE")
      camera.script.close(fromServer: true)
    }
    #expect(facts.map(\.kind) == [.mediaFailed])
    #expect(facts.first?.detail.hasPrefix("DESCRIBE was not answered, the server closed") == true)
  }

  @Test func mediaWithoutAKeyFrameHasNone() throws {
    let (facts, all, _, pictures) = try facts { camera in
      camera.start()
      camera.video(147, gop: 1000) { $0 < 4 ? [] : [$1] }
      camera.teardown()
    }
    #expect(facts.map(\.kind) == [.mediaOpened, .firstPacket])
    #expect(all.shortfall == nil)
    #expect(pictures.count == 146)
  }

  @Test func aPauseIsSeenWithItsTime() throws {
    let (facts, _, _, _) = try facts { camera in
      camera.start()
      camera.video(25)
      camera.script.wait(3)
      camera.video(40)
      camera.teardown()
    }
    #expect(facts.map(\.kind) == [.mediaOpened, .firstPacket, .keyFrame, .mediaGap, .mediaResumed])
    let gap = try #require(facts.first { $0.kind == .mediaGap }?.time)
    // 0.15 s, some packets, 24 pictures of 40 ms, and the limit of two seconds.
    #expect(gap - PhoneCapture.received > .milliseconds(3110) && gap - PhoneCapture.received < .milliseconds(3150))
  }

  /// Only packets that come later show that the recorder still ran.
  @Test(arguments: [true, false]) func silenceIsOneOnlyWhileTheRecorderRuns(_ runs: Bool) throws {
    let (facts, all, _, _) = try facts { camera in
      camera.start()
      camera.video(50)
      camera.script.wait(3.5)
      if runs { camera.teardown() }
    }
    #expect(facts.contains { $0.kind == .mediaGap } == runs)
    #expect((all.shortfall == nil) == runs, "\(all.shortfall ?? "")")
  }

  @Test func aCaptureThatBreaksOffSaysSo() throws {
    let (facts, all, _, _) = try facts(cut: .seconds(3)) { PhoneCapture.healthy(&$0) }
    #expect(facts.last?.kind == .keyFrame)
    #expect(all.shortfall?.hasPrefix("it ends 3.") == true || all.shortfall?.hasPrefix("it ends 3 s") == true)
    let (early, none, _, _) = try self.facts(cut: .milliseconds(160)) { camera in
      camera.options()
      camera.script.wait(1)
      PhoneCapture.healthy(&camera)
    }
    #expect(early.isEmpty)
    #expect(none.shortfall?.contains("before the first key frame was due") == true)
  }

  /// It opens the address 2.7 s after it came, and only the requests tell the phone's clock.
  @Test(arguments: [true, false]) func aSlowPlayerIsTakenForWholeIfItTookItsLeave(_ leaves: Bool) throws {
    var capture = PhoneCapture(clockError: .seconds(10_800))
    capture.session(after: .milliseconds(2_700)) { camera in
      camera.start()
      camera.video(82)
      if leaves { camera.teardown() }
    }
    let clock = try capture.align().get()
    #expect((capture.judge(clock).facts.shortfall == nil) == leaves)
  }

  @Test func aFragmentThatIsMissingSpoilsItsUnitAlone() throws {
    let (_, _, _, pictures) = try facts { camera in
      camera.start()
      // Packet 2 is the middle of the first key picture.
      camera.video(30) { $0 == 2 ? [] : [$1] }
    }
    #expect(pictures.first?.nalTypes == [7, 8, 7, 8])
    #expect(pictures.filter { $0.nalTypes.contains(5) }.count == 1)
  }

  @Test func aPacketThatComesTwiceIsTakenOnce() throws {
    let (_, _, _, pictures) = try facts { camera in
      camera.start()
      camera.video(30) { [$1, $1] }
    }
    #expect(pictures.count == 30)
    #expect(pictures.first?.nalTypes == [7, 8, 7, 8, 5])
  }

  /// Real servers: as many pictures come out as the checks count, and each key frame among them.
  @Test(arguments: ["gst_av_tcp", "gst_av_udp", "gst_h265_tcp", "gst_ipv6_udp"])
  func picturesOfRealServersAreWhole(_ name: String) throws {
    var reader = CaptureReader()
    reader.push(try Fixture.bytes(name))
    var analyzer = CaptureAnalyzer()
    analyzer.collectPictures()
    while let packet = try reader.next() {
      analyzer.see(
        frame: reader.buffer.span.bytes.extracting(packet.range), number: packet.number, time: packet.time,
        link: packet.linkType)
    }
    let pictures = analyzer.takePictures()
    let result = analyzer.finish()
    let video = try #require(result.streams.first { $0.isVideo })
    #expect(abs(Int64(pictures.count) - video.frames) <= 1)
    let keys = pictures.filter { picture in
      H264Packetizer.units(annexB: picture.bytes).contains { unit in
        let first = unit.first ?? 0
        return picture.codec == .h264 ? first & 31 == 5 : 16...21 ~= first >> 1 & 63
      }
    }
    #expect(Int64(keys.count) == video.keyFrames)
  }
}
