import RigChecks
import RigDevice
import RigFlow
import RigModel
import RigWire

/// From what was observed to the record.
extension CaseRun {
  /// A timed-out limit is in doubt where the loop itself was late by more than this share of it.
  private static let lagShare = 10

  func conclude(
    capture: CaptureOutcome?, clockError: Duration?, damaged: Int, started: HostTime, ended: HostTime
  ) -> RunRecord {
    for fact in measuredFacts(capture, at: ended) { entry(.fact(fact), at: ended) }
    var groups = gatherGroups(capture)
    for group in groups {
      for finding in group.findings { entry(.finding(finding), at: ended) }
    }
    groups.sort { order($0.group) < order($1.group) }
    if let problem = capture?.problem { rigProblems.append(problem) }
    if let problem = environment.files.problem { rigProblems.append(problem) }
    let session = judged
    var failure = session.failure
    var doubts = session.doubts
    if let more = allowance.dropped[.events] {
      doubts.append("the device sent \(more) events more than the \(Allowance.Kind.events.most) that are judged")
    }
    if let more = allowance.dropped[.early] {
      doubts.append("\(more) events more than \(Allowance.Kind.early.most) came before the answer to start")
    }
    if eventsLost > 0 { doubts.append("\(eventsLost) events were lost on the control link") }
    // How long the phone waited for its key frame does not depend on this machine.
    if let failed = timedOut, topology.player == .harness || failed.id != StageID.play.rawValue,
      let limit = failed.limit, let lag = environment.lag(failed.began ?? started),
      lag * CaseRun.lagShare > limit
    {
      failure?.doubt = "the harness itself was late by \(lag.text)"
    }
    let measurements = measurements(capture)
    let measures = MeasureRule(measurements, lag: environment.lag(started)) { [summary, environment] info in
      CaseRun.obstacle(to: info, capture, environment, isPlayed: summary != nil)
    }.judge(item.plan.measure)
    let ruling = Judge.rule(
      Judge.Evidence(
        expectation: item.plan.expect, flow: flow, failure: failure, reached: session.reached, stages: session.stages,
        doubts: doubts, faults: zip(provers, faultRecords).map { ($0.prover.request, $1, $0.definition.trips) },
        groups: groups, measures: measures, eventsSeen: eventsSeen, rigProblems: rigProblems,
        agentUnderTest: hello?.underTest ?? false, unwitnessed: phone.unwitnessed))
    return RunRecord(
      planned: planned, device: environment.deviceName, seed: item.seed, started: started, ended: ended,
      verdict: skipReason == nil ? ruling.verdict : .skip, reason: skipReason ?? ruling.reason,
      expectation: item.plan.expect, failurePoint: ruling.failurePoint, reached: session.reached,
      stages: stageRecords(ruling), faults: faultRecords, checks: groups,
      measurements: measurements, measures: measures, properties: properties(capture, clockError, damaged),
      artifacts: environment.files.artifacts)
  }

  private var timedOut: StageRecord? {
    judged.stages.first { $0.outcome == .failed && $0.reason.hasPrefix("timed out") }
  }

  private func stageRecords(_ ruling: Judge.Ruling) -> [StageRecord] {
    judged.stages.map { record in
      var record = record
      record.expectedToFail = item.plan.expect.failed?.name == record.id && ruling.verdict == .pass
      return record
    }
  }

  // MARK: Checks

  private func gatherGroups(_ capture: CaptureOutcome?) -> [CheckGroupRecord] {
    var groups: [CheckGroupRecord] = []
    if let capture {
      groups = capture.result.groups
    } else {
      for info in CheckCatalog.wire.map({ $0.info }) where !groups.contains(where: { $0.group == info.group }) {
        groups.append(
          CheckGroupRecord(group: info.group, judged: [], skipped: environment.captureSkipped, findings: []))
      }
    }
    groups.append(
      CheckGroupRecord(group: "flow", judged: FlowCheckCatalog.infos.map(\.id), findings: checks.finish()))
    if let player = playerFindings(capture) {
      if let i = groups.firstIndex(where: { $0.group == "media" }) {
        groups[i].findings += player
        groups[i].skipped = ""
        if !groups[i].judged.contains("media.decodable") { groups[i].judged.append("media.decodable") }
      } else {
        groups.append(CheckGroupRecord(group: "media", judged: ["media.decodable"], findings: player))
      }
    }
    return groups.map { apply(settings: item.plan.checks, to: $0) }
  }

  private func apply(settings: [String: CheckSetting], to group: CheckGroupRecord) -> CheckGroupRecord {
    var group = group
    group.judged.removeAll { settings[$0] == .off }
    group.findings = group.findings.compactMap { finding in
      var finding = finding
      switch settings[finding.check] {
      case .off: return nil
      case .policy: finding.severity = .policy
      default: break
      }
      return finding
    }
    return group
  }

  /// What the decoder says; `nil` where nothing was played.
  private func playerFindings(_ capture: CaptureOutcome?) -> [Finding]? {
    guard let summary else { return nil }
    guard summary.decodeErrors > 0 else { return [] }
    var message = "\(summary.decodeErrors) decode errors"
    // The decoder is fed a packet that came twice two times, where RFC 3550 lets a receiver drop it: what it then says
    // speaks against itself as long as nothing else is wrong with the stream.
    let copies = (capture?.result.streams ?? []).filter { $0.duplicates > 0 }
    let excused = !copies.isEmpty && copies.allSatisfy { $0.lost == 0 && $0.reordered == 0 }
    if excused { message += " from packets that came twice; this decoder does not drop copies" }
    return [
      Finding(
        check: "media.decodable", severity: excused ? .warning : .error, message: message,
        first: Evidence(file: "media.jsonl"))
    ]
  }

  private func order(_ group: String) -> Int {
    let known = ["flow", "rtsp", "sdp", "transport", "framing", "session", "play", "rtp", "rtcp"]
    return known.firstIndex(of: group) ?? known.count
  }

  // MARK: Numbers

  /// Why a number cannot be measured, or relied on.
  private static func obstacle(
    to info: MeasurementInfo, _ capture: CaptureOutcome?, _ environment: CaseEnvironment, isPlayed: Bool
  ) -> String? {
    switch info.source {
    case .stages: return nil
    case .decoder: return isPlayed ? nil : "nothing was decoded"
    case .capture:
      guard let capture else { return environment.captureSkipped }
      // What the capture lost looks like what the network lost.
      return capture.result.inconclusive["rtp"] ?? capture.problem
    }
  }

  private func measurements(_ capture: CaptureOutcome?) -> [Measurement] {
    var list: [Measurement] = []
    let stages = judged.stages
    func moment(_ id: StageID, ended: Bool) -> HostTime? {
      let record = stages.first { $0.id == id.rawValue }
      return ended ? (record?.outcome == .passed ? record?.ended : nil) : record?.began
    }
    let start = moment(.configureStream, ended: false)
    if let start, let active = moment(.startSession, ended: true) {
      list.append(Measurement("time-to-active", (active - start).inSeconds, "s"))
    }
    if let opened = moment(.play, ended: false), let key = facts[.keyFrame] {
      list.append(Measurement("time-to-key-frame", (key - opened).inSeconds, "s"))
    }
    if let summary, summary.frames > 0 {
      list.append(Measurement("video.frames", Double(summary.frames), "frames"))
      list.append(Measurement("video.frame-rate", summary.frameRate, "fps"))
      list.append(Measurement("video.decode-errors", Double(summary.decodeErrors), "errors"))
      list.append(Measurement("video.lost-counters", Double(summary.lostCounters), "frames"))
    }
    // What the decoder measured under a name stands before what the packets say.
    for measurement in capture?.result.measurements(naming: .codec) ?? []
    where !list.contains(where: { $0.name == measurement.name }) {
      list.append(measurement)
    }
    return list
  }

  private func properties(
    _ capture: CaptureOutcome?, _ clockError: Duration?, _ damaged: Int
  ) -> [RunRecord.Property] {
    var list: [RunRecord.Property] = []
    func add(_ name: String, _ value: String) { if !value.isEmpty { list.append(RunRecord.Property(name, value)) } }
    if let hello {
      add("device.model", hello.model)
      add("device.serial", hello.serial)
      add("device.firmware", hello.firmware)
      add("device.build", hello.build)
      add("device.git", hello.git)
      add("agent", "\(hello.agentName) \(hello.agentVersion) (\(hello.role.rawValue))")
    }
    add("link", environment.link.name)
    add("transport", topology.player == .phone ? "chosen by the phone" : item.plan.transport.rawValue)
    for property in phone.properties { add(property.name, property.value) }
    add("control.clock-error", clockError?.text ?? "unknown")
    add("control.damaged-records", "\(damaged)")
    add("control.lost-events", "\(eventsLost)")
    if let more = allowance.dropped[.log] { add("device.log", "cut: \(more) bytes more came") }
    if let capture {
      add("capture.packets", "\(capture.packets)")
      add("capture.dropped", "\(capture.dropped)")
    } else {
      add("capture", environment.captureSkipped)
    }
    for treatment in treatments { add(treatment.name, treatment.value) }
    return list
  }
}
