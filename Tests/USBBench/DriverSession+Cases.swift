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
  /// Runs one case for each cell, all at once, each on the device at its port. Prints a line for each case, then `done`.
  nonisolated(nonsending) func runCases(_ words: [String]) async throws -> String {
    let cases = try words.map { DriverSession.scheduled(try BenchCell($0)) }
    for item in cases where caseOpeners[item.planned.id] == nil {
      let port = item.planned.id
      caseOpeners[port] = USBOpener(loop, context, USBSelector("port=\(port)"), limits: limits)
    }
    let header = RunHeader(
      id: "run", version: "0", startedAt: 0, origin: loop.now, hostName: "bench", seed: 1, time: .real,
      cases: cases.map(\.planned))
    let runner = Runner(
      loop, header: header, cases: cases, bench: USBCaseBench(loop: loop, openers: caseOpeners),
      jobs: max(1, cases.count),
      failFast: false
    ) { event in
      guard case .caseEnded(let record) = event else { return }
      let failed = record.failurePoint?.name ?? "nothing"
      let proof = record.faults.map { " [\($0.fired ? "fired" : "NOT fired"): \($0.proof)]" }.joined()
      Say.line("case \(record.planned.id) \(record.verdict.rawValue), failed: \(failed), \(record.reason)\(proof)")
    }
    await runner.run()
    return "done"
  }

  private static func scheduled(_ cell: BenchCell) -> ScheduledCase {
    ScheduledCase(
      item: Case(id: cell.port, plan: cell.plan, cell: [], seed: 1),
      planned: PlannedCase(
        id: cell.port, plan: cell.port, title: cell.plan.title, flow: .rtspHotspot, file: "bench",
        stages: Flow.rtspHotspot.stages.map(\.id.rawValue)))
  }
}

/// Gives each case the device at the port that it is named after.
private struct USBCaseBench: CaseBench {
  let loop: EpollLoop
  /// By port. Each waits until the channel before has let its device go.
  let openers: [String: USBOpener]

  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    let port = item.planned.id
    // What happens in `play` needs a while of it.
    let isMet = item.item.plan.faults.contains { $0.stage == .play }
    guard let opener = openers[port] else { throw BenchError("no device at \(port)") }
    return CaseEnvironment(
      deviceName: port, host: "127.0.0.1", driver: StageLinkDriver(loop, opener) { Nonce.next() },
      link: LoopbackLink(loop), player: KeyFrame(loop: loop, takes: isMet ? .seconds(1) : .milliseconds(20)),
      capture: nil, captureSkipped: "no packets here",
      files: NoFiles())
  }

  func close() async {}
}

/// A media witness that believes: these cases are about the control link.
private struct KeyFrame: MediaProbe {
  let loop: EpollLoop
  let takes: Duration
  func open(
    _ url: String, transport: MediaTransport, counterModulus: Int?, _ signal: @escaping @Sendable (MediaSignal) -> Void
  ) async {
    try? await loop.sleep(for: takes)
    signal(.fact(Fact(.keyFrame, by: .media, at: loop.now, detail: "taken for granted")))
  }
  func close() async {}
}

private struct NoFiles: CaseFiles {
  func append(_ line: String, to name: String) {}
  var artifacts: [Artifact] { [] }
  var problem: String? { nil }
}
