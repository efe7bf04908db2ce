import RigModel
import RigReport
import Testing

@Suite struct JournalTests {
  /// Every kind of event and of timeline entry, with every optional member both there and not.
  static var events: [RunEvent] {
    let far = HostTime(nanoseconds: .max)
    let data: JSONValue = [
      "success": false,
      "error": ["domain": "hotspot", "code": -7, "message": "a \"quoted\" \u{1B}[31m\u{0}\n text \u{2028}"],
      "list": [1, .number(2.5), .null, true], "empty": [:], "big": .number(1e300),
    ]
    let whats: [TimelineEntry.What] =
      [
        .stageBegan(.play, deadline: far), .stageBegan("x-new", deadline: nil),
        .event(
          DeviceEvent(
            received: far, occurred: HostTime(nanoseconds: .min), timeError: .nanoseconds(-1), sequence: .max,
            boot: "b1", run: "r", name: "x.claim", source: "sdk", data: data)),
        .event(DeviceEvent(received: .zero, sequence: 0, boot: "", run: nil, name: "", source: "", data: .null)),
        .action("sent start"), .faultArmed("hang at play", id: "f1"), .faultFired("hang at play", proof: "no event"),
        .finding(Sample.finding), .finding(Finding(check: "a.b", severity: .policy, message: "")),
        .deviceLog("[12:00:01] \u{9B}31m log"), .note("noted"),
      ] + StageOutcome.allCases.map { .stageEnded(.finish, $0, reason: "because") }
      + [.stageEnded(.finish, .passed, reason: "")] + Gate.allCases.map { .gate($0) }
      + FactKind.allCases.map { .fact(Fact($0, by: .link, at: far, detail: "10.0.0.1")) }
      + [Witness.link, .capture, .media, .control, .rig].map { .fact(Fact(.firstPacket, by: $0, at: .zero)) }
    var records = Sample.records
    records += Verdict.allCases.map { Sample.record("v-\($0.rawValue)", $0) }
    records += FlowID.allCases.map { flow in
      var record = Sample.record("f")
      record.planned.flow = flow
      record.reached = nil
      record.seed = .max
      record.measurements = [
        Measurement("m", -0.1, ""), Measurement("i", .infinity, "s"), Measurement("j", -.infinity, "s"),
      ]
      record.checks = Severity.allCases.map {
        CheckGroupRecord(group: "g", judged: ["g.a"], findings: [Finding(check: "g.a", severity: $0, message: "m")])
      }
      return record
    }
    var virtual = Sample.header([Sample.planned("a")])
    virtual.time = .virtual
    virtual.rig = "bench"
    return [
      .runStarted(Sample.header(records.map(\.planned))), .runStarted(virtual),
      .caseStarted(caseID: "a", device: "emu-1", at: far), .runEnded(at: .zero, interrupted: true),
      .runEnded(at: far, interrupted: false),
    ] + whats.map { .entry(caseID: "a", TimelineEntry(far, $0)) } + records.map { .caseEnded($0) }
  }

  @Test func everyEventSurvivesTheJournal() throws {
    let redactor = Redactor()
    for event in Self.events {
      let line = JournalLine.encode(event)
      #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
      guard case .event(let back) = JournalLine.decode(line) else {
        Issue.record("not read: \(line)")
        continue
      }
      #expect(same(back, redactor.redact(event)), "\(line)")
      #expect(JournalLine.encode(back) == line)
    }
  }

  private func same(_ a: RunEvent, _ b: RunEvent) -> Bool {
    switch (a, b) {
    case (.runStarted(let x), .runStarted(let y)): x == y
    case (.caseStarted(let i, let d, let t), .caseStarted(let j, let e, let u)): i == j && d == e && t == u
    case (.entry(let i, let x), .entry(let j, let y)): i == j && x == y
    case (.caseEnded(let x), .caseEnded(let y)): x == y
    case (.runEnded(let t, let x), .runEnded(let u, let y)): t == u && x == y
    default: false
    }
  }

  @Test func notANumberSurvives() throws {
    var record = Sample.record()
    record.measurements = [Measurement("m", .nan, "s")]
    guard case .event(.caseEnded(let back)) = JournalLine.decode(JournalLine.encode(.caseEnded(record))) else {
      Issue.record("not read")
      return
    }
    #expect(back.measurements[0].value.isNaN)
  }

  @Test func timesAreExact() {
    let line = JournalLine.encode(.runEnded(at: HostTime(nanoseconds: 1_234_567_890_123_456), interrupted: false))
    #expect(line == #"{"kind":"run-ended","at":1234567890123456,"interrupted":false}"#)
    let late = JournalLine.encode(.runEnded(at: HostTime(nanoseconds: .max), interrupted: false))
    #expect(late == #"{"kind":"run-ended","at":"9223372036854775807","interrupted":false}"#)
  }

  @Test func deviceDataThatNoReaderTakesIsMadeReadable() {
    var deep: JSONValue = 1
    for _ in 0..<500 { deep = .array([deep]) }
    let data = JSONValue.object([
      .init("a", .integer(.max)), .init("a", 2), .init("n", .number(.nan)), .init("deep", deep),
    ])
    let event = DeviceEvent(received: .zero, sequence: 1, boot: "", run: nil, name: "e", source: "", data: data)
    let line = JournalLine.encode(.entry(caseID: "a", TimelineEntry(.zero, .event(event))))
    guard case .event(.entry(_, let entry)) = JournalLine.decode(line), case .event(let back) = entry.what else {
      Issue.record("not read: \(line)")
      return
    }
    #expect(back.data["a"]?.string == "9223372036854775807")
  }

  @Test func aReaderSkipsWhatItDoesNotKnow() {
    func isUnknown(_ line: String) -> Bool { if case .unknown = JournalLine.decode(line) { true } else { false } }
    #expect(isUnknown(#"{"kind":"lease-taken","x":1}"#))
    #expect(isUnknown(#"{"kind":"entry","case":"a","at":1,"what":{"is":"telepathy"}}"#))
    #expect(isUnknown(#"{"kind":"entry","case":"a","at":1,"what":{"is":"gate","gate":"beyond"}}"#))
    guard
      case .event(.caseStarted("a", "d", HostTime(nanoseconds: 5))) = JournalLine.decode(
        #"{"kind":"case-started","case":"a","device":"d","at":5,"colour":"blue"}"#)
    else {
      Issue.record("an additional member must not matter")
      return
    }
  }

  @Test func aPlannedCaseOfAnUnknownFlowDoesNotSpoilTheHeader() {
    let line = JournalLine.encode(.runStarted(Sample.header([Sample.planned("a"), Sample.planned("b")])))
    let newer = line.replacingFirst("rtsp-hotspot", with: "teleport")
    guard case .event(.runStarted(let header)) = JournalLine.decode(newer) else {
      Issue.record("the header must be read")
      return
    }
    #expect(header.cases.map(\.id) == ["b"])
  }

  @Test(arguments: ["", "{}", "null", "[1]", #"{"kind":"entry"}"#, #"{"kind":5}"#, "\u{0}\u{0}", #"{"kind":"run-en"#])
  func damageIsNoTrap(line: String) {
    guard case .damaged = JournalLine.decode(line) else {
      Issue.record("should be damaged: \(line)")
      return
    }
  }

  private func journal(_ events: [RunEvent]) -> [UInt8] {
    events.flatMap { Array((JournalLine.encode($0) + "\n").utf8) }
  }

  @Test func aJournalCutAnywhereIsReadUpToTheCut() {
    let events = Sample.events([Sample.record("a"), Sample.record("b", .fail, failing: "play")])
    let bytes = journal(events)
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }
    for cut in stride(from: 0, to: bytes.count, by: 97) {
      let state = RunState(journal: bytes[..<cut])
      // A line is whole when its last byte is there, with or without its line end.
      let whole = ends.count { $0 <= cut }
      #expect(state.damagedLines == (cut == 0 || bytes[cut - 1] == 0x0A || ends.contains(cut) ? 0 : 1), "cut at \(cut)")
      let same = Sample.state(Array(events[..<whole]))
      #expect(state.finished.count == same.finished.count && state.running.count == same.running.count)
    }
  }

  @Test func aDamagedLineInTheMiddleIsCountedAndShown() throws {
    var bytes = journal(Sample.events([Sample.record("a"), Sample.record("b")]))
    let last = try #require(bytes.lastIndex { $0 == 0x0A })
    let before = try #require(bytes[..<last].lastIndex { $0 == 0x0A })
    bytes[before - 5] = 0xFF
    let state = RunState(journal: bytes)
    #expect(state.damagedLines == 1 && state.ended != nil)
    let root = try checkedReport(JUnitReport.render(state))
    #expect(try root.suite("run").test("finished").first("error")?["type"] == "damaged-journal")
    #expect(RunSummary(state).exitStatus == 3)
  }

  @Test func chunksOfAnySizeGiveTheSameEvents() {
    let bytes = journal(Sample.events(Array(Sample.records.prefix(2))))
    for size in [1, 7, 4096, bytes.count] {
      var reader = JournalReader()
      var state = RunState()
      var at = 0
      while at < bytes.count {
        let end = min(at + size, bytes.count)
        reader.read(bytes[at..<end]) { state.apply($0) }
        at = end
      }
      reader.finish { state.apply($0) }
      #expect(JUnitReport.render(state) == JUnitReport.render(RunState(journal: bytes)), "chunks of \(size)")
    }
  }

  @Test(arguments: JUnitReport.Profile.allCases)
  func theReportRebuiltFromTheJournalIsTheSameToTheByte(profile: JUnitReport.Profile) {
    let redactor = Redactor(secrets: ["hunter22", "emu"], hidesStreamKeys: true)
    let events = Sample.events(Sample.records)
    for count in [1, 2, events.count / 2, events.count - 1, events.count] {
      let live = Sample.state(Array(events.prefix(count)), redactor: redactor)
      let bytes = events.prefix(count).flatMap { Array((JournalLine.encode($0, redactor: redactor) + "\n").utf8) }
      let merged = RunState(journal: bytes)
      #expect(JUnitReport.render(live, profile: profile) == JUnitReport.render(merged, profile: profile))
    }
  }

  @Test func aResumedRunGoesOnInTheSameState() throws {
    let records = [Sample.record("a"), Sample.record("b")]
    let events = Sample.events(records)
    let killed = try #require(events.lastIndex { if case .caseStarted = $0 { true } else { false } })
    var bytes = journal(Array(events[...killed])) + Array(#"{"kind":"ent"#.utf8) + [0x0A]
    bytes += journal([
      .runStarted(Sample.header([Sample.planned("b")])), .caseStarted(caseID: "b", device: "emu-1", at: Sample.at(1)),
      .caseEnded(records[1]), .runEnded(at: Sample.at(9), interrupted: false),
    ])
    let state = RunState(journal: bytes)
    let root = try checkedReport(JUnitReport.render(state))
    #expect(root.all("testsuite").map { $0["name"] } == ["a on emu-1", "b on emu-1"])
    #expect(RunSummary(state).exitStatus == 0)
  }
}

extension String {
  func replacingFirst(_ text: String, with other: String) -> String {
    let bytes = Array(utf8)
    let pattern = Array(text.utf8)
    guard bytes.count >= pattern.count else { return self }
    for at in 0...(bytes.count - pattern.count) where bytes[at..<(at + pattern.count)].elementsEqual(pattern) {
      return String(decoding: bytes[..<at] + Array(other.utf8) + bytes[(at + pattern.count)...], as: UTF8.self)
    }
    return self
  }
}
