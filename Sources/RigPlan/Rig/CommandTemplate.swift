/// A command of a rig file: words for a program, with named variables. No shell ever sees it.
///
/// Words are parted by spaces. Single quotes keep everything; double quotes keep all but `\"` and `\\`; a backslash
/// keeps the next character. `{serial}` and the like stand for a fact of the device, and always give one word or a part
/// of one, whatever it holds. `{{` and `}}` stand for braces.
public struct CommandTemplate: Hashable, Sendable {
  /// What a variable stands for.
  public enum Variable: String, CaseIterable, Hashable, Sendable {
    case name, model, serial, host
    /// What an actuator is to do: `reset`.
    case action
    /// Where a command is to leave a file.
    case file
  }

  enum Part: Hashable, Sendable {
    case text(String)
    case variable(Variable)
  }

  /// As the file has it.
  public let text: String
  let words: [[Part]]

  static let maximumWords = 64
  static let maximumLength = 1_024

  /// Why a text is no command.
  struct Malformed: Error, Hashable {
    /// What is wrong, and what was expected.
    let message: String
  }

  init(_ text: String, allowed: [Variable] = Variable.allCases) throws(Malformed) {
    self.text = text
    var splitter = CommandSplitter(text, allowed: allowed)
    words = try splitter.split()
    guard let program = words.first else { throw Malformed(message: "is blank, expected a program and its arguments") }
    guard words.count <= CommandTemplate.maximumWords else {
      throw Malformed(message: "has \(words.count) words, expected at most \(CommandTemplate.maximumWords)")
    }
    let isFixed = program.allSatisfy { if case .text = $0 { true } else { false } }
    guard isFixed, !program.isEmpty else {
      throw Malformed(message: "begins with a variable or with nothing, expected the program's own name")
    }
  }

  /// The variables that occur.
  public var variables: Set<Variable> {
    Set(words.joined().compactMap { if case .variable(let variable) = $0 { variable } else { nil } })
  }

  /// The program, as the file names it. Messages and reports call a command so: its arguments may hold a password.
  public var program: String { arguments([:]).first ?? "" }

  /// The program and its arguments. A variable without a value gives nothing.
  public func arguments(_ values: [Variable: String]) -> [String] {
    words.map { parts in
      parts.map { part in
        switch part {
        case .text(let text): text
        case .variable(let variable): values[variable] ?? ""
        }
      }.joined()
    }
  }
}

/// Splits a command into words.
private struct CommandSplitter {
  private var rest: Substring.UnicodeScalarView
  private let allowed: [CommandTemplate.Variable]
  private var words: [[CommandTemplate.Part]] = []
  private var word: [CommandTemplate.Part]?
  private var literal = ""

  /// Characters by which a shell would do something that no one does here.
  private static let shell = "|&;<>()$`*?~#!"

  init(_ text: String, allowed: [CommandTemplate.Variable]) {
    rest = text[...].unicodeScalars
    self.allowed = allowed
  }

  mutating func split() throws(CommandTemplate.Malformed) -> [[CommandTemplate.Part]] {
    while let scalar = rest.popFirst() {
      switch scalar {
      case " ": endWord()
      case "'": try quoted("'")
      case "\"": try quoted("\"")
      case "\\":
        guard let next = rest.popFirst() else {
          throw .init(message: "ends with a backslash, expected a character after")
        }
        add(next)
      case "{", "}": try brace(scalar)
      case let mark where CommandSplitter.shell.unicodeScalars.contains(mark):
        throw .init(
          message: "has \(PrintableText.quote(String(scalar))) outside quotes, which only a shell would understand, "
            + "expected words for a program; no shell runs it: quote it, or name a script")
      default: add(scalar)
      }
    }
    endWord()
    return words
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    literal.unicodeScalars.append(scalar)
    if word == nil { word = [] }
  }

  private mutating func endLiteral() {
    if !literal.isEmpty { word = (word ?? []) + [.text(literal)] }
    literal = ""
  }

  private mutating func endWord() {
    endLiteral()
    if let word { words.append(word) }
    word = nil
  }

  private mutating func quoted(_ quote: Unicode.Scalar) throws(CommandTemplate.Malformed) {
    // An empty pair is a word all the same.
    if word == nil { word = [] }
    while let scalar = rest.popFirst() {
      if scalar == quote { return }
      if quote == "\"", scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
        rest.removeFirst()
        add(next)
      } else if quote == "\"", scalar == "{" || scalar == "}" {
        try brace(scalar)
      } else {
        add(scalar)
      }
    }
    throw .init(message: "has a quote \(quote) that does not end, expected a second one")
  }

  private mutating func brace(_ brace: Unicode.Scalar) throws(CommandTemplate.Malformed) {
    if rest.first == brace {
      rest.removeFirst()
      return add(brace)
    }
    guard brace == "{", let end = rest.firstIndex(of: "}") else {
      throw .init(message: "has a single \(brace), expected {VARIABLE}, or \(brace)\(brace) for the brace itself")
    }
    let name = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    guard let variable = CommandTemplate.Variable(rawValue: name), allowed.contains(variable) else {
      throw .init(
        message: "\(PrintableText.quote("{\(name)}")) is no variable here, "
          + Wording.oneOf(allowed.map { "{\($0.rawValue)}" }, near: "{\(name)}"))
    }
    endLiteral()
    word = (word ?? []) + [.variable(variable)]
  }
}
