public import RigModel
public import RigPlan

/// YAML text → `DocumentNode` tree.
///
/// Only the part of YAML that plans need is taken: one document of mappings, lists and scalars. Anchors and aliases
/// are refused, so that nothing can expand; so are directives, and tags, because fields give scalars their type.
public enum YAMLDocument {
  /// Larger files are refused. Whoever reads a file need not read more than one byte beyond this.
  public static let maximumBytes = 1 << 20
  /// Lists and mappings may stand this deep in each other.
  public static let maximumDepth = 32

  /// - Parameter noun: what messages call what should stand in the file.
  /// - Returns: the tree, with `refused` nodes where something was left out, or `nil` where no tree can be trusted;
  ///   and all that is wrong, in the order of the file. The file is good only if no diagnostic is an error.
  public static func parse(
    bytes: [UInt8], file: String, noun: String = "plan"
  ) -> (DocumentNode?, [PlanDiagnostic]) {
    guard bytes.count <= maximumBytes else {
      let start = SourcePosition(file: file, line: 1, column: 1)
      return (nil, [PlanDiagnostic(start, "the file is larger than 1 MiB, expected a \(noun) of at most 1 MiB")])
    }
    let text = PlanText(bytes: bytes, file: file, noun: noun)
    guard text.isParsable else { return (nil, text.diagnostics.sorted) }
    var builder = DocumentBuilder(text)
    let node = builder.build()
    return (node, builder.diagnostics.sorted)
  }

  /// What a file that a plan extends holds.
  public enum Contents: Sendable {
    case bytes([UInt8])
    case unreadable(String)
  }

  /// Reads a whole plan: what the parser found and what the validation found, in one list.
  /// - Parameter contents: reads a file that the plan extends, by its path as seen from where `file` is seen.
  public static func readPlan(
    bytes: [UInt8], file: String, vocabulary: PlanVocabulary, flows: [Flow] = [],
    contents: @escaping (String) -> Contents = { _ in .unreadable("there are no other files here") }
  ) -> PlanReading {
    let (node, diagnostics) = parse(bytes: bytes, file: file)
    guard let node else { return PlanReading(file: file, refusedBecause: diagnostics) }
    return PlanReader.read(document: node, file: file, vocabulary: vocabulary, flows: flows) { path in
      switch contents(path) {
      case .unreadable(let why): return FragmentSource(unreadable: why)
      case .bytes(let bytes):
        let (tree, found) = parse(bytes: bytes, file: path)
        return FragmentSource(tree, found)
      }
    }.adding(diagnostics)
  }

  /// Reads a whole rig file, as `readPlan` does a plan.
  /// - Parameter canonical: gives all spellings of one control link as one.
  public static func readRig(
    bytes: [UInt8], file: String, vocabulary: PlanVocabulary, emulated: [String],
    canonical: @escaping (Rig.Control) -> Rig.Control = { $0 }
  ) -> RigReading {
    let (node, diagnostics) = parse(bytes: bytes, file: file, noun: "rig file")
    guard let node else { return RigReading(file: file, rig: nil, diagnostics: diagnostics) }
    return RigReader.read(
      document: node, file: file, vocabulary: vocabulary, emulated: emulated, canonical: canonical
    ).adding(diagnostics)
  }
}
