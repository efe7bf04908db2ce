import RigDevice
import RigDrivers
import RigFlow
import RigLinks
import RigLoop
import RigModel
import RigRunner
import RigUSB
import RigWire

extension DriverSession {
  /// Runs one case for each `PORT=STAGE`, all at once, each on the device at its port. Prints `at PORT` when a case
  /// comes to its stage, then a line for each case, then `done`.
  nonisolated(nonsending) func runCases(_ words: [String]) async throws -> String {
    let wanted = words.compactMap { word -> (port: String, stage: String)? in
      let parts = word.split(separator: "=", omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    let cases = wanted.map { DriverSession.scheduled($0.port) }
    let header = RunHeader(
      id: "run", version: "0", startedAt: 0, origin: loop.now, hostName: "bench", seed: 1, time: .real,
      cases: cases.map(\.planned))
    let stages = Dictionary(uniqueKeysWithValues: wanted.map { ($0.port, $0.stage) })
    let runner = Runner(
      loop, header: header, cases: cases, bench: USBCaseBench(loop, context, limits), jobs: max(1, cases.count),
      failFast: false
    ) { event in
      switch event {
      case .entry(let port, let entry):
        if case .stageBegan(let stage, _) = entry.what, stages[port] == stage.rawValue { Say.line("at \(port)") }
      case .caseEnded(let record):
        let failed = record.failurePoint?.name ?? "nothing"
        Say.line("case \(record.planned.id) \(record.verdict.rawValue), failed: \(failed), \(record.reason)")
      default: break
      }
    }
    await runner.run()
    return "done"
  }

  private static func scheduled(_ port: String) -> ScheduledCase {
    let plan = Plan(
      id: port, title: port, flow: .rtspHotspot, playFor: .milliseconds(300),
      position: SourcePosition(file: "bench", line: 1, column: 1))
    return ScheduledCase(
      item: Case(id: port, plan: plan, cell: [], seed: 1),
      planned: PlannedCase(
        id: port, plan: port, title: port, flow: .rtspHotspot, file: "bench",
        stages: Flow.rtspHotspot.stages.map(\.id.rawValue)))
  }
}

/// Gives each case the device at the port that it is named after.
private struct USBCaseBench: CaseBench {
  let loop: EpollLoop
  let context: USBContext
  let limits: USBLimits

  init(_ loop: EpollLoop, _ context: USBContext, _ limits: USBLimits) {
    self.loop = loop
    self.context = context
    self.limits = limits
  }

  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    let port = item.planned.id
    let opener = USBOpener(loop, context, USBSelector("port=\(port)"), limits: limits)
    return CaseEnvironment(
      deviceName: port, host: "127.0.0.1", driver: StageLinkDriver(loop, opener) { Nonce.next() },
      link: LoopbackLink(loop), player: KeyFrameAtOnce(loop: loop), capture: nil, captureSkipped: "no packets here",
      files: NoFiles())
  }

  func close() async {}
}

/// A media witness that believes: these cases are about the control link.
private struct KeyFrameAtOnce: MediaProbe {
  let loop: EpollLoop
  func open(
    _ url: String, transport: MediaTransport, counterModulus: Int?, _ signal: @escaping @Sendable (MediaSignal) -> Void
  ) async {
    signal(.fact(Fact(.keyFrame, by: .media, at: loop.now, detail: "taken for granted")))
  }
  func close() async {}
}

private struct NoFiles: CaseFiles {
  func append(_ line: String, to name: String) {}
  var artifacts: [Artifact] { [] }
  var problem: String? { nil }
}
