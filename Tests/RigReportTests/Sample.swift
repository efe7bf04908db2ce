import RigModel
import RigReport
import Testing

/// Runs and records that the tests share.
enum Sample {
  static let stages = [
    "preflight", "configure-stream", "configure-hotspot", "enter-live-mode", "wait-for-hotspot", "connect-hotspot",
    "receive-address", "play", "start-session", "running", "finish", "clean-up",
  ]
  /// 2026-11-30T05:24:28.125Z
  static let startedAt: Int64 = 1_796_016_268_125_000_000
  static let origin = HostTime(nanoseconds: 9_007_199_254_740_993_001)

  static func at(_ milliseconds: Int64) -> HostTime { origin + .milliseconds(milliseconds) }

  static func planned(_ id: String, plan: String? = nil) -> PlannedCase {
    PlannedCase(
      id: id, plan: plan ?? String(id.prefix { $0 != "[" }), title: "Title of \(id)", flow: .rtspHotspot,
      file: "Scenarios/rtsp-hotspot/\(plan ?? String(id.prefix { $0 != "[" })).yaml", stages: stages)
  }

  static func header(_ cases: [PlannedCase], run: String = "r1", host: String = "bench-1") -> RunHeader {
    RunHeader(
      id: run, version: "1.0.0", startedAt: startedAt, origin: origin, hostName: host, seed: .max, time: .real,
      cases: cases)
  }

  /// Stages that pass one after the other, 500 ms each, up to `failing`, which fails; the rest is blocked.
  static func stages(failing: String? = nil, reason: String = "nothing came", expected: Bool = false) -> [StageRecord] {
    var out: [StageRecord] = []
    var failed = false
    for (index, id) in stages.enumerated() {
      let began = at(Int64(index) * 500)
      if failed {
        out.append(StageRecord(id: id, outcome: .blocked, reason: "blocked by \(failing ?? "")"))
      } else {
        failed = id == failing
        out.append(
          StageRecord(
            id: id, outcome: failed ? .failed : .passed, began: began, ended: began + .milliseconds(500),
            limit: .seconds(5), reason: failed ? reason : "", expectedToFail: failed && expected))
      }
    }
    return out
  }

  static func record(
    _ id: String = "success", device: String = "emu-1", attempt: Int = 1, _ verdict: Verdict = .pass,
    reason: String = "as expected", failing: String? = nil
  ) -> RunRecord {
    var record = RunRecord(
      planned: planned(id), device: device, attempt: attempt, seed: 42, started: at(0), ended: at(6250),
      verdict: verdict, reason: reason)
    record.stages = stages(failing: failing)
    record.failurePoint = failing.map { FailurePoint(name: $0) }
    record.reached = failing == nil ? .ended : .accepted
    return record
  }

  static let finding = Finding(
    check: "rtp.seq", severity: .error, message: "7 packets are missing",
    first: Evidence(
      file: "capture.pcapng", frame: 412, time: startedAt + 1, ssrc: 0x00AB_CDEF, sequence: 4711, offset: 88,
      excerpt: "80 60 12 67"),
    last: Evidence(frame: 590), count: 7, stage: .play)

  /// One of each result, as a run leaves it.
  static var records: [RunRecord] {
    var pass = record("success[transport=tcp]", reason: "the session ran and ended by user stop")
    pass.checks = [
      CheckGroupRecord(
        group: "rtp", judged: ["rtp.seq", "rtp.size.mtu"],
        findings: [
          Finding(
            check: "rtp.size.mtu", severity: .policy,
            message: "a packet of 1472 bytes <over> the usual & \"safe\" size",
            first: Evidence(file: "capture.pcapng", frame: 31))
        ]),
      CheckGroupRecord(group: "hls", judged: [], skipped: "no HLS in this flow", findings: []),
    ]
    pass.measurements = [Measurement("time-to-active", 4.25, "s"), Measurement("rtp.loss", 0.00001, "%")]
    pass.properties = [
      RunRecord.Property("firmware.version", "2.4.1"),
      RunRecord.Property("rtsp.url", "rtsp://admin:hunter22@10.0.0.1/live"),
    ]
    pass.artifacts = [
      Artifact(path: "cases/success-transport=tcp@emu-1/capture.pcapng", title: "packets"),
      Artifact(path: "cases/success-transport=tcp@emu-1/device.log", title: "device log"),
    ]

    var expected = record(
      "mode-entry-timeout", reason: "failed at enter-live-mode, as expected", failing: "enter-live-mode")
    expected.expectation = Expectation(
      failed: FailurePoint(StageID.enterLiveMode), reached: .accepted, never: ["rtspAddressReceived"])
    expected.stages = stages(failing: "enter-live-mode", reason: "no completion in 3 s", expected: true)
    expected.faults = [
      FaultRecord(text: "hang at enter-live-mode", fired: true, proof: "no enterLiveStreamingModeCompleted")
    ]

    var fail = record("no-picture", .fail, reason: "no key frame in 5 s", failing: "play")
    fail.checks = [CheckGroupRecord(group: "rtp", judged: ["rtp.seq"], findings: [finding])]

    var error = record("loss", .error, reason: "the fault did not fire: loss at play")
    error.faults = [FaultRecord(text: "loss at play", fired: false, proof: "no packet was dropped")]

    var weak = record("jitter", .inconclusive, reason: "14 packets were lost in the capture")
    weak.checks = [
      CheckGroupRecord(group: "timing", judged: ["timing.clock-rate"], inconclusive: "packets lost", findings: [])
    ]

    var skip = record("room", .skip, reason: "the rig has no device with hls")
    skip.stages = stages.map { StageRecord(id: $0, outcome: .skipped, reason: "the rig has no device with hls") }

    let first = record("flaky", .fail, reason: "the stream stalled", failing: "running")
    let second = record("flaky", attempt: 2, reason: "the session ran")
    return [pass, expected, fail, error, weak, skip, first, second]
  }

  static func events(_ records: [RunRecord], run: String = "r1", host: String = "bench-1") -> [RunEvent] {
    var cases: [PlannedCase] = []
    for record in records where !cases.contains(record.planned) { cases.append(record.planned) }
    var events: [RunEvent] = [.runStarted(header(cases, run: run, host: host))]
    for record in records {
      events.append(.caseStarted(caseID: record.planned.id, device: record.device, at: record.started))
      for stage in record.stages {
        if let began = stage.began, let ended = stage.ended {
          let id = StageID(rawValue: stage.id)
          events.append(
            .entry(
              caseID: record.planned.id,
              TimelineEntry(began, .stageBegan(id, deadline: stage.limit.map { began + $0 }))))
          events.append(
            .entry(
              caseID: record.planned.id,
              TimelineEntry(ended, .stageEnded(id, stage.outcome, reason: stage.reason))))
        }
      }
      events.append(.caseEnded(record))
    }
    return events + [.runEnded(at: at(60_000), interrupted: false)]
  }

  static func state(_ events: [RunEvent], redactor: Redactor = Redactor()) -> RunState {
    var state = RunState(redactor: redactor)
    for event in events { state.apply(event) }
    return state
  }

  static func state(of records: [RunRecord]) -> RunState { state(events(records)) }
}

/// Parses a report, and checks that each count in it is the sum of what stands below.
func checkedReport(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> XMLDocument.Node {
  let root = try XMLDocument.parse(text)
  #expect(root.name == "testsuites", sourceLocation: sourceLocation)
  #expect(text.utf8.count < JUnitReport.sizeLimit, sourceLocation: sourceLocation)
  var sums = [0, 0, 0]
  var names: Set<String> = []
  for suite in root.all("testsuite") {
    let cases = suite.all("testcase")
    let found = [
      cases.count, cases.count { $0.first("failure") != nil }, cases.count { $0.first("error") != nil },
      cases.count { $0.first("skipped") != nil },
    ]
    let said = ["tests", "failures", "errors", "skipped"].map(suite.number)
    #expect(found == said, "\(suite["name"])", sourceLocation: sourceLocation)
    for i in 0..<3 { sums[i] += said[i] }
    for one in cases {
      let outcomes = ["failure", "error", "skipped"].reduce(0) { $0 + one.all($1).count }
      #expect(outcomes <= 1, sourceLocation: sourceLocation)
      let unique = names.insert(one["classname"] + "\u{0}" + one["name"]).inserted
      #expect(unique, "\(one["classname"]) \(one["name"]) twice", sourceLocation: sourceLocation)
      expectTime(one["time"], sourceLocation)
    }
    expectTime(suite["time"], sourceLocation)
  }
  #expect(sums == ["tests", "failures", "errors"].map(root.number), sourceLocation: sourceLocation)
  expectTime(root["time"], sourceLocation)
  #expect(
    Set(root.all("testsuite").map { $0["name"] }).count == root.all("testsuite").count, sourceLocation: sourceLocation)
  return root
}

/// Digits, a point, three digits.
private func expectTime(_ text: String, _ sourceLocation: SourceLocation) {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  let isRight = parts.count == 2 && !parts[0].isEmpty && parts[1].count == 3 && parts.joined().allSatisfy(\.isNumber)
  #expect(isRight, "time \(text)", sourceLocation: sourceLocation)
}

extension XMLDocument.Node {
  func suite(_ name: String) throws -> XMLDocument.Node { try #require(all("testsuite").first { $0["name"] == name }) }
  func test(_ name: String) throws -> XMLDocument.Node { try #require(all("testcase").first { $0["name"] == name }) }
  func property(_ name: String) -> String? {
    first("properties")?.children.first { $0["name"] == name }?.attributes["value"]
  }
}
