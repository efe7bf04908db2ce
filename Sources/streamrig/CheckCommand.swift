import Glibc
import RigChecks
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigWire

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "Judge captures (pcap or pcapng) of RTSP sessions; needs no device."
  static let usage = "[--json] [--junit FILE] CAPTURE… | --list | --explain ID"
  static let options = [
    Option.flag("--json", "one JSON object a capture, stream, offset and finding, and line"),
    Option.value("--junit", "FILE", "write JUnit too: one suite a capture"),
    Option.flag("--list", "print the catalogue of checks"),
    Option.value("--explain", "ID", "one check: its rule, what trips it, how to look at it in Wireshark"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    if arguments.has("--list") {
      for check in CheckCatalog.infos { Output.print(CheckPage.entry(check)) }
      return 0
    }
    if arguments.has("--explain") {
      for id in arguments.all("--explain") { Output.raw(try CheckPage.page(id)) }
      return 0
    }
    guard !arguments.operands.isEmpty else {
      throw UsageError(description: "expected a capture file, or - for standard input")
    }
    guard arguments.operands.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(description: "standard input can be read once only")
    }
    var report = arguments.last("--junit").map { _ in CaptureJUnit(arguments.operands) }
    var worst: Int32 = 0
    for path in arguments.operands {
      let began = SystemClock.now
      let judged = judge(path)
      if arguments.has("--json") {
        for line in CaptureText.json(judged) { Output.print(line) }
      } else {
        Output.raw(CaptureText.text(judged))
      }
      if let error = judged.error { Output.complain(TerminalText.line("\(path): \(error)")) }
      report?.add(judged, began: began, ended: SystemClock.now)
      worst = rank(judged.status) > rank(worst) ? judged.status : worst
    }
    if let report, let file = arguments.last("--junit"), let error = AtomicFile.write(report.finish(), to: file) {
      throw error
    }
    return worst
  }

  /// An unreadable file says more than a finding in another one.
  private static func rank(_ status: Int32) -> Int { [0, 3, 1, 2].firstIndex(of: status) ?? 0 }

  private static func judge(_ path: String) -> JudgedFile {
    let fd = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return JudgedFile(path: path, outcome: nil, error: "\(SystemError("open", on: path).reason)") }
    defer { close(fd) }
    var analysis = CaptureFileAnalyzer(AnalysisContext(file: JudgedFile.name(of: path)))
    do {
      while try analysis.fill(upTo: 1 << 20, { buffer throws(SystemError) in try read(fd, buffer, path) }) {}
    } catch {
      return JudgedFile(path: path, outcome: nil, error: error.reason)
    }
    let outcome = analysis.finish()
    return JudgedFile(path: path, outcome: outcome, error: outcome.error.map { "\($0)" })
  }

  /// A writer at the other end of a pipe may be slow: what is there is taken at once.
  private static func read(
    _ fd: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(SystemError) -> Int {
    while true {
      let n = Glibc.read(fd, buffer.baseAddress, buffer.count)
      if n >= 0 { return n }
      if errno != EINTR { throw SystemError("read", on: path) }
    }
  }
}

/// A capture file with what was found in it.
struct JudgedFile {
  let path: String
  /// `nil`: it could not be read at all.
  let outcome: CaptureFileAnalysis?
  /// Why reading failed or ended early.
  let error: String?

  var result: AnalysisResult? { outcome?.result }
  /// Some RTSP or RTP was there to judge.
  var hasSubject: Bool { result.map { $0.dialogues > 0 || $0.mediaPackets > 0 } ?? false }

  var verdict: Verdict {
    guard let result, error == nil || result.packets > 0 else { return .error }
    if result.worst == .error { return .fail }
    return error == nil && result.inconclusive.isEmpty && hasSubject ? .pass : .inconclusive
  }

  /// The exit status for this file.
  var status: Int32 {
    switch verdict {
    case .pass, .skip: 0
    case .fail: 1
    case .error: ExitStatus.usage
    case .inconclusive: ExitStatus.rig
    }
  }

  /// One sentence.
  var reason: String {
    guard let result else { return error ?? "nothing was read" }
    let errors = result.findings.count { $0.severity == .error }
    if errors > 0 { return CaptureText.count(errors, "error finding") }
    if let error { return error }
    if let weak = result.inconclusive.sorted(by: { $0.key < $1.key }).first { return "\(weak.key): \(weak.value)" }
    if !hasSubject {
      return result.unjudged.isEmpty
        ? "no RTSP and no RTP was found" : "RTSP was found in TLS or HTTP only, which is not judged"
    }
    return "no error finding"
  }

  static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}

/// The monotonic clock of this process.
enum SystemClock {
  static var now: HostTime { HostTime(nanoseconds: read(CLOCK_MONOTONIC)) }
  /// Nanoseconds since 1970.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
