import RigFlow
import RigModel
import RigPlan
import RigReport
import RigRunner

enum SweepCommand: Command {
  static let name = "sweep"
  static let summary = "Run every fault at every stage where it makes sense, and show what was blamed."
  static let usage = "[--flow FLOW] [--simulate] [--jobs N] [--seed N] [--reports DIR] [--table FILE]"
  static let options = [
    Option.value("--flow", "FLOW", "which flow; default rtsp-hotspot"),
    Option.flag("--simulate", "only the faults that need no wire, in virtual time"),
    Option.value("--jobs", "N", "cases on real sockets at a time; default 8"),
    Option.value("--seed", "N", "the seed of all cases; default 1"),
    Option.value("--reports", "DIR", "where reports and matrix.json go; default Reports/sweep"),
    Option.value("--table", "FILE", "the expected blame; default Scenarios/sweep/FLOW.table"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let name = arguments.last("--flow") ?? FlowID.rtspHotspot.rawValue
    guard let id = FlowID(rawValue: name) else { throw UsageError(description: "--flow: \(name) is no flow") }
    let flow = FlowCatalog.flow(id)
    guard flow.drivable else { throw UsageError(description: "--flow: \(name) is described, and cannot be driven yet") }
    let table = try BlameTable(arguments.last("--table") ?? "Scenarios/sweep/\(name).table", flow: flow)
    let matrix = SweepMatrix(flow, table)
    let reports = arguments.last("--reports") ?? "Reports/sweep"
    let jobs = try arguments.number("--jobs", 1...64, default: 8)
    let seed = try arguments.seed("--seed") ?? 1
    var results: [String: RunRecord] = [:]
    let simulated = matrix.cells.filter { !$0.needsWire }
    let real = arguments.has("--simulate") ? [] : matrix.cells.filter(\.needsWire)
    // Before any thread exists.
    let access =
      real.isEmpty
      ? nil
      : NetworkAccess.prepare(
        RunSettings(seed: seed, jobs: jobs, reports: reports), plans: real.map { $0.scheduled(seed: seed).item.plan })
    if case .denied(let why)? = access?.capture {
      Output.complain("\(why)\n\(CaptureAccess.remedies)")
      return ExitStatus.rig
    }
    if let why = access?.linkClosed {
      Output.complain("faults of the link: \(why)")
      return ExitStatus.rig
    }
    for (cells, simulate) in [(simulated, true), (real, false)] where !cells.isEmpty {
      let settings = RunSettings(
        seed: seed, jobs: jobs, reports: "\(reports)/\(simulate ? "virtual" : "real")")
      let session = try RunSession(
        settings, cells.map { $0.scheduled(seed: seed) }, simulate: simulate, console: nil)
      for record in try session.records() { results[record.planned.id] = record }
    }
    let judged = matrix.judge(results, skipWire: arguments.has("--simulate"))
    Output.raw(judged.text)
    if let error = AtomicFile.write(judged.json.text + "\n", to: "\(reports)/matrix.json") { throw error }
    Output.print("matrix: \(reports)/matrix.json")
    return judged.isClean ? 0 : 1
  }
}
