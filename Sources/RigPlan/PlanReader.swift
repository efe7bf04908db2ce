public import RigModel

/// What was read of one plan file.
public struct PlanReading: Sendable {
  public let file: String
  /// The plan's id with its place, also where the plan is refused: so that ids are compared across all files.
  public let declaredID: DeclaredID?
  /// `nil` where any diagnostic is an error.
  public let plan: ParsedPlan?
  /// The file is a fragment, which other files extend: no plan, and no error.
  public let isFragment: Bool
  /// All that is wrong with the file, in the order of the file.
  public let diagnostics: [PlanDiagnostic]

  public struct DeclaredID: Hashable, Sendable {
    public let id: String
    public let position: SourcePosition
  }

  init(
    file: String, declaredID: DeclaredID?, plan: ParsedPlan?, isFragment: Bool = false, diagnostics: [PlanDiagnostic]
  ) {
    self.file = file
    self.declaredID = declaredID
    self.plan = plan
    self.isFragment = isFragment
    self.diagnostics = diagnostics
  }

  /// A file of which no tree could be made.
  public init(file: String, refusedBecause diagnostics: [PlanDiagnostic]) {
    self.init(file: file, declaredID: nil, plan: nil, diagnostics: diagnostics)
  }

  /// The same reading with what the parser had reported of the file; an error among it refuses the plan.
  public func adding(_ parserDiagnostics: [PlanDiagnostic]) -> PlanReading {
    guard !parserDiagnostics.isEmpty else { return self }
    let all = DiagnosticList.inOrder(parserDiagnostics + diagnostics, of: file)
    let refused = parserDiagnostics.contains { $0.severity == .error }
    return PlanReading(
      file: file, declaredID: declaredID, plan: refused ? nil : plan, isFragment: isFragment, diagnostics: all)
  }
}

/// Document tree → validated plan. All errors are found in one pass.
public enum PlanReader {
  /// - Parameters:
  ///   - vocabulary: the names that plans may use.
  ///   - flows: the flows as data; with them, an `expect` that names a gate which the failed stage keeps shut is an
  ///     error. Without them that rule is left out.
  ///   - load: gives the tree of a file that is extended, by its path as seen from where `file` is seen.
  public static func read(
    document: DocumentNode, file: String, vocabulary: PlanVocabulary, flows: [Flow] = [],
    load: @escaping (String) -> FragmentSource = { _ in FragmentSource(unreadable: "there are no other files here") }
  ) -> PlanReading {
    var composer = FragmentComposer(load: load)
    if document[PlanFields.fragmentVersion.name] != nil, document["plan"] == nil, document["version"] == nil {
      _ = composer.compose(document, file: file)
      var reader = FieldReader(scope: PlanScope(vocabulary: vocabulary, flow: nil))
      _ = reader.readObject(document, PlanFields.fragment, at: "")
      return PlanReading(
        file: file, declaredID: nil, plan: nil, isFragment: true, diagnostics: reader.diagnostics.sorted
      ).adding(composer.diagnostics)
    }
    return read(
      plan: composer.compose(document, file: file), file: file, vocabulary: vocabulary, flows: flows
    ).adding(composer.diagnostics)
  }

  private static func read(
    plan document: DocumentNode, file: String, vocabulary: PlanVocabulary, flows: [Flow]
  ) -> PlanReading {
    let flowNode = document["flow"]
    let flow = flowNode?.text.flatMap { name in vocabulary.flows.first { $0.id.rawValue == name } }
    var reader = FieldReader(scope: PlanScope(vocabulary: vocabulary, flow: flow))
    let root = reader.readObject(document, PlanFields.plan, at: "")
    var declaredID: PlanReading.DeclaredID?
    if let id = root?["plan"], let word = id.word { declaredID = .init(id: word, position: id.position) }

    var axes: [MatrixAxis] = []
    if let root {
      axes = matrixAxes(root, &reader)
      checkExpectation(root, flows.first { $0.id == flow?.id }, &reader)
      warnOfZeros(root, &reader)
      checkRepetition(root, &reader)
      checkStops(root, &reader)
    }
    var parsed: ParsedPlan?
    if let root, let flow, !reader.diagnostics.hasErrors {
      let faults = (root["faults"]?.items ?? []) + (root["actions"]?.items ?? [])
      parsed = ParsedPlan(
        plan: plan(root, flow: flow.id, at: document.position), drivable: flow.drivable,
        faultLayers: faults.compactMap { if case .fault(_, let layer) = $0.value { layer } else { nil } }, axes: axes)
    }
    return PlanReading(file: file, declaredID: declaredID, plan: parsed, diagnostics: reader.diagnostics.sorted)
  }

  /// Fills a plan from values that have all been read without error.
  private static func plan(_ root: ReadValue, flow: FlowID, at position: SourcePosition) -> Plan {
    var plan = Plan(
      id: root["plan"]?.word ?? "", title: root["title"]?.word ?? "", flow: flow, position: position)
    plan.tags = words(root["tags"])
    plan.needs = words(root["needs"])
    if let model = root["device"]?["model"]?.word { plan.deviceModel = model }
    plan.params = root["params"].flatMap(parameters)
    if let transport = root["transport"]?.word.flatMap(MediaTransport.init) { plan.transport = transport }
    if let playFor = root["play-for"]?.duration { plan.playFor = playFor }
    for limit in root["limits"]?.members ?? [] { plan.limits[limit.key] = limit.value.duration }
    let asked = (root["faults"]?.items ?? []) + (root["actions"]?.items ?? [])
    plan.faults = asked.compactMap { if case .fault(let request, _) = $0.value { request } else { nil } }
    plan.stop = asked.compactMap { if case .stop(let moment) = $0.value { moment } else { nil } }.last
    plan.expect.failed = root["expect"]?["failed"]?.word.map { FailurePoint(name: $0) }
    plan.expect.reached = root["expect"]?["reached"]?.word.flatMap(Gate.init)
    plan.expect.never = words(root["expect"]?["never"])
    plan.measure = (root["measure"]?.members ?? []).compactMap {
      if case .measure(let limit) = $0.value.value { limit } else { nil }
    }
    for check in root["checks"]?.members ?? [] { plan.checks[check.key] = check.value.word.flatMap(CheckSetting.init) }
    plan.repetition = root["repeat"].flatMap(repetition)
    plan.quarantine = root["quarantine"].flatMap(quarantine)
    plan.strict = root["strict"]?.flag ?? false
    return plan
  }

  private static func repetition(_ value: ReadValue) -> Repetition? {
    let length: Repetition.Length
    if let times = value["times"]?.integer {
      length = .times(Int(clamping: times))
    } else if let duration = value["for"]?.duration {
      length = .duration(duration)
    } else {
      return nil
    }
    return Repetition(length, endsAtFailure: value["until"] != nil)
  }

  private static func quarantine(_ value: ReadValue) -> Quarantine? {
    guard let bug = value["bug"]?.word, let owner = value["owner"]?.word, let until = value["until"]?.date else {
      return nil
    }
    return Quarantine(bug: bug, owner: owner, until: until)
  }

  private static func words(_ list: ReadValue?) -> [String] { list?.items.compactMap(\.word) ?? [] }

  /// `nil`: `default`, or a set that was refused.
  static func parameters(_ value: ReadValue) -> StreamParameters? {
    guard let bitrate = value["bitrate"]?.bitRate, let quality = value["quality-factor"]?.integer,
      let interval = value["i-frame-interval"]?.integer
    else { return nil }
    return StreamParameters(
      bitrate: bitrate, qualityFactor: Int(clamping: quality), iFrameInterval: Int(clamping: interval))
  }
}
