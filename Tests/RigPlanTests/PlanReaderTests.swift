import RigModel
import RigPlan
import RigYAML
import Testing

@Suite struct PlanReaderTests {
  @Test func wholePlanIsRead() throws {
    let reading = Sample.read(Sample.full)
    #expect(reading.diagnostics.map(\.description) == [])
    let parsed = try #require(reading.plan)
    let plan = parsed.plan
    #expect(plan.id == "mode-entry-timeout")
    #expect(plan.title == "The device never finishes entering live mode")
    #expect(plan.flow == .rtspHotspot)
    #expect(plan.tags == ["fault", "smoke"])
    #expect(plan.needs == ["rtsp"])
    #expect(plan.deviceModel == "*")
    #expect(
      plan.params
        == StreamParameters(bitrate: BitRate(bitsPerSecond: 4_000_000), qualityFactor: 20, iFrameInterval: 29))
    #expect(plan.transport == .tcp)
    #expect(plan.playFor == .seconds(5))
    #expect(plan.limits == ["enter-live-mode": .seconds(3), "media-gap": .milliseconds(250)])
    #expect(
      plan.expect == Expectation(failed: .init(.enterLiveMode), reached: .accepted, never: ["rtspAddressReceived"]))
    #expect(plan.checks == ["rtcp.sr.present": .off, "rtp.initial.random": .policy, "rtp.seq": .on])
    #expect(plan.strict)
    #expect(plan.position == SourcePosition(file: "p.yaml", line: 1, column: 1))
    #expect(
      plan.faults.map(\.text) == ["hang at enter-live-mode", "delay at running", "status at play", "rate at running"])
    #expect(
      plan.faults[1].arguments == ["time": .duration(.milliseconds(20)), "share": .percent(Percent(fraction: 0.025))])
    #expect(
      plan.faults[2].arguments == [
        "code": .integer(454), "method": .text("SETUP"), "reason": .text("Session Not Found"), "once": .flag(true),
      ])
    #expect(plan.faults[2].position == SourcePosition(file: "p.yaml", line: 15, column: 5))
    #expect(plan.faults[3].arguments == ["limit": .bitRate(BitRate(bitsPerSecond: 500_000))])
    #expect(parsed.faultLayers == ["flow", "link", "rtsp", "link"])
    #expect(parsed.drivable)
  }

  @Test func fourKeysAreEnough() throws {
    let parsed = try #require(Sample.read(Sample.plan()).plan)
    #expect(parsed.plan.deviceModel == "*")
    #expect(parsed.plan.params == nil)
    #expect(parsed.plan.transport == .tcp)
    #expect(parsed.plan.playFor == .seconds(5))
    #expect(parsed.cases(seed: 1).map(\.id) == ["p"])
    #expect(Sample.read(Sample.plan("params: default\ntags: []\nfaults: []\n")).plan != nil)
  }

  @Test func undrivableFlowIsValid() throws {
    let parsed = try #require(Sample.read(Sample.plan(flow: "hls-room", "faults: [{at: playable, do: no-url}]\n")).plan)
    #expect(!parsed.drivable)
  }

  @Test func contradictionBetweenFaultsAndExpectationIsAllowed() {
    #expect(Sample.errors("faults: [{at: start-session, do: hang}]\nexpect: {failed: control-link}\n") == [])
  }

  @Test func settingsAreWordsNotBooleans() {
    #expect(Sample.errors("checks: {rtp.seq: off}\n") == [])
    #expect(
      Sample.errors("checks: {rtp.seq: false}\n") == [
        "p.yaml:5:19: checks.rtp.seq: \"false\" is not a setting, expected one of on, policy, off"
      ])
    #expect(
      Sample.errors("strict: yes\n") == ["p.yaml:5:9: strict: \"yes\" is not a flag, expected true or false"])
  }

  @Test func missingKeysAreReportedAtTheirMapping() {
    #expect(
      Sample.read("# a comment\nflow: hls-room\n").diagnostics.map(\.description) == [
        "p.yaml:2:1: version: is missing, expected 1",
        "p.yaml:2:1: plan: is missing, expected only a-z, 0-9 and -, at most 64 characters",
        "p.yaml:2:1: title: is missing, expected one line of text, at most 200 characters",
      ])
    #expect(
      Sample.read("[a]").diagnostics.map(\.description).first?.hasPrefix("p.yaml:1:1: is a list, expected") == true)
    #expect(Sample.read("plan").diagnostics.first?.description.hasPrefix("p.yaml:1:1: is \"plan\", expected") == true)
  }

  @Test func otherVersionsAreRefused() {
    let reading = Sample.read("version: 2\nplan: p\ntitle: t\nflow: rtsp-hotspot\n")
    #expect(reading.plan == nil)
    #expect(
      reading.diagnostics.map(\.description) == ["p.yaml:1:10: version: version \"2\" is not supported, expected 1"])
  }

  @Test func allErrorsComeInOnePassAndInOrder() {
    let text = """
      tilte: x
      play-for: 3
      transport: tpc
      needs: [wifi, rtsp, rtsp]
      params: {bitrate: 4, quality-factor: -1}
      limits: {plya: 1 s, play: 0 s}
      checks: {rtp.sq: on}
      device: {modle: x}
      tags: fast
      title: again

      """
    #expect(
      Sample.errors(text) == [
        "p.yaml:5:1: tilte: is an unknown key, expected one of version, plan, title, flow, extends, tags, needs, "
          + "device, params, transport, play-for, limits, measure, checks, strict, faults and 5 more; did you mean \"title\"?",
        "p.yaml:6:11: play-for: \"3\" needs a unit, expected ms, s, min or h, such as 3 s",
        "p.yaml:7:12: transport: \"tpc\" is not a transport, expected one of udp, tcp; did you mean \"tcp\"?",
        "p.yaml:8:9: needs[0]: \"wifi\" is not a capability, expected one of rtsp, hotspot, usb",
        "p.yaml:8:21: needs[2]: repeats item [1] (rtsp), expected each value once",
        "p.yaml:9:9: params.i-frame-interval: is missing, expected a whole number from 0 to 1000000",
        "p.yaml:9:19: params.bitrate: \"4\" needs a unit, expected bit/s, kbit/s or Mbit/s, such as 4 Mbit/s",
        "p.yaml:9:38: params.quality-factor: -1 is out of range, expected a whole number from 0 to 1000000",
        "p.yaml:10:10: limits.plya: is not a limit of rtsp-hotspot, expected one of configure-hotspot, "
          + "enter-live-mode, play, finish, media-gap, quiet-wire; did you mean \"play\"?",
        "p.yaml:10:27: limits.play: \"0 s\" is no time at all, expected more than 0 s",
        "p.yaml:11:10: checks.rtp.sq: is not a check, expected one of rtcp.sr.present, rtp.initial.random, rtp.seq; "
          + "did you mean \"rtp.seq\"?",
        "p.yaml:12:9: device.model: is missing, expected a model, or a pattern such as \"*\", of letters, digits, "
          + "spaces and ._+-*?, at most 64 characters",
        "p.yaml:12:10: device.modle: is an unknown key, expected model; did you mean \"model\"?",
        "p.yaml:13:7: tags: is \"fast\", expected a list, such as [a, b]",
        "p.yaml:14:1: title: is a duplicate key, expected each key once; the first is on line 3",
      ])
  }

  @Test func namesOfAnotherFlowAreRefused() {
    #expect(
      Sample.errors("expect: {failed: playable, reached: accepted, never: [HLS_STARTED]}\n") == [
        "p.yaml:5:18: expect.failed: \"playable\" is not a failure point of rtsp-hotspot, expected one of preflight, "
          + "configure-stream, configure-hotspot, enter-live-mode, connect-hotspot, receive-address, play, "
          + "start-session, running, finish, clean-up, protocol-order, control-link, rig",
        "p.yaml:5:55: expect.never[0]: \"HLS_STARTED\" is not an event of rtsp-hotspot, expected one of "
          + "rtspAddressReceived, sessionStartCompletion, sessionFinish",
      ])
  }

  @Test func misspeltFlowLetsNamesOfAnyFlowPass() {
    let reading = Sample.read(
      Sample.plan(flow: "rtsp-hotpsot", "faults: [{at: playable, do: no-url}]\nlimits: {starting: 1 s}\n"))
    #expect(
      reading.diagnostics.map(\.description) == [
        "p.yaml:4:7: flow: \"rtsp-hotpsot\" is not a flow, expected one of rtsp-hotspot, hls-room; "
          + "did you mean \"rtsp-hotspot\"?"
      ])
    #expect(reading.plan == nil)
  }

  @Test func titlesAreOneLineOfPlainText() {
    func title(_ text: String) -> String? {
      Sample.read("version: 1\nplan: p\nflow: hls-room\ntitle: \(text)\n").diagnostics.first?.description
    }
    #expect(title("off") == nil)
    #expect(title("5") == nil)
    #expect(title("") == "p.yaml:4:7: title: is empty, expected one line of text, at most 200 characters")
    #expect(title("\"  \"") == "p.yaml:4:8: title: is blank, expected one line of text")
    #expect(
      title("\"a\\e[2Jb\"")
        == "p.yaml:4:8: title: holds the control character U+001B, expected one line of plain text")
    #expect(
      title(String(repeating: "é", count: 201)) == "p.yaml:4:8: title: is 201 characters long, expected at most 200")
  }

  @Test func threeZerosAreDoubtful() throws {
    let reading = Sample.read(Sample.plan("params: {bitrate: 0, quality-factor: 0, i-frame-interval: 0}\n"))
    #expect(reading.plan != nil)
    #expect(
      reading.diagnostics.map(\.description) == [
        "p.yaml:5:9: warning: params: 0/0/0 asks for lossless video, not for the device's defaults, "
          + "expected default if those are meant"
      ])
  }

  @Test func errorsOfTheParserRefuseThePlan() {
    let reading = Sample.read(Sample.plan("tags: [*a]\n"))
    #expect(reading.plan == nil)
    #expect(reading.declaredID?.id == "p")
    #expect(reading.diagnostics.count == 1)
  }

  @Test func diagnosticsAreBounded() {
    let lines = (0..<5_000).map { "k\($0): 1\n" }.joined()
    let errors = Sample.errors(lines)
    #expect(errors.count == DiagnosticList.limit + 1)
    #expect(errors.last == "p.yaml:104:1: 4900 more errors are not shown")
  }
}

@Suite struct ExpectationTests {
  private func errors(_ expect: String) -> [String] { Sample.errors("expect: {\(expect)}\n") }

  @Test func gatesBehindTheFailureAreRefused() {
    #expect(
      errors("failed: enter-live-mode, reached: media") == [
        "p.yaml:5:44: expect.reached: gate media cannot be reached when enter-live-mode fails, "
          + "expected one of ready, accepted"
      ])
    #expect(
      errors("failed: preflight, reached: ready") == [
        "p.yaml:5:38: expect.reached: gate ready cannot be reached when preflight fails, expected no gate at all"
      ])
    #expect(errors("failed: play, reached: active").count == 1)
    #expect(errors("failed: start-session, reached: active").count == 1)
  }

  @Test func gatesBeforeTheFailureAndTheLastGateAreFine() {
    #expect(errors("failed: start-session, reached: media") == [])
    #expect(errors("failed: running, reached: active") == [])
    // A session may still finish after a failure.
    #expect(errors("failed: play, reached: ended") == [])
    #expect(errors("failed: control-link, reached: active") == [])
    #expect(errors("failed: clean-up, reached: ended") == [])
  }

  @Test func openEndedStageHasOpenedItsOwnGate() {
    let flow = Flow(
      id: .rtspHotspot,
      stages: [
        .init(.play, begins: .event("a"), completes: [], gate: .media, limit: .seconds(1), summary: ""),
        .init(.running, begins: .completed(.play), completes: [], gate: .active, limit: nil, summary: ""),
        .init(.finish, begins: .completed(.running), completes: [], gate: .ended, limit: .seconds(1), summary: ""),
      ], gateOrder: [.media, .active, .ended], limits: [], events: [], drivable: true)
    for (failed, count) in [("running", 0), ("play", 1)] {
      let text = Sample.plan("expect: {failed: \(failed), reached: active}\n")
      let reading = YAMLDocument.readPlan(
        bytes: Array(text.utf8), file: "p.yaml", vocabulary: Sample.vocabulary, flows: [flow])
      #expect(reading.diagnostics.count == count)
    }
  }

  @Test func withoutFlowsTheRuleIsLeftOut() {
    let text = Sample.plan("expect: {failed: play, reached: active}\n")
    let reading = YAMLDocument.readPlan(bytes: Array(text.utf8), file: "p.yaml", vocabulary: Sample.vocabulary)
    #expect(reading.plan != nil)
  }
}

@Suite struct FaultTests {
  private func errors(_ fault: String) -> [String] { Sample.errors("faults:\n  - {\(fault)}\n") }

  @Test func illegalStageListsTheLegalOnesInFlowOrder() {
    #expect(
      errors("at: finish, do: hang") == [
        "p.yaml:6:10: faults[0].at: \"hang\" cannot act at \"finish\", expected one of configure-hotspot, "
          + "enter-live-mode, start-session"
      ])
  }

  @Test func verbOfAnotherFlowIsRefused() {
    #expect(
      errors("at: play, do: no-url") == [
        "p.yaml:6:20: faults[0].do: \"no-url\" does not act in rtsp-hotspot, expected a fault of this flow; "
          + "it acts in hls-room"
      ])
  }

  @Test func misspeltStageAndVerb() {
    let lines = errors("at: runing, do: hnag")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("p.yaml:6:10: faults[0].at: \"runing\" is not a stage of rtsp-hotspot, expected one of"))
    #expect(lines[0].hasSuffix("; did you mean \"running\"?"))
    #expect(
      lines[1]
        == "p.yaml:6:22: faults[0].do: \"hnag\" is not a fault, expected one of hang, delay, status, rate, no-url; "
        + "did you mean \"hang\"?")
  }

  @Test func theMeaningLegalAtTheStageIsTaken() throws {
    #expect(errors("at: running, do: delay, time: 1 s") == [])
    #expect(errors("at: enter-live-mode, do: delay, by: 1 s") == [])
    #expect(
      errors("at: running, do: delay, by: 1 s") == [
        "p.yaml:6:5: faults[0].time: is missing, expected a duration with a unit, such as 3 s",
        "p.yaml:6:30: faults[0].by: is an unknown key, expected one of at, do, time, share",
      ])
  }

  @Test func argumentsAreTyped() {
    #expect(
      errors("at: play, do: status, code: many, method: PLAI, once: maybe, reson: x") == [
        "p.yaml:6:34: faults[0].code: \"many\" is not a whole number, expected a whole number, such as 200",
        "p.yaml:6:48: faults[0].method: \"PLAI\" is not a choice of method, expected one of OPTIONS, DESCRIBE, SETUP, "
          + "PLAY; did you mean \"PLAY\"?",
        "p.yaml:6:60: faults[0].once: \"maybe\" is not a flag, expected true or false",
        "p.yaml:6:67: faults[0].reson: is an unknown key, expected one of at, do, code, method, reason, once; "
          + "did you mean \"reason\"?",
      ])
    #expect(
      errors("at: running, do: delay, time: 20, share: 5") == [
        "p.yaml:6:36: faults[0].time: \"20\" needs a unit, expected ms, s, min or h, such as 3 s",
        "p.yaml:6:47: faults[0].share: \"5\" needs a unit, expected %, such as 5 %",
      ])
    #expect(errors("at: running, do: rate, limit: 0").count == 1)
    #expect(errors("at: play, do: status, code: 99999999999999999999, method: PLAY").count == 1)
  }

  @Test func missingParts() {
    #expect(errors("do: hang").count == 1)
    #expect(errors("at: play").count == 1)
    #expect(
      Sample.errors("faults:\n  - hang\n  - []\n") == [
        "p.yaml:6:5: faults[0]: is \"hang\", expected a mapping with at, do and the fault's arguments",
        "p.yaml:7:5: faults[1]: is a list, expected a mapping with at, do and the fault's arguments",
      ])
    #expect(
      Sample.errors("faults: hang\n") == [
        "p.yaml:5:9: faults: is \"hang\", expected a list of faults, such as [{at: STAGE, do: VERB}]"
      ])
  }

  @Test func equalFaultsMayRepeat() {
    #expect(
      Sample.errors(
        "faults: [{at: play, do: status, code: 500, method: PLAY}, "
          + "{at: play, do: status, code: 500, method: PLAY}]\n") == [])
  }
}
