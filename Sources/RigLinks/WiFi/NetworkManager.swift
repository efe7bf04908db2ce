import RigLoop

/// NetworkManager, asked by its own tool: nmcli(1) keeps its words and numbers from release to release.
struct NetworkManager: Sendable {
  private let tool: SystemTool

  /// - Throws: `RadioUnavailable` where there is no nmcli, or nobody whom it could ask.
  init(_ loop: EpollLoop) async throws {
    tool = try SystemTool(loop, "nmcli", package: "network-manager")
    let answer = try await ask(["-g", "RUNNING", "general"])
    guard answer.isGood, answer.text == "running" else {
      let why = answer.complaint.isEmpty ? answer.text : answer.complaint
      throw RadioUnavailable(
        "NetworkManager does not run here: \(why)", fix: "systemctl start NetworkManager")
    }
  }

  /// Nothing secret may stand among `words`: everybody sees the arguments of processes.
  /// - Parameter limit: after which nmcli is killed.
  /// - Throws: `SystemError`.
  func ask(_ words: [String], limit: Duration = .seconds(10)) async throws -> SystemTool.Answer {
    try await tool.ask(words, limit: limit)
  }

  /// The fields of a line of `--terse` output, in which colons and backslashes of values are escaped.
  static func fields(_ line: some StringProtocol) -> [String] {
    var fields = [""]
    var isEscaped = false
    for character in line {
      if isEscaped {
        fields[fields.count - 1].append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == ":" {
        fields.append("")
      } else {
        fields[fields.count - 1].append(character)
      }
    }
    return fields
  }
}
