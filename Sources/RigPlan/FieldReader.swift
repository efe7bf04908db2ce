import RigModel

/// Reads a document tree by the field table: values of known kinds out, every error of the tree into `diagnostics`.
///
/// A method that returns `nil` has reported why, or has met a node that the parser reported.
struct FieldReader {
  let scope: PlanScope
  var diagnostics = DiagnosticList()

  init(scope: PlanScope) { self.scope = scope }

  mutating func read(_ node: DocumentNode, as kind: FieldKind, at path: String) -> ReadValue? {
    switch kind {
    case .list(let item, let count): return readList(node, of: item, count: count, at: path)
    case .map(let keys, let item): return readMap(node, keys: keys, item, at: path)
    case .object(let table): return readObject(node, table, at: path)
    case .fault: return readFault(node, at: path)
    case .action: return readAction(node, at: path)
    case .measure: return readMeasure(node, at: path)
    case .defaultOr(let other):
      if node.text == "default" { return ReadValue(value: .fallback, text: "default", position: node.position) }
      if case .mapping = node.value { return read(node, as: other, at: path) }
      wrongShape(node, kind, at: path)
      return nil
    case .version, .name, .text, .form, .word, .integer, .flag, .duration, .bitRate, .percent, .date:
      return readScalar(node, as: kind, at: path)
    }
  }

  mutating func readScalar(_ node: DocumentNode, as kind: FieldKind, at path: String) -> ReadValue? {
    guard case .scalar(let text, let quoted) = node.value, quoted || !text.isEmpty else {
      wrongShape(node, kind, at: path)
      return nil
    }
    switch ScalarReader(scope: scope).read(text, as: kind) {
    case .success(let read): return ReadValue(value: read.value, text: read.text, position: node.position)
    case .failure(let problem):
      diagnostics.add(node.position, keyPath: path, problem.message)
      return nil
    }
  }

  private mutating func readList(
    _ node: DocumentNode, of item: FieldKind, count: ClosedRange<Int>, at path: String
  ) -> ReadValue? {
    guard case .sequence(let nodes) = node.value else {
      wrongShape(node, .list(item, count: count), at: path)
      return nil
    }
    if nodes.count < count.lowerBound {
      diagnostics.add(node.position, keyPath: path, "is empty, expected at least \(count.lowerBound) item")
    }
    if nodes.count > count.upperBound {
      diagnostics.add(
        node.position, keyPath: path, "has \(nodes.count) items, expected at most \(count.upperBound)")
    }
    var items: [ReadValue] = []
    // Faults may repeat: two delays at one stage are two faults. What stands alone repeats nothing.
    var isDistinct = nodes.count > 1
    switch item {
    case .fault, .action: isDistinct = false
    default: break
    }
    var seen: [FieldValue: Int] = [:]
    for (index, child) in nodes.prefix(count.upperBound).enumerated() {
      let childPath = "\(path)[\(index)]"
      guard let value = read(child, as: item, at: childPath) else { continue }
      if isDistinct, let first = seen[value.value] {
        diagnostics.add(
          child.position, keyPath: childPath,
          "repeats item [\(first)] (\(PrintableText.cut(value.text))), expected each value once")
        continue
      }
      if isDistinct { seen[value.value] = index }
      items.append(value)
    }
    return ReadValue(value: .list(items), text: "", position: node.position)
  }

  private mutating func readMap(
    _ node: DocumentNode, keys: WordList, _ item: FieldKind, at path: String
  ) -> ReadValue? {
    guard case .mapping(let entries) = node.value else {
      wrongShape(node, .map(keys: keys, item), at: path)
      return nil
    }
    var members: [FieldValue.Member] = []
    for entry in entries {
      let childPath = FieldReader.path(path, entry.key)
      if !scope.contains(entry.key, in: keys) {
        diagnostics.add(
          entry.keyPosition, keyPath: childPath,
          "is not \(scope.noun(keys)), \(Wording.oneOf(scope.words(keys), near: entry.key))")
      }
      if let value = read(entry.value, as: item, at: childPath) {
        members.append(.init(key: entry.key, value: value))
      }
    }
    return ReadValue(value: .members(members), text: "", position: node.position)
  }

  mutating func readObject(_ node: DocumentNode, _ table: FieldTable, at path: String) -> ReadValue? {
    guard case .mapping(let entries) = node.value else {
      wrongShape(node, .object(table), at: path)
      return nil
    }
    var members: [FieldValue.Member] = []
    for entry in entries {
      let childPath = FieldReader.path(path, entry.key)
      guard let field = table.field(entry.key) else {
        unknownKey(entry, table.fields.map(\.name), at: childPath)
        continue
      }
      if let value = read(entry.value, as: field.kind, at: childPath) {
        members.append(.init(key: field.name, value: value))
      }
    }
    for field in table.fields where field.required && !entries.contains(where: { $0.key == field.name }) {
      diagnostics.add(
        node.position, keyPath: FieldReader.path(path, field.name),
        "is missing, expected \(Wording(scope: scope).expectation(of: field.kind))")
    }
    return ReadValue(value: .members(members), text: "", position: node.position)
  }

  mutating func unknownKey(_ entry: DocumentNode.Entry, _ names: [String], at path: String) {
    diagnostics.add(
      entry.keyPosition, keyPath: path, "is an unknown key, \(Wording.oneOf(names, near: entry.key))")
  }

  mutating func wrongShape(_ node: DocumentNode, _ kind: FieldKind, at path: String) {
    if case .refused = node.value {
      // Reported by the parser; the plan is refused all the same.
      return
    }
    let found: String
    if case .scalar(let text, _) = node.value, !text.isEmpty {
      found = PrintableText.quote(text)
    } else {
      found = node.shape
    }
    diagnostics.add(
      node.position, keyPath: path,
      "is \(found), expected \(Wording(scope: scope).expectation(of: kind))")
  }

  static func path(_ parent: String, _ key: String) -> String {
    let name = PrintableText.cut(key, to: 40)
    return parent.isEmpty ? name : parent + "." + name
  }
}
