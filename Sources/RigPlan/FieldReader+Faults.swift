import RigModel

/// Faults: the vocabulary says at which stages a verb is legal, and which arguments it takes.
extension FieldReader {
  static let at = Field("at", .word(.stages), required: true, "The stage at which the fault acts.")
  static let verb = Field("do", .word(.faults), required: true, "What the fault does.")

  mutating func readFault(_ node: DocumentNode, at path: String) -> ReadValue? {
    guard case .mapping = node.value else {
      wrongShape(node, .fault, at: path)
      return nil
    }
    let place = requiredNode(FieldReader.at, in: node, at: path)
      .flatMap { readMoment($0, gates: false, at: FieldReader.path(path, FieldReader.at.name)) }
    let verbPath = FieldReader.path(path, FieldReader.verb.name)
    let verb = requiredNode(FieldReader.verb, in: node, at: path)
      .flatMap { readScalar($0, as: FieldReader.verb.kind, at: verbPath) }
    // Without a verb nothing is known of the arguments; they are checked once the verb is.
    guard let verb else { return nil }
    return readMeaning(
      node, fixed: [FieldReader.at.name, FieldReader.verb.name], verb: verb, verbPath: verbPath, place: place, at: path)
  }

  /// What the verb means at the place, with its arguments.
  /// - Parameters:
  ///   - fixed: keys that are no arguments.
  ///   - place: `nil`: missing or wrong, and reported.
  ///   - layer: only meanings of this layer count; `nil`: all do.
  ///   - isAction: the fault begins at the moment, also where no `+` stands.
  mutating func readMeaning(
    _ node: DocumentNode, fixed: [String], verb: ReadValue, verbPath: String, place: ReadMoment?, layer: String? = nil,
    isAction: Bool = false, at path: String
  ) -> ReadValue? {
    guard case .mapping(let entries) = node.value, let verbWord = verb.word else { return nil }
    let homonyms = scope.vocabulary.faults.filter { $0.verb == verbWord && (layer == nil || $0.layer == layer) }
    let legal = legalEntries(homonyms, verb: verb, verbPath: verbPath, place: place, at: path)
    let hasMoment = place.map { $0.hasOffset || isAction } ?? false
    // At a known stage the first legal meaning holds, as in the catalog; elsewhere the arguments tell which was meant.
    let isPlaced = place != nil && scope.flow != nil
    let names = entries.map(\.key).filter { !fixed.contains($0) }
    guard let words = (isPlaced ? legal.first?.words : nil) ?? FieldReader.best(homonyms, for: names) else {
      return nil
    }
    let (arguments, lasting) = readArguments(node, entries, words, fixed: fixed, mayEnd: hasMoment, at: path)
    guard let place, let stage = legal.first?.stage else { return nil }
    let request = FaultRequest(
      at: stage, do: verbWord, arguments: arguments, moment: hasMoment ? place.moment : nil, lasting: lasting,
      position: node.position)
    return ReadValue(value: .fault(request, layer: words.layer), text: request.text, position: node.position)
  }

  private typealias Meaning = (words: PlanVocabulary.FaultWords, stage: StageID)

  /// The meanings of the verb that are legal at the place, each with the stage at which it acts. Reports, where there is
  /// none, at which stages it is legal.
  private mutating func legalEntries(
    _ homonyms: [PlanVocabulary.FaultWords], verb: ReadValue, verbPath: String, place: ReadMoment?, at path: String
  ) -> [Meaning] {
    guard let flow = scope.flow else {
      guard case .stage(let stage)? = place?.moment.anchor else { return [] }
      return homonyms.map { ($0, stage) }
    }
    let inFlow = homonyms.filter { !($0.stages[flow.id] ?? []).isEmpty }
    guard !inFlow.isEmpty else {
      let flows = PlanScope.unique(
        scope.vocabulary.flows.map(\.id).filter { id in homonyms.contains { !($0.stages[id] ?? []).isEmpty } }
          .map(\.rawValue))
      diagnostics.add(
        verb.position, keyPath: verbPath,
        "\(PrintableText.quote(verb.word ?? "")) does not act in \(flow.id.rawValue), expected a fault of this flow; it acts in "
          + (flows.isEmpty ? "no flow" : flows.joined(separator: ", ")))
      return []
    }
    guard let place else { return [] }
    // At a gate the stages that may run then, the first one first: those after the stage that opened it.
    let candidates: [String]
    switch place.moment.anchor {
    case .stage(let stage): candidates = [stage.rawValue]
    case .gate(let gate):
      let opener = flow.opens[gate.rawValue].flatMap(flow.stages.firstIndex)
      candidates = opener.map { Array(flow.stages[($0 + 1)...]) } ?? flow.stages
    }
    for stage in candidates {
      let legal = inFlow.filter { $0.stages[flow.id]?.contains(stage) ?? false }
      if !legal.isEmpty { return legal.map { ($0, StageID(rawValue: stage)) } }
    }
    // In the flow's order, whatever the order in the catalog.
    let stages = Set(inFlow.flatMap { $0.stages[flow.id] ?? [] })
    let ordered = flow.stages.filter(stages.contains)
    diagnostics.add(
      place.anchor.position, keyPath: FieldReader.path(path, FieldReader.at.name),
      "\(PrintableText.quote(verb.word ?? "")) cannot act at \(PrintableText.quote(place.anchor.text)), expected \(Wording.list(ordered))"
    )
    return []
  }

  /// Of several meanings, the first one that takes exactly these keys; failing that, the first.
  private static func best(
    _ meanings: [PlanVocabulary.FaultWords], for keys: [String]
  ) -> PlanVocabulary.FaultWords? {
    let given = Set(keys)
    return meanings.first { words in
      given.isSubset(of: words.arguments.map(\.name))
        && given.isSuperset(of: words.arguments.filter(\.required).map(\.name))
    } ?? meanings.first
  }

  /// - Parameter mayEnd: the fault may end after a `for` of its own, though the verb has none.
  private mutating func readArguments(
    _ node: DocumentNode, _ entries: [DocumentNode.Entry], _ words: PlanVocabulary.FaultWords, fixed: [String],
    mayEnd: Bool, at path: String
  ) -> (arguments: [String: FaultArgument], lasting: Duration?) {
    var arguments: [String: FaultArgument] = [:]
    var lasting: Duration?
    let own = words.arguments.map(FieldReader.field)
    let ends = mayEnd && !own.contains { $0.name == FieldReader.lasting.name }
    let fields = own + (ends ? [FieldReader.lasting] : [])
    for entry in entries where !fixed.contains(entry.key) {
      let argumentPath = FieldReader.path(path, entry.key)
      guard let field = fields.first(where: { $0.name == entry.key }) else {
        unknownKey(entry, fixed + fields.map(\.name), at: argumentPath)
        continue
      }
      guard let value = readScalar(entry.value, as: field.kind, at: argumentPath) else { continue }
      if ends, entry.key == FieldReader.lasting.name {
        lasting = value.duration
      } else {
        arguments[entry.key] = value.argument
      }
    }
    for field in own where field.required && node[field.name] == nil {
      diagnostics.add(
        node.position, keyPath: FieldReader.path(path, field.name),
        "is missing, expected \(Wording(scope: scope).expectation(of: field.kind))")
    }
    return (arguments, lasting)
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
    case .fallback, .list, .members, .fault, .stop, .measure, .date: nil
    }
  }
}
