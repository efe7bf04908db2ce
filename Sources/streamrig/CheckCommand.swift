import Glibc
import RigChecks
import RigLoop
import RigModel
import RigReport

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "Judge a capture (pcap or pcapng) of RTSP sessions; needs no device."
  static let usage = "[--json] CAPTURE… | --list"
  static let options = [
    Option.flag("--json", "one JSON object a finding and stream, and line"),
    Option.flag("--list", "print the catalogue of checks"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    if arguments.has("--list") {
      for check in CheckCatalog.wire.map({ $0.info }) {
        Output.print("\(check.id)  \(check.severity.rawValue)  \(check.reference)\n    \(check.rule)")
      }
      return 0
    }
    guard !arguments.operands.isEmpty else { throw UsageError(description: "expected a capture file") }
    var worst: Int32 = 0
    for path in arguments.operands {
      let status = try judge(path, json: arguments.has("--json"))
      worst = rank(status) > rank(worst) ? status : worst
    }
    return worst
  }

  /// An unreadable file says more than a finding in another one.
  private static func rank(_ status: Int32) -> Int { [0, 3, 1, 2].firstIndex(of: status) ?? 0 }

  private static func judge(_ path: String, json: Bool) throws -> Int32 {
    let fd = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else {
      Output.complain("\(SystemError("open", on: path))")
      return ExitStatus.usage
    }
    defer { close(fd) }
    var analysis = CaptureFileAnalyzer()
    do {
      while try analysis.fill(upTo: 1 << 20, { buffer throws(SystemError) in try read(fd, buffer, path) }) {}
    } catch {
      Output.complain("\(error)")
      return ExitStatus.usage
    }
    let outcome = analysis.finish()
    report(path, outcome, json: json)
    if let error = outcome.error {
      Output.complain("\(path): \(error)")
      if outcome.result.packets == 0 { return ExitStatus.usage }
    }
    if outcome.result.worst == .error { return 1 }
    return outcome.result.inconclusive.isEmpty && outcome.error == nil ? 0 : 3
  }

  private static func read(
    _ fd: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(SystemError) -> Int {
    while true {
      let n = Glibc.read(fd, buffer.baseAddress, buffer.count)
      if n >= 0 { return n }
      if errno != EINTR { throw SystemError("read", on: path) }
    }
  }

  private static func report(_ path: String, _ outcome: CaptureFileAnalysis, json: Bool) {
    let result = outcome.result
    if json {
      for stream in result.streams { Output.print(CaptureText.json(stream, file: path).text) }
      for finding in result.findings { Output.print(CaptureText.json(finding, file: path).text) }
      return
    }
    Output.print(
      "\(TerminalText.line(path)): \(result.packets) packets, \(result.sessions) RTSP sessions, "
        + "\(result.mediaPackets) RTP packets")
    for stream in result.streams { Output.print("  " + CaptureText.line(stream)) }
    for finding in result.findings { Output.print("  " + TerminalText.line(CaptureText.line(finding), columns: 300)) }
    for (group, reason) in result.inconclusive.sorted(by: { $0.key < $1.key }) {
      Output.print("  inconclusive \(group): \(reason)")
    }
    let errors = result.findings.count { $0.severity == .error }
    let others = result.findings.count - errors
    Output.print("  \(errors) error findings, \(others) warnings and policies")
  }
}
