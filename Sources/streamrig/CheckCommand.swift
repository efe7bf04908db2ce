import Glibc
import RigChecks
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigWire

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "Judge captures (pcap or pcapng), or live packets, of RTSP sessions; needs no device."
  static let usage = "[--json] [--junit FILE] CAPTURE… | --interface IF [OPTION…] | --list | --explain ID"
  static let options =
    [
      Option.flag("--json", "one JSON object a capture, stream, offset and finding, and line"),
      Option.value("--junit", "FILE", "write JUnit too: one suite a capture"),
      Option.flag("--list", "print the catalogue of checks"),
      Option.value("--explain", "ID", "one check: its rule, what trips it, how to look at it in Wireshark"),
    ] + LiveCheck.options

  static func run(_ arguments: Arguments) throws -> Int32 {
    if arguments.has("--list") {
      for check in CheckCatalog.infos { Output.print(CheckPage.entry(check)) }
      return 0
    }
    if arguments.has("--explain") {
      for id in arguments.all("--explain") { Output.raw(try CheckPage.page(id)) }
      return 0
    }
    if let live = try LiveCheck(arguments) {
      var report = Report(arguments, [live.interface])
      guard let judged = try live.run(began: { report.began = SystemClock.now }) else { return ExitStatus.rig }
      report.add(judged)
      return try report.finish()
    }
    guard !arguments.operands.isEmpty else {
      throw UsageError(description: "expected a capture file, - for standard input, or --interface")
    }
    guard arguments.operands.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(description: "standard input can be read once only")
    }
    var report = Report(arguments, arguments.operands)
    for path in arguments.operands {
      report.began = SystemClock.now
      report.add(judge(path))
    }
    return try report.finish()
  }

  /// What is printed and written of the judged captures.
  private struct Report {
    private let json: Bool
    private let file: String?
    private var junit: CaptureJUnit?
    private var worst: Int32 = 0
    /// Of the capture at hand.
    var began = SystemClock.now

    init(_ arguments: Arguments, _ names: [String]) {
      json = arguments.has("--json")
      file = arguments.last("--junit")
      junit = file.map { _ in CaptureJUnit(names) }
    }

    mutating func add(_ judged: JudgedFile) {
      if json {
        for line in CaptureText.json(judged) { Output.print(line) }
      } else {
        Output.raw(CaptureText.text(judged))
      }
      if let error = judged.error { Output.complain(TerminalText.line("\(judged.path): \(error)")) }
      junit?.add(judged, began: began, ended: SystemClock.now)
      worst = CheckCommand.rank(judged.status) > CheckCommand.rank(worst) ? judged.status : worst
    }

    /// - Returns: the exit status.
    func finish() throws -> Int32 {
      if let junit, let file, let error = AtomicFile.write(junit.finish(), to: file) { throw error }
      return worst
    }
  }

  /// An unreadable file says more than a finding in another one.
  private static func rank(_ status: Int32) -> Int { [0, 3, 1, 2].firstIndex(of: status) ?? 0 }

  private static func judge(_ path: String) -> JudgedFile {
    let fd = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return JudgedFile(path: path, result: nil, error: "\(SystemError("open", on: path).reason)") }
    defer { close(fd) }
    var analysis = CaptureFileAnalyzer(AnalysisContext(file: JudgedFile.name(of: path)))
    do {
      while try analysis.fill(upTo: 1 << 20, { buffer throws(SystemError) in try read(fd, buffer, path) }) {}
    } catch {
      return JudgedFile(path: path, result: nil, error: error.reason)
    }
    let outcome = analysis.finish()
    return JudgedFile(
      path: path, result: outcome.result, drops: outcome.reportedDrops, error: outcome.error.map { "\($0)" })
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
