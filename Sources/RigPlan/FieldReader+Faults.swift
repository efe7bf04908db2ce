import RigModel

/// Faults: the vocabulary says at which stages a verb is legal, and which arguments it takes.
extension FieldReader {
  static let at = Field("at", .word(.stages), required: true, "The stage at which the fault acts.")
  static let verb = Field("do", .word(.faults), required: true, "What the fault does.")

  mutating func readFault(_ node: DocumentNode, at path: String) -> ReadValue? {
    guard case .mapping(let entries) = node.value else {
      wrongShape(node, .fault, at: path)
      return nil
    }
    let stage = requiredWord(FieldReader.at, in: node, at: path)
    let verb = requiredWord(FieldReader.verb, in: node, at: path)
    // Without a verb nothing is known of the arguments; they are checked once the verb is.
    guard let verb, let verbWord = verb.word else { return nil }

    let homonyms = scope.vocabulary.faults.filter { $0.verb == verbWord }
    let legal = legalEntries(homonyms, verb: verb, stage: stage, at: path)
    let names = entries.map(\.key)
    // At a known stage the first legal meaning holds, as in the catalog; elsewhere the arguments tell which was meant.
    let isPlaced = stage != nil && scope.flow != nil
    guard let words = (isPlaced ? legal.first : nil) ?? FieldReader.best(homonyms, for: names) else { return nil }
    let arguments = readArguments(node, entries, words, at: path)
    guard let stageWord = stage?.word, !legal.isEmpty else { return nil }
    let request = FaultRequest(
      at: StageID(rawValue: stageWord), do: verbWord, arguments: arguments, position: node.position)
    return ReadValue(value: .fault(request, layer: words.layer), text: request.text, position: node.position)
  }

  private mutating func requiredWord(_ field: Field, in node: DocumentNode, at path: String) -> ReadValue? {
    let fieldPath = FieldReader.path(path, field.name)
    guard let value = node[field.name] else {
      diagnostics.add(
        node.position, keyPath: fieldPath,
        "is missing, expected \(Wording(scope: scope).expectation(of: field.kind))")
      return nil
    }
    return readScalar(value, as: field.kind, at: fieldPath)
  }

  /// The meanings of the verb that are legal at the stage. Reports, where there is none, at which stages it is legal.
  private mutating func legalEntries(
    _ homonyms: [PlanVocabulary.FaultWords], verb: ReadValue, stage: ReadValue?, at path: String
  ) -> [PlanVocabulary.FaultWords] {
    guard let flow = scope.flow?.id else { return homonyms }
    let inFlow = homonyms.filter { !($0.stages[flow] ?? []).isEmpty }
    guard !inFlow.isEmpty else {
      let flows = PlanScope.unique(
        scope.vocabulary.flows.map(\.id).filter { id in homonyms.contains { !($0.stages[id] ?? []).isEmpty } }
          .map(\.rawValue))
      diagnostics.add(
        verb.position, keyPath: FieldReader.path(path, FieldReader.verb.name),
        "\(PrintableText.quote(verb.word ?? "")) does not act in \(flow.rawValue), expected a fault of this flow; it "
          + "acts in " + (flows.isEmpty ? "no flow" : flows.joined(separator: ", ")))
      return []
    }
    guard let stage, let word = stage.word else { return homonyms }
    let legal = inFlow.filter { $0.stages[flow]?.contains(word) ?? false }
    if legal.isEmpty {
      // In the flow's order, whatever the order in the catalog.
      let stages = Set(inFlow.flatMap { $0.stages[flow] ?? [] })
      let ordered = (scope.flow?.stages ?? []).filter(stages.contains)
      diagnostics.add(
        stage.position, keyPath: FieldReader.path(path, FieldReader.at.name),
        "\(PrintableText.quote(verb.word ?? "")) cannot act at \(PrintableText.quote(word)), expected "
          + Wording.list(ordered))
    }
    return legal
  }

  /// Of several meanings, the first one that takes exactly these keys; failing that, the first.
  private static func best(
    _ meanings: [PlanVocabulary.FaultWords], for keys: [String]
  ) -> PlanVocabulary.FaultWords? {
    let given = Set(keys).subtracting([at.name, verb.name])
    return meanings.first { words in
      given.isSubset(of: words.arguments.map(\.name))
        && given.isSuperset(of: words.arguments.filter(\.required).map(\.name))
    } ?? meanings.first
  }

  private mutating func readArguments(
    _ node: DocumentNode, _ entries: [DocumentNode.Entry], _ words: PlanVocabulary.FaultWords, at path: String
  ) -> [String: FaultArgument] {
    var arguments: [String: FaultArgument] = [:]
    let fields = words.arguments.map(FieldReader.field)
    let fixed = [FieldReader.at.name, FieldReader.verb.name]
    for entry in entries where !fixed.contains(entry.key) {
      let argumentPath = FieldReader.path(path, entry.key)
      guard let field = fields.first(where: { $0.name == entry.key }) else {
        unknownKey(entry, fixed + fields.map(\.name), at: argumentPath)
        continue
      }
      guard let value = readScalar(entry.value, as: field.kind, at: argumentPath) else { continue }
      arguments[entry.key] = value.argument
    }
    for field in fields where field.required && node[field.name] == nil {
      diagnostics.add(
        node.position, keyPath: FieldReader.path(path, field.name),
        "is missing, expected \(Wording(scope: scope).expectation(of: field.kind))")
    }
    return arguments
  }

  /// An argument of a fault as a field of the plan.
  static func field(_ argument: PlanVocabulary.ArgumentWords) -> Field {
    let kind: FieldKind =
      switch argument.kind {
      case .duration: .duration(positive: false)
      case .integer: .integer(.min ... .max)
      case .text where argument.choices.isEmpty: .text(maximum: 1_024)
      case .text: .word(.fixed(argument.choices, noun: "a choice of \(argument.name)"))
      case .flag: .flag
      case .percent: .percent
      case .bitRate: .bitRate(zeroIsDefault: false)
      }
    return Field(argument.name, kind, required: argument.required, argument.summary)
  }
}

extension ReadValue {
  /// The value as an argument of a fault; `nil` for lists and mappings, which no argument is.
  fileprivate var argument: FaultArgument? {
    switch value {
    case .duration(let duration): .duration(duration)
    case .integer(let integer): .integer(integer)
    case .text(let text): .text(text)
    case .flag(let flag): .flag(flag)
    case .percent(let percent): .percent(percent)
    case .bitRate(let rate): .bitRate(rate)
    case .fallback, .list, .members, .fault: nil
    }
  }
}
