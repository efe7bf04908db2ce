import Glibc

/// A subcommand: one file each.
protocol Command: Sendable {
  static var name: String { get }
  static var summary: String { get }
  /// What follows the name in a usage line.
  static var usage: String { get }
  static var options: [Option] { get }
  /// - Returns: the exit status.
  static func run(_ arguments: Arguments) throws -> Int32
}

@main
enum Streamrig {
  static let version = "0.1.0"

  static let commands: [any Command.Type] = [
    RunCommand.self,
    ValidateCommand.self,
    ListCommand.self,
    PlanCommand.self,
    CheckCommand.self,
    SweepCommand.self,
    RandomCommand.self,
    NamespaceCommand.self,
    EmulateCommand.self,
    ConformCommand.self,
    DoctorCommand.self,
    DevicesCommand.self,
    LeaseCommand.self,
    FaultsCommand.self,
    ReportCommand.self,
    SchemaCommand.self,
  ]

  static func main() {
    // A reader that goes away is seen as a failed write, not as a signal.
    signal(SIGPIPE, SIG_IGN)
    exit(run(CommandLine.arguments.dropFirst()))
  }

  private static func run(_ words: ArraySlice<String>) -> Int32 {
    guard let first = words.first else {
      Output.raw(help)
      return ExitStatus.usage
    }
    if first == "--help" || first == "-h" || first == "help" {
      if let command = words.dropFirst().first.flatMap(find) { Output.raw(help(command)) } else { Output.raw(help) }
      return 0
    }
    if first == "--version" {
      Output.print("streamrig \(version)")
      return 0
    }
    guard let command = find(first) else {
      Output.complain(
        "unknown command \(first.debugDescription); commands: \(commands.map { $0.name }.joined(separator: ", "))")
      return ExitStatus.usage
    }
    let rest = words.dropFirst()
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      Output.raw(help(command))
      return 0
    }
    do {
      return try command.run(Arguments(rest, command.options))
    } catch let error as UsageError {
      Output.complain("\(command.name): \(error)\nusage: streamrig \(command.name) \(command.usage)")
      return ExitStatus.usage
    } catch {
      Output.complain("\(command.name): \(error)")
      return ExitStatus.rig
    }
  }

  private static func find(_ name: String) -> (any Command.Type)? { commands.first { $0.name == name } }

  private static var help: String {
    let width = (commands.map { $0.name.count }.max() ?? 0) + 2
    let lines = commands.map { "  " + pad($0.name, width) + $0.summary }
    return """
      streamrig drives devices that live-stream through test plans, and says which stage failed on what evidence.

      usage: streamrig COMMAND [OPTION…] [PATH…]

      \(lines.joined(separator: "\n"))

      streamrig COMMAND --help tells a command's options.
      Exit status: 0 all passed; 1 a case failed; 2 wrong usage or plan; 3 error or inconclusive; 4 nothing ran;
      130 interrupted.

      """
  }

  private static func help(_ command: any Command.Type) -> String {
    let left = command.options.map { option in option.value.map { "\(option.name) \($0)" } ?? option.name }
    let width = (left.map(\.count).max() ?? 0) + 2
    let lines = zip(left, command.options).map { "  " + pad($0, width) + $1.help }
    return "\(command.summary)\n\nusage: streamrig \(command.name) \(command.usage)\n"
      + (lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))\n")
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
