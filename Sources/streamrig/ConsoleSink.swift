import CRigShims
import Glibc
import RigModel
import RigReport
import Synchronization

/// What a person, or with `--json` a program, reads of a run while it goes on.
final class ConsoleSink: Sendable {
  private struct State {
    var report: ConsoleReport
    var json: JSONLinesReport?
  }

  private let state: Mutex<State>

  /// - Parameter earlier: the run that this one goes on from.
  init(_ settings: RunSettings, earlier: RunState? = nil) {
    let live = Output.isTerminal && !settings.json
    let noColor = getenv("NO_COLOR").map { String(cString: $0) }
    let options = ConsoleReport.Options(
      mode: live ? .live : .plain, width: live ? Int(rig_terminal_width(1)) : 80,
      color: ConsoleReport.usesColor(isTerminal: Output.isTerminal, noColor: noColor), showsStages: settings.verbose,
      showsDevice: settings.jobs > 1)
    state = Mutex(
      State(
        report: ConsoleReport(options: options, earlier: earlier),
        json: settings.json ? JSONLinesReport(earlier: earlier) : nil))
  }

  func take(_ event: RunEvent) {
    state.withLock { state in
      let text = state.report.apply(event)
      Output.raw(state.json != nil ? state.json?.apply(event) ?? "" : text)
    }
  }

  func tick(_ now: HostTime) {
    state.withLock { if $0.json == nil { Output.raw($0.report.tick(now)) } }
  }

  func say(_ text: String) {
    state.withLock { if $0.json == nil { Output.raw($0.report.clear()) } }
    Output.complain(text)
  }

  func finish(reports: String, isWritten: Bool) {
    state.withLock {
      if $0.json == nil { Output.raw($0.report.finish(reports: reports, isWritten: isWritten)) }
    }
  }
}
