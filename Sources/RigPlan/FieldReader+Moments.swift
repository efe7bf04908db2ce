import RigModel

/// A place in a session, as plans write it.
struct ReadMoment {
  var moment: Moment
  /// The word before the `+`, with its place.
  var anchor: ReadValue
  /// Whether a `+` stands there: the moment counts, not the stage alone.
  var hasOffset: Bool
}

/// Moments, and what happens at them.
extension FieldReader {
  static let actionVerb = Field("do", .text(maximum: 64), required: true, "What happens.")
  static let injected = Field("fault", .word(.faults), required: true, "The fault that the device is told to make.")
  static let lasting = Field("for", .duration(positive: true), "After this long the fault is over.")
  static let stop = "stop"
  static let inject = "inject"
  /// The layer whose faults the rig performs itself, so that an action names them like its own verbs.
  static let linkLayer = "link"

  var linkVerbs: [String] {
    PlanScope.unique(scope.vocabulary.faults.filter { $0.layer == FieldReader.linkLayer }.map(\.verb))
  }

  /// `STAGE`, `STAGE + 5 s`, and with `gates` `GATE` and `GATE + 5 s`.
  mutating func readMoment(_ node: DocumentNode, gates: Bool, at path: String) -> ReadMoment? {
    // Nearly all places are a stage and nothing more.
    if case .scalar(let text, _) = node.value, scope.contains(text, in: .stages) {
      return ReadMoment(
        moment: Moment(.stage(StageID(rawValue: text))),
        anchor: ReadValue(value: .text(text), text: text, position: node.position), hasOffset: false)
    }
    guard let whole = readScalar(node, as: .text(maximum: 200), at: path), let text = whole.word else { return nil }
    let plus = text.firstIndex(of: "+")
    let name = FieldReader.trimmed(text[..<(plus ?? text.endIndex)])
    let words = scope.words(.stages) + (gates ? scope.words(.gates) : [])
    guard words.contains(name) else {
      let noun = scope.noun(.stages) + (gates ? ", or a gate" : "")
      diagnostics.add(
        node.position, keyPath: path,
        "\(PrintableText.quote(name)) is not \(noun), \(Wording.oneOf(words, near: name))")
      return nil
    }
    var offset = Duration.zero
    if let plus {
      switch QuantityReader.duration(FieldReader.trimmed(text[text.index(after: plus)...]), positive: false) {
      case .success(let read): if case .duration(let duration) = read.value { offset = duration }
      case .failure(let problem):
        diagnostics.add(node.position, keyPath: path, "after the +, \(problem.message)")
        return nil
      }
    }
    // A stage and a gate never share a name.
    let isStage = scope.contains(name, in: .stages)
    let anchor = isStage ? Moment.Anchor.stage(StageID(rawValue: name)) : Gate(rawValue: name).map(Moment.Anchor.gate)
    guard let anchor else { return nil }
    return ReadMoment(
      moment: Moment(anchor, offset: offset),
      anchor: ReadValue(value: .text(name), text: name, position: node.position), hasOffset: plus != nil)
  }

  private static func trimmed(_ text: Substring) -> String {
    var rest = text
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }

  mutating func readAction(_ node: DocumentNode, at path: String) -> ReadValue? {
    guard case .mapping(let entries) = node.value else {
      wrongShape(node, .action, at: path)
      return nil
    }
    let moment = requiredNode(FieldReader.at, in: node, at: path)
      .flatMap { readMoment($0, gates: true, at: FieldReader.path(path, FieldReader.at.name)) }
    let verbs = [FieldReader.stop, FieldReader.inject] + linkVerbs
    let verbPath = FieldReader.path(path, FieldReader.actionVerb.name)
    guard let verbNode = requiredNode(FieldReader.actionVerb, in: node, at: path),
      let verb = readScalar(verbNode, as: .word(.fixed(verbs, noun: "an action")), at: verbPath), let word = verb.word
    else { return nil }
    let fixed = [FieldReader.at.name, FieldReader.actionVerb.name]
    switch word {
    case FieldReader.stop:
      for entry in entries where !fixed.contains(entry.key) {
        unknownKey(entry, fixed, at: FieldReader.path(path, entry.key))
      }
      guard let moment, checkStop(moment, at: FieldReader.path(path, FieldReader.at.name)) else { return nil }
      return ReadValue(value: .stop(moment.moment), text: "stop", position: node.position)
    case FieldReader.inject:
      guard let named = requiredNode(FieldReader.injected, in: node, at: path) else { return nil }
      let faultPath = FieldReader.path(path, FieldReader.injected.name)
      guard let fault = readScalar(named, as: FieldReader.injected.kind, at: faultPath) else { return nil }
      return readMeaning(
        node, fixed: fixed + [FieldReader.injected.name], verb: fault, verbPath: faultPath, place: moment,
        isAction: true, at: path)
    default:
      return readMeaning(
        node, fixed: fixed, verb: verb, verbPath: verbPath, place: moment, layer: FieldReader.linkLayer,
        isAction: true, at: path)
    }
  }

  /// Once the session is ending there is nothing left to stop.
  private mutating func checkStop(_ place: ReadMoment, at path: String) -> Bool {
    let isLate =
      switch place.moment.anchor {
      case .gate(let gate): gate == .ended
      case .stage(let stage): stage == .finish || stage == .cleanUp
      }
    if isLate {
      diagnostics.add(
        place.anchor.position, keyPath: path,
        "the session is ending at \(place.anchor.text) anyway, expected an earlier stage or gate to stop at")
    }
    return !isLate
  }

  mutating func requiredNode(_ field: Field, in node: DocumentNode, at path: String) -> DocumentNode? {
    if let value = node[field.name] { return value }
    diagnostics.add(
      node.position, keyPath: FieldReader.path(path, field.name),
      "is missing, expected \(Wording(scope: scope).expectation(of: field.kind))")
    return nil
  }
}
