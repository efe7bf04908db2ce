public import RigModel

/// One thing that is wrong, or doubtful, in a plan file.
///
/// Reads `file:line:column: key path: what is wrong, expected …` and holds no control bytes, whatever the file holds.
public struct PlanDiagnostic: Hashable, Sendable, CustomStringConvertible {
  public let position: SourcePosition
  /// `faults[0].do`: list items count from 0. Empty: the file as a whole.
  public let keyPath: String
  /// What is wrong, and what was expected.
  public let message: String
  /// `error` refuses the plan; `warning` does not.
  public let severity: Severity

  public init(_ position: SourcePosition, keyPath: String = "", _ message: String, severity: Severity = .error) {
    self.position = position
    self.keyPath = PrintableText.escape(keyPath)
    self.message = PrintableText.escape(message)
    self.severity = severity
  }

  public var description: String {
    var text = "\(PrintableText.escape(position.file)):\(position.line):\(position.column): "
    if severity != .error { text += "\(severity.rawValue): " }
    if !keyPath.isEmpty { text += keyPath + ": " }
    return text + message
  }
}

/// The diagnostics of one file in the order of the file. Beyond `limit` they are counted, no longer kept.
public struct DiagnosticList: Sendable {
  public static let limit = 100

  public private(set) var hasErrors = false
  private var kept: [PlanDiagnostic] = []
  private var omitted = 0

  public init() {}

  public var isFull: Bool { kept.count >= DiagnosticList.limit }

  public mutating func add(_ diagnostic: PlanDiagnostic) {
    if diagnostic.severity == .error { hasErrors = true }
    if isFull { omitted += 1 } else { kept.append(diagnostic) }
  }

  /// Adds an error. The message is built only when it will be kept.
  public mutating func add(
    _ position: SourcePosition, keyPath: String = "", _ message: @autoclosure () -> String
  ) {
    hasErrors = true
    if isFull {
      omitted += 1
    } else {
      kept.append(PlanDiagnostic(position, keyPath: keyPath, message()))
    }
  }

  /// By file, `file` first, and in the order of each.
  static func inOrder(_ list: [PlanDiagnostic], of file: String) -> [PlanDiagnostic] {
    func rank(_ position: SourcePosition) -> String { position.file == file ? "" : position.file }
    return list.enumerated().sorted { a, b in
      let (p, q) = (a.element.position, b.element.position)
      return (rank(p), p.line, p.column, a.offset) < (rank(q), q.line, q.column, b.offset)
    }.map(\.element)
  }

  /// In the order of the file; a last line tells how many were left out.
  public var sorted: [PlanDiagnostic] {
    if kept.isEmpty { return [] }
    var list = DiagnosticList.inOrder(kept, of: kept.first?.position.file ?? "")
    if omitted > 0, let last = list.last {
      list.append(PlanDiagnostic(last.position, "\(omitted) more errors are not shown"))
    }
    return list
  }
}
