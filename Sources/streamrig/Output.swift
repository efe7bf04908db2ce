import Glibc

/// Results go to standard output, diagnostics to standard error.
enum Output {
  static func print(_ text: String) { write(text + "\n", to: 1) }
  static func raw(_ text: String) { if !text.isEmpty { write(text, to: 1) } }
  static func diagnose(_ text: String) { write(text + "\n", to: 2) }
  static func complain(_ text: String) { write("streamrig: \(text)\n", to: 2) }

  static var isTerminal: Bool { isatty(1) == 1 }

  private static func write(_ text: String, to fd: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let n = bytes.withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
      if n < 0, errno == EINTR || errno == EAGAIN { continue }
      // Nobody reads any more: the exit status still tells how it went.
      guard n > 0 else { return }
      bytes = bytes.dropFirst(n)
    }
  }
}

/// Exit statuses that are not a verdict's.
enum ExitStatus {
  static let usage: Int32 = 2
  static let rig: Int32 = 3
  static let interrupted: Int32 = 130
}
