import Glibc
import RigReport
import RigRunner

enum ReportCommand: Command {
  static let name = "report"
  static let summary = "Make reports again from journals: report merge JOURNAL… --junit FILE"
  static let usage = "merge JOURNAL… [--junit FILE] [--junit-profile strict|rich]"
  static let options = [
    Option.value("--junit", "FILE", "where to write JUnit; without it, to standard output"),
    Option.value("--junit-profile", "P", "strict (default) or rich"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    guard arguments.operands.first == "merge", arguments.operands.count > 1 else {
      throw UsageError(description: "expected: merge JOURNAL…")
    }
    guard let profile = JUnitReport.Profile(rawValue: arguments.last("--junit-profile") ?? "strict") else {
      throw UsageError(description: "--junit-profile is strict or rich")
    }
    var runs: [RunState] = []
    for path in arguments.operands.dropFirst() {
      switch PlanFiles.contents(path, limit: 1 << 31) {
      case .success(let bytes):
        let state = RunState(journal: bytes)
        guard state.header != nil else { throw UsageError(description: "\(path): not the journal of a run") }
        runs.append(state)
      case .failure(let error): throw UsageError(description: "\(error)")
      }
    }
    let xml = JUnitReport.render(runs, profile: profile)
    guard let path = arguments.last("--junit") else {
      Output.raw(xml)
      return RunSummary(runs).exitStatus
    }
    if let error = AtomicFile.write(xml, to: path) { throw error }
    Output.raw(ConsoleReport.summary(runs, reports: path))
    return RunSummary(runs).exitStatus
  }
}
