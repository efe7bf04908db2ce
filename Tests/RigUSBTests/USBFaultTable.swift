import Foundation

/// The reviewed rows of `Scenarios/sweep/rtsp-hotspot.table` that are about the bus under the control link.
struct USBFaultRow: Sendable, Hashable, CustomStringConvertible {
  let stage: String
  let verb: String
  /// `-`: none.
  let arguments: String
  /// A failure point, or `success`.
  let blame: String

  /// As `usb-bench faults` takes it.
  var description: String { "\(stage)|\(verb)|\(arguments)|\(blame)" }
  func blamed(_ blame: String) -> USBFaultRow {
    USBFaultRow(stage: stage, verb: verb, arguments: arguments, blame: blame)
  }

  static let verbs: Set<String> = ["unplug", "usb-timeout", "usb-stall", "short-packet", "stale-data"]

  static let all: [USBFaultRow] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let url = root.appending(path: "Scenarios/sweep/rtsp-hotspot.table").standardizedFileURL
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard words.count == 4, verbs.contains(words[1]) else { return nil }
      return USBFaultRow(stage: words[0], verb: words[1], arguments: words[2], blame: words[3])
    }
  }()

  static func rows(_ verb: String, _ arguments: String = "-", at stages: [String]? = nil) -> [USBFaultRow] {
    all.filter { $0.verb == verb && $0.arguments == arguments && stages?.contains($0.stage) ?? true }
  }
}

/// What `usb-bench faults` said of one cell.
struct USBFaultResult: Sendable {
  let verdict: String
  let line: String
  /// The same of the same device's next case.
  let next: String
  var isWell: Bool { verdict == "pass" && next.hasPrefix("pass,") }

  /// A process with a bus of its own, and one device for each row.
  struct Batch: Sendable {
    var rows: [USBFaultRow]
    var options: [String] = []
    var command: [String] { ["faults"] + options + rows.map(\.description) }

    /// By the lines that it printed.
    func results(_ text: String) -> [USBFaultRow: USBFaultResult] {
      let lines = text.split(separator: "\n").map(String.init)
      func line(_ start: String) -> String? {
        lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
      }
      return Dictionary(
        uniqueKeysWithValues: rows.map { row in
          let own = line("\(row): ") ?? "nothing was said: \(text)"
          let next = line("then \(row): ") ?? "nothing was said"
          return (row, USBFaultResult(verdict: String(own.prefix { $0 != "," }), line: own, next: next))
        })
    }
  }
}
