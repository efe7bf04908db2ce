import RigModel
import RigPlan

/// Builds the tree from events, without recursion. What plans may not hold is reported and left out, and the building
/// goes on, so that one pass finds all of it.
struct DocumentBuilder {
  private(set) var diagnostics: DiagnosticList
  private let text: PlanText
  private var file: String { text.end.file }
  private var open: [Frame] = []
  private var root: DocumentNode?

  init(_ text: PlanText) {
    self.text = text
    diagnostics = text.diagnostics
  }

  /// A list or mapping whose end has not come yet.
  private struct Frame {
    let position: SourcePosition
    let path: String
    let isList: Bool
    /// Of a list.
    var items: [DocumentNode] = []
    /// Of a mapping.
    var entries: [DocumentNode.Entry] = []
    var key: Key?
    /// The line of each key, once there are so many that looking through the entries is slow.
    private var lines: [String: Int] = [:]

    init(position: SourcePosition, path: String, isList: Bool) {
      self.position = position
      self.path = path
      self.isList = isList
    }

    /// A key whose value has not come yet.
    enum Key {
      case named(String, SourcePosition)
      /// Reported; its value is dropped.
      case dropped
    }

    /// The key path of the node that comes next.
    var childPath: String {
      if isList { return "\(path)[\(items.count)]" }
      guard case .named(let key, _) = key else { return path }
      let name = PrintableText.cut(key, to: 40)
      return path.isEmpty ? name : "\(path).\(name)"
    }

    mutating func close(_ key: String, _ position: SourcePosition, _ value: DocumentNode) {
      entries.append(.init(key: key, keyPosition: position, value: value))
      if entries.count == Frame.few {
        for entry in entries { lines[entry.key] = entry.keyPosition.line }
      } else if entries.count > Frame.few {
        lines[key] = position.line
      }
    }

    /// The line where the key stands already.
    func line(of key: String) -> Int? {
      if entries.count >= Frame.few { return lines[key] }
      return entries.first { $0.key == key }?.keyPosition.line
    }

    private static let few = 32
  }

  /// `nil` where the text is not YAML, holds no document, or more than may be taken.
  mutating func build() -> DocumentNode? {
    guard let events = YAMLEventReader(text.bytes) else {
      diagnostics.add(SourcePosition(file: file, line: 1, column: 1), "no memory to parse the file")
      return nil
    }
    do throws(YAMLSyntaxError) {
      var documents = 0
      while true {
        let event = try events.next()
        switch event.kind {
        case .streamStart, .documentEnd: continue
        case .documentStart:
          documents += 1
          if documents > 1 {
            diagnostics.add(position(event), "a second document begins, expected one \(text.noun) in a file")
            return root
          }
        case .streamEnd:
          if root == nil {
            diagnostics.add(
              SourcePosition(file: file, line: 1, column: 1), "the file is empty, expected a \(text.noun)")
          }
          return root
        default:
          guard take(event) else { return nil }
        }
      }
    } catch {
      report(error)
      return nil
    }
  }

  private func position(_ event: YAMLEvent) -> SourcePosition { position(line: event.line, column: event.column) }

  /// The parser ends a last line that the file leaves open, and then stands on a line that is not there.
  private func position(line: Int, column: Int) -> SourcePosition {
    line > text.end.line ? text.end : SourcePosition(file: file, line: line, column: column)
  }

  /// The key path of the node that comes next.
  private var path: String { open.isEmpty ? "" : open[open.count - 1].childPath }

  /// False: the nesting is too deep to go on.
  private mutating func take(_ event: YAMLEvent) -> Bool {
    let position = position(event)
    if event.hasAnchor || event.hasTag { refuseProperties(event, position) }
    switch event.kind {
    case .scalar(let text, let quoted):
      let refused = event.hasAnchor || event.hasTag
      attach(DocumentNode(refused ? .refused : .scalar(text: text, quoted: quoted), at: position), text)
    case .alias:
      diagnostics.add(
        position, keyPath: path,
        "an alias (*name) is not supported, expected the value itself; text that begins with * needs quotes")
      attach(DocumentNode(.refused, at: position), nil)
    case .sequenceStart, .mappingStart:
      guard open.count < YAMLDocument.maximumDepth else {
        diagnostics.add(
          position, "nested too deeply, expected at most \(YAMLDocument.maximumDepth) levels of lists and mappings")
        return false
      }
      let isList = if case .sequenceStart = event.kind { true } else { false }
      open.append(Frame(position: position, path: path, isList: isList))
    case .sequenceEnd, .mappingEnd:
      guard let frame = open.popLast() else { return true }
      attach(DocumentNode(frame.isList ? .sequence(frame.items) : .mapping(frame.entries), at: frame.position), nil)
    case .streamStart, .streamEnd, .documentStart, .documentEnd: break
    }
    return true
  }

  private mutating func refuseProperties(_ event: YAMLEvent, _ position: SourcePosition) {
    if event.hasAnchor {
      diagnostics.add(position, keyPath: path, "an anchor (&name) is not supported, expected the value alone")
    }
    if event.hasTag {
      diagnostics.add(
        position, keyPath: path,
        "a tag (!name) is not supported, expected the value alone; text that begins with ! needs quotes")
    }
  }

  /// Hands a finished node to the list or mapping around it. `text`: the node as a key; `nil` where it cannot be one.
  private mutating func attach(_ node: DocumentNode, _ text: String?) {
    let last = open.count - 1
    guard last >= 0 else {
      root = node
      return
    }
    if open[last].isList {
      open[last].items.append(node)
      return
    }
    switch open[last].key {
    case .named(let key, let position):
      open[last].close(key, position, node)
      open[last].key = nil
    case .dropped: open[last].key = nil
    case nil: open[last].key = key(node, text, in: last)
    }
  }

  private mutating func key(_ node: DocumentNode, _ text: String?, in frame: Int) -> Frame.Key {
    guard let text, case .scalar = node.value else {
      // An alias, an anchor or a tag has been reported as such.
      if case .refused = node.value { return .dropped }
      diagnostics.add(node.position, keyPath: path, "a list or mapping stands as a key, expected a word")
      return .dropped
    }
    if let line = open[frame].line(of: text) {
      let name = PrintableText.cut(text, to: 40)
      diagnostics.add(
        node.position, keyPath: path.isEmpty ? name : "\(path).\(name)",
        "is a duplicate key, expected each key once; the first is on line \(line)")
      return .dropped
    }
    return .named(text, node.position)
  }

  private mutating func report(_ error: YAMLSyntaxError) {
    var message = "not valid YAML: \(error.problem)"
    if let context = error.context {
      message += " \(context.text)"
      if (context.line, context.column) != (error.line, error.column) {
        message += " that begins at line \(context.line), column \(context.column)"
      }
      if context.text.contains("alias") { message += "; text that begins with * needs quotes" }
      if context.text.contains("tag") { message += "; text that begins with ! needs quotes" }
    }
    diagnostics.add(position(line: error.line, column: error.column), message)
  }
}
