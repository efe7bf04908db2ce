import RigFlow
import RigModel
import RigPlan
import RigReport
import RigRunner

enum SweepCommand: Command {
  static let name = "sweep"
  static let summary = "Run every fault at every stage where it makes sense, and show what was blamed."
  static let usage = "[--flow FLOW] [--only-virtual | --only-wire] [--case GLOB]… [--jobs N] [--seed N] [--reports DIR]"
  static let options = [
    Option.value("--flow", "FLOW", "which flow; default rtsp-hotspot"),
    Option.flag("--only-virtual", "only the faults that need no wire, in virtual time"),
    Option.flag("--simulate", "the same as --only-virtual"),
    Option.flag("--only-wire", "only the faults that need a wire, on real sockets"),
    Option.value("--case", "GLOB", "only cells whose id (STAGE--LAYER.VERB) matches; may be repeated"),
    Option.flag("--quick", "each pair with the first of its arguments only"),
    Option.value("--jobs", "N", "cells on real sockets at a time; default 8"),
    Option.value("--seed", "N", "the seed of all cells; default 1"),
    Option.value("--reports", "DIR", "where reports go; the matrix is DIR.json; default Reports/sweep"),
    Option.value("--table", "FILE", "the expected blame; default Scenarios/sweep/FLOW.table"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let name = arguments.last("--flow") ?? FlowID.rtspHotspot.rawValue
    guard let id = FlowID(rawValue: name) else { throw UsageError(description: "--flow: \(name) is no flow") }
    let flow = FlowCatalog.flow(id)
    guard flow.drivable else { throw UsageError(description: "--flow: \(name) is described, and cannot be driven yet") }
    let onlyVirtual = arguments.has("--only-virtual") || arguments.has("--simulate")
    let onlyWire = arguments.has("--only-wire")
    guard !(onlyVirtual && onlyWire) else {
      throw UsageError(description: "--only-virtual and --only-wire leave nothing to run")
    }
    let matrix = SweepMatrix(
      flow, try BlameTable(arguments.last("--table") ?? "Scenarios/sweep/\(name).table", flow: flow))
    let reports = arguments.last("--reports") ?? "Reports/sweep"
    let jobs = try arguments.number("--jobs", 1...64, default: 8)
    let seed = try arguments.seed("--seed") ?? 1
    let globs = arguments.all("--case").map { NameGlob($0) }
    var seen: Set<String> = []
    let wanted = matrix.cells.filter { cell in
      if !seen.insert("\(cell.stage) \(cell.fault.id)").inserted, arguments.has("--quick") { return false }
      return (cell.needsWire ? !onlyVirtual : !onlyWire) && (globs.isEmpty || globs.contains { $0.matches(cell.id) })
    }
    guard !wanted.isEmpty else { throw UsageError(description: "no cell matches: nothing to run") }
    // Before any thread exists.
    let onWire = wanted.filter(\.needsWire)
    if !onWire.isEmpty {
      let access = NetworkAccess.prepare(
        RunSettings(seed: seed, jobs: jobs, reports: reports), plans: onWire.map { $0.scheduled(seed: seed).item.plan })
      let problem: String? =
        if case .denied(let why) = access.capture {
          "\(why)\n\(CaptureAccess.remedies)"
        } else if let why = access.linkClosed, onWire.contains(where: { $0.fault.layer == .link }) {
          "faults of the link: \(why)"
        } else {
          nil
        }
      if let problem {
        Output.complain(problem)
        return ExitStatus.rig
      }
    }
    var results: [String: RunRecord] = [:]
    func run(_ cells: [SweepCell], simulate: Bool, jobs: Int, in folder: String) throws {
      guard !cells.isEmpty else { return }
      let session = try RunSession(
        RunSettings(seed: seed, jobs: jobs, reports: "\(reports)/\(folder)"), cells.map { $0.scheduled(seed: seed) },
        simulate: simulate, console: nil)
      for var record in try session.records() {
        record.artifacts = record.artifacts.map { Artifact(path: "\(folder)/\($0.path)", title: $0.title) }
        results[record.planned.id] = record
      }
    }
    try run(wanted.filter { !$0.needsWire }, simulate: true, jobs: jobs, in: "virtual")
    try run(onWire, simulate: false, jobs: jobs, in: "wire")
    // Where the machine was too busy for firm evidence nothing is known of the cell yet: once more, with less beside it.
    let weak = onWire.filter { results[$0.id]?.verdict == .inconclusive }
    try run(weak, simulate: false, jobs: 2, in: "wire-again")
    let report = SweepReport(matrix, results: results, ran: Set(wanted.map(\.id)), seed: seed)
    Output.raw(report.text)
    if !weak.isEmpty {
      Output.print("ran again, as the evidence was too weak: \(weak.map(\.id).joined(separator: ", "))")
    }
    if let error = AtomicFile.write(report.json.text + "\n", to: "\(reports).json") { throw error }
    Output.print("matrix: \(reports).json")
    return report.isClean ? 0 : 1
  }
}
