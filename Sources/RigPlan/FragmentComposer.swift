import RigModel

/// The tree of a file that a plan extends, or why there is none.
public struct FragmentSource: Sendable {
  /// `nil`: no tree can be trusted.
  public let document: DocumentNode?
  /// What the parser found wrong.
  public let diagnostics: [PlanDiagnostic]
  /// Why the file cannot be read at all; `nil`: it was.
  public let problem: String?

  public init(_ document: DocumentNode?, _ diagnostics: [PlanDiagnostic]) {
    self.document = document
    self.diagnostics = diagnostics
    problem = nil
  }

  public init(unreadable problem: String) {
    document = nil
    diagnostics = []
    self.problem = problem
  }
}

/// Merges fragments into the tree of the plan that extends them. Every node keeps its own place, so that what is wrong in
/// a fragment is reported there.
///
/// A plan's own keys win. `limits`, `measure` and `checks` are merged key by key, `tags` and `needs` are put together;
/// anything else is taken from the fragment only where the plan does not say it.
struct FragmentComposer {
  /// A chain of more fragments is refused.
  static let longestChain = 16

  let load: (String) -> FragmentSource
  private(set) var diagnostics: [PlanDiagnostic] = []

  init(load: @escaping (String) -> FragmentSource) { self.load = load }

  /// - Parameter file: where the tree stands; paths in it are relative to its folder.
  mutating func compose(_ node: DocumentNode, file: String) -> DocumentNode {
    compose(node, file: file, chain: [FragmentComposer.normalized(file)])
  }

  private mutating func compose(_ node: DocumentNode, file: String, chain: [String]) -> DocumentNode {
    // Anything but a path is reported by the reader of the fields.
    guard let place = node[PlanFields.extends.name], let text = place.text,
      case .success = ScalarReader.line(text, maximum: PlanFields.longestPath)
    else { return node }
    let path = FragmentComposer.resolve(text, from: file)
    if let index = chain.firstIndex(of: path) {
      let circle = (chain[index...] + [path]).map { PrintableText.cut($0, to: 200) }.joined(separator: " → ")
      add(place, "goes round in a circle: \(circle), expected fragments that end")
      return node
    }
    guard chain.count <= FragmentComposer.longestChain else {
      add(place, "is the end of a chain of more than \(FragmentComposer.longestChain) fragments, expected fewer")
      return node
    }
    let source = load(path)
    diagnostics += source.diagnostics
    if let problem = source.problem {
      add(place, "\(PrintableText.quote(path, limit: 200)) cannot be read: \(problem), expected a fragment")
      return node
    }
    guard let fragment = source.document else { return node }
    guard fragment[PlanFields.fragmentVersion.name] != nil else {
      add(
        place,
        "\(PrintableText.quote(path, limit: 200)) is no fragment, expected a file that begins with fragment: 1")
      return node
    }
    return merge(node, compose(checked(fragment), file: path, chain: chain + [path]))
  }

  private mutating func add(_ node: DocumentNode, _ message: String) {
    diagnostics.append(PlanDiagnostic(node.position, keyPath: PlanFields.extends.name, message))
  }

  /// The fragment without the keys that no fragment may have, which are reported.
  private mutating func checked(_ fragment: DocumentNode) -> DocumentNode {
    guard case .mapping(let entries) = fragment.value else { return fragment }
    let version = "\(PlanFields.version)"
    if let node = fragment[PlanFields.fragmentVersion.name], node.text != version {
      let found = node.text.map { PrintableText.quote($0) } ?? node.shape
      diagnostics.append(
        PlanDiagnostic(
          node.position, keyPath: PlanFields.fragmentVersion.name,
          "version \(found) is not supported, expected \(version)"))
    }
    let kept = entries.filter { entry in
      guard PlanFields.fragment.field(entry.key) == nil else { return true }
      let why =
        PlanFields.plan.field(entry.key) == nil
        ? "is an unknown key" : "belongs in a plan, and cannot stand in a fragment"
      diagnostics.append(
        PlanDiagnostic(
          entry.keyPosition, keyPath: PrintableText.cut(entry.key, to: 40),
          "\(why), \(Wording.oneOf(PlanFields.fragment.fields.map(\.name), near: entry.key))"))
      return false
    }
    return DocumentNode(.mapping(kept), at: fragment.position)
  }

  private func merge(_ own: DocumentNode, _ base: DocumentNode) -> DocumentNode {
    guard case .mapping(var entries) = own.value, case .mapping(let others) = base.value else { return own }
    var places: [String: Int] = [:]
    for (index, entry) in entries.enumerated() where places[entry.key] == nil { places[entry.key] = index }
    for other in others where ![PlanFields.fragmentVersion.name, PlanFields.extends.name].contains(other.key) {
      guard let index = places[other.key] else {
        entries.append(other)
        continue
      }
      switch (PlanFields.merging[other.key], entries[index].value.value, other.value.value) {
      case (.byKey, .mapping(let mine), .mapping(let theirs)):
        let known = Set(mine.map(\.key))
        entries[index].value.value = .mapping(mine + theirs.filter { !known.contains($0.key) })
      case (.together, .sequence(let mine), .sequence(let theirs)):
        let known = Set(mine.compactMap(\.text))
        let new = theirs.filter { node in node.text.map { !known.contains($0) } ?? true }
        entries[index].value.value = .sequence(mine + new)
      default: break
      }
    }
    return DocumentNode(.mapping(entries), at: own.position)
  }

  // MARK: Paths

  /// A path in a file, seen from where that file's own path is seen.
  static func resolve(_ path: String, from file: String) -> String {
    if path.hasPrefix("/") { return normalized(path) }
    let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
    return normalized(folder + path)
  }

  /// Without `.` and `..` where they can be done without: one file, one name.
  static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    let isAbsolute = path.hasPrefix("/")
    for part in path.split(separator: "/", omittingEmptySubsequences: true) where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !isAbsolute {
        parts.append(part)
      }
    }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}
