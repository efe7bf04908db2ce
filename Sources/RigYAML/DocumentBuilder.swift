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
    var position: SourcePosition
    var path: String
    var content: Content

    enum Content {
      case sequence([DocumentNode])
      case mapping(Mapping)
    }

    struct Mapping {
      var entries: [DocumentNode.Entry] = []
      /// The line of each key.
      var lines: [String: Int] = [:]
      var key: Key?
    }

    /// A key whose value has not come yet.
    enum Key {
      case named(String, SourcePosition)
      /// Reported; its value is dropped.
      case dropped
    }

    /// The key path of the node that comes next.
    var childPath: String {
      switch content {
      case .sequence(let nodes): return "\(path)[\(nodes.count)]"
      case .mapping(let mapping):
        guard case .named(let key, _) = mapping.key else { return path }
        let name = PrintableText.cut(key, to: 40)
        return path.isEmpty ? name : "\(path).\(name)"
      }
    }
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
            diagnostics.add(position(event), "a second document begins, expected one plan in a file")
            return root
          }
        case .streamEnd:
          if root == nil {
            diagnostics.add(SourcePosition(file: file, line: 1, column: 1), "the file is empty, expected a plan")
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

  /// False: the nesting is too deep to go on.
  private mutating func take(_ event: YAMLEvent) -> Bool {
    let position = position(event)
    refuseProperties(event, position)
    switch event.kind {
    case .scalar(let text, let quoted):
      let refused = event.hasAnchor || event.hasTag
      attach(DocumentNode(refused ? .refused : .scalar(text: text, quoted: quoted), at: position), text)
    case .alias:
      diagnostics.add(
        position, keyPath: open.last?.childPath ?? "",
        "an alias (*name) is not supported, expected the value itself; text that begins with * needs quotes")
      attach(DocumentNode(.refused, at: position), nil)
    case .sequenceStart, .mappingStart:
      guard open.count < YAMLDocument.maximumDepth else {
        diagnostics.add(
          position, "nested too deeply, expected at most \(YAMLDocument.maximumDepth) levels of lists and mappings")
        return false
      }
      let isList = if case .sequenceStart = event.kind { true } else { false }
      open.append(
        Frame(
          position: position, path: open.last?.childPath ?? "",
          content: isList ? .sequence([]) : .mapping(Frame.Mapping())))
    case .sequenceEnd, .mappingEnd:
      guard let frame = open.popLast() else { return true }
      switch frame.content {
      case .sequence(let nodes): attach(DocumentNode(.sequence(nodes), at: frame.position), nil)
      case .mapping(let mapping): attach(DocumentNode(.mapping(mapping.entries), at: frame.position), nil)
      }
    case .streamStart, .streamEnd, .documentStart, .documentEnd: break
    }
    return true
  }

  private mutating func refuseProperties(_ event: YAMLEvent, _ position: SourcePosition) {
    let path = open.last?.childPath ?? ""
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
    guard var frame = open.popLast() else {
      root = node
      return
    }
    // Taken out and put back, so that the arrays are never copied.
    let path = frame.path
    switch frame.content {
    case .sequence(var nodes):
      frame.content = .sequence([])
      nodes.append(node)
      frame.content = .sequence(nodes)
    case .mapping(var mapping):
      frame.content = .sequence([])
      attach(node, text, to: &mapping, at: path)
      frame.content = .mapping(mapping)
    }
    open.append(frame)
  }

  private mutating func attach(_ node: DocumentNode, _ text: String?, to mapping: inout Frame.Mapping, at path: String)
  {
    switch mapping.key {
    case .named(let key, let keyPosition):
      mapping.entries.append(.init(key: key, keyPosition: keyPosition, value: node))
      mapping.key = nil
    case .dropped:
      mapping.key = nil
    case nil:
      mapping.key = key(node, text, in: &mapping, at: path)
    }
  }

  private mutating func key(
    _ node: DocumentNode, _ text: String?, in mapping: inout Frame.Mapping, at path: String
  ) -> Frame.Key {
    guard let text, case .scalar = node.value else {
      // An alias, an anchor or a tag has been reported as such.
      if case .refused = node.value { return .dropped }
      diagnostics.add(node.position, keyPath: path, "a list or mapping stands as a key, expected a word")
      return .dropped
    }
    if let line = mapping.lines[text] {
      let name = PrintableText.cut(text, to: 40)
      diagnostics.add(
        node.position, keyPath: path.isEmpty ? name : "\(path).\(name)",
        "is a duplicate key, expected each key once; the first is on line \(line)")
      return .dropped
    }
    mapping.lines[text] = node.position.line
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
