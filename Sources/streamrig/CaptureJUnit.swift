import Glibc
import RigChecks
import RigModel
import RigReport
import RigWire

/// Judged captures as a JUnit report: a suite a capture, a testcase a group of checks and measurement.
struct CaptureJUnit {
  private var state = RunState()
  private var waiting: [PlannedCase]
  private let origin = SystemClock.now

  init(_ paths: [String]) {
    // The same file twice is two cases, not two attempts.
    var seen: [String: Int] = [:]
    waiting = paths.map { path in
      let name = JudgedFile.name(of: path)
      seen[name, default: 0] += 1
      let count = seen[name] ?? 1
      return PlannedCase(
        id: count == 1 ? name : "\(name) (\(count))", plan: "check", title: "capture \(name)", flow: nil,
        file: name, stages: [])
    }
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    let name = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    state.apply(
      .runStarted(
        RunHeader(
          id: "check", version: Streamrig.version, startedAt: SystemClock.wall, origin: origin, hostName: name, seed: 0,
          time: .real, cases: waiting)))
  }

  mutating func add(_ judged: JudgedFile, began: HostTime, ended: HostTime) {
    guard !waiting.isEmpty else { return }
    let planned = waiting.removeFirst()
    state.apply(.caseStarted(caseID: planned.id, device: "", at: began))
    var record = RunRecord(
      planned: planned, device: "", seed: 0, started: began, ended: ended, verdict: judged.verdict,
      reason: judged.reason)
    if let result = judged.result {
      record.checks = result.groups.map(Self.cleaned)
      record.measurements = result.measurements(naming: .ssrc)
      record.properties = [
        .init("packets", "\(result.packets)"), .init("rtp-packets", "\(result.mediaPackets)"),
        .init("rtsp-sessions", "\(result.sessions)"),
      ]
      if let live = judged.live {
        record.properties.append(.init("capture.received", "\(live.received)"))
        record.properties.append(.init("capture.dropped", "\(live.dropped)"))
      }
      for connection in result.unjudged.prefix(16) {
        record.properties.append(
          .init("not-judged", "\(connection.kind.rawValue): \(connection.flow), frame \(connection.place.frame)"))
      }
    }
    state.apply(.caseEnded(record))
  }

  /// Without passwords, and without what could steer a terminal that shows the report.
  private static func cleaned(_ group: CheckGroupRecord) -> CheckGroupRecord {
    var group = group
    group.findings = group.findings.map { finding in
      var clean = finding
      clean.message = CaptureText.message(of: finding)
      clean.first.excerpt = finding.first.excerpt.map(CaptureText.excerpt)
      clean.last?.excerpt = finding.last?.excerpt.map(CaptureText.excerpt)
      return clean
    }
    return group
  }

  func finish() -> String {
    var state = state
    state.apply(.runEnded(at: SystemClock.now, interrupted: false))
    return JUnitReport.render(state)
  }
}
