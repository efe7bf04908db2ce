import Glibc
import RigLoop
import RigModel

/// A program of the system that is asked something and ends.
struct SystemTool: Sendable {
  struct Answer: Sendable {
    let exit: ChildProcess.Exit
    /// What it printed, without the line feed at the end.
    let text: String
    /// What it complained of, in one line.
    let complaint: String
    var isGood: Bool { exit == .code(0) }
  }

  private let loop: EpollLoop
  private let program: String
  private static let longestText = 256 * 1024

  /// - Parameter package: which has it, on Debian.
  /// - Throws: `RadioUnavailable` where there is no such program.
  init(_ loop: EpollLoop, _ name: String, package: String) throws(RadioUnavailable) {
    guard let program = SystemTree.program(name) else {
      throw RadioUnavailable(
        "\(name) is missing; on Debian: apt-get install \(package)", fix: "apt-get install \(package)")
    }
    self.loop = loop
    self.program = program
  }

  /// Nothing secret may stand among `words`: everybody sees the arguments of processes.
  /// - Parameter limit: after which it is killed.
  /// - Throws: `SystemError`.
  func ask(_ words: [String], limit: Duration = .seconds(10)) async throws -> Answer {
    let complaints = try SystemTool.unnamedFile()
    defer { close(complaints) }
    let forChild = fcntl(complaints, F_DUPFD_CLOEXEC, 3)
    guard forChild >= 0 else { throw SystemError("fcntl", on: "a temporary file") }
    let child = try ChildProcess(
      loop, program: program, arguments: words, stderr: forChild,
      // Its words are looked at: they must not be translated, nor coloured.
      environment: ["LC_ALL": "C.UTF-8", "NO_COLOR": "1"])
    let timer = loop.schedule(at: loop.now + limit) { child.signal(SIGKILL) }
    defer { loop.cancel(timer) }
    var bytes: [UInt8] = []
    while case let more = try await child.io.read(), !more.isEmpty {
      if bytes.count < SystemTool.longestText { bytes += more }
    }
    let exit = try await child.waitForExit()
    child.io.close()
    var complaint = [UInt8](repeating: 0, count: 1024)
    let count = max(0, pread(complaints, &complaint, complaint.count, 0))
    return Answer(
      exit: exit, text: SystemTool.trimmed(bytes),
      complaint: SystemTool.firstError(String(decoding: complaint[..<count], as: UTF8.self)))
  }

  private static func unnamedFile() throws(SystemError) -> Int32 {
    let path = "/tmp/streamrig-tool.\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard fd >= 0 else { throw SystemError("open", on: path) }
    unlink(path)
    return fd
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }

  /// Of several lines, hints among them, the one that says what went wrong.
  static func firstError(_ text: String) -> String {
    let lines = text.split(whereSeparator: \.isNewline)
    let line = lines.first { $0.hasPrefix("Error: ") } ?? lines.first ?? ""
    return String(line.hasPrefix("Error: ") ? line.dropFirst(7) : line)
  }
}
