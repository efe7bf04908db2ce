import RigModel

/// What no single field shows: rules between fields, and the matrix.
extension PlanReader {
  /// The axes in the order of the field table, so that ids do not change when keys change places in the file.
  static func matrixAxes(_ root: ReadValue, _ reader: inout FieldReader) -> [MatrixAxis] {
    guard let matrix = root["matrix"] else { return [] }
    if matrix.members.isEmpty, !reader.diagnostics.hasErrors {
      reader.diagnostics.add(
        matrix.position, keyPath: "matrix",
        "is empty, expected \(Wording(scope: reader.scope).expectation(of: .object(PlanFields.matrix)))")
    }
    var axes: [MatrixAxis] = []
    for field in PlanFields.matrix.fields {
      guard let list = matrix[field.name] else { continue }
      if field.name == "params" { checkNames(list, at: "matrix.params", &reader) }
      axes.append(MatrixAxis(key: field.name, values: list.items.compactMap { axisValue($0, field.name) }))
    }
    var cells = 1
    for axis in axes {
      let (product, overflow) = cells.multipliedReportingOverflow(by: max(1, axis.values.count))
      cells = overflow ? .max : product
    }
    if cells > PlanFields.maximumCells {
      reader.diagnostics.add(
        matrix.position, keyPath: "matrix", "has \(cells) cells, expected at most \(PlanFields.maximumCells)")
    }
    return axes
  }

  private static func axisValue(_ item: ReadValue, _ key: String) -> MatrixAxis.Value? {
    switch (key, item.value) {
    case ("transport", .text(let word)):
      MediaTransport(rawValue: word).map { .init(text: word, setting: .transport($0)) }
    case ("play-for", .duration(let duration)): .init(text: item.text, setting: .playFor(duration))
    case ("device.model", .text(let model)): .init(text: model, setting: .deviceModel(model))
    case ("params", .fallback): .init(text: "default", setting: .params(nil))
    case ("params", .members):
      item["name"]?.word.flatMap { name in parameters(item).map { .init(text: name, setting: .params($0)) } }
    default: nil
    }
  }

  /// Sets of parameters are told apart by name alone, and `default` is taken.
  private static func checkNames(_ list: ReadValue, at path: String, _ reader: inout FieldReader) {
    var seen: Set<String> = ["default"]
    for item in list.items {
      guard let name = item["name"], let word = name.word, !seen.insert(word).inserted else { continue }
      reader.diagnostics.add(
        name.position, keyPath: path,
        word == "default"
          ? "the name \"default\" is taken by the device's defaults, expected another"
          : "the name \(PrintableText.quote(word)) stands twice, expected a name for each set")
    }
  }

  /// A gate that the failed stage, or one after it, opens cannot have been reached. The flow's last gate is exempt:
  /// a session may still finish after a failure.
  static func checkExpectation(_ root: ReadValue, _ flow: Flow?, _ reader: inout FieldReader) {
    guard let flow, let expect = root["expect"], let failed = expect["failed"]?.word,
      let reached = expect["reached"], let gate = reached.word.flatMap(Gate.init),
      let stage = flow.stages.firstIndex(where: { $0.id.rawValue == failed }),
      // A stage that lasts as long as the plan says has opened its gate when it began.
      let shut = flow.stages[(flow.stages[stage].limit == nil ? stage + 1 : stage)...].compactMap(\.gate).first,
      let firstShut = flow.gateOrder.firstIndex(of: shut), let index = flow.gateOrder.firstIndex(of: gate)
    else { return }
    guard index >= firstShut, gate != flow.gateOrder.last else { return }
    let open = flow.gateOrder[..<firstShut].map(\.rawValue)
    reader.diagnostics.add(
      reached.position, keyPath: "expect.reached",
      "gate \(gate.rawValue) cannot be reached when \(failed) fails, expected "
        + (open.isEmpty ? "no gate at all" : Wording.list(open)))
  }

  /// A user stops once; and two ends of one session contradict each other.
  static func checkStops(_ root: ReadValue, _ reader: inout FieldReader) {
    let actions = root["actions"]?.items ?? []
    let stops = actions.enumerated().filter { if case .stop = $0.element.value { true } else { false } }
    guard let first = stops.first else { return }
    for extra in stops.dropFirst() {
      reader.diagnostics.add(
        extra.element.position, keyPath: "actions[\(extra.offset)]",
        "stops what actions[\(first.offset)] stopped, expected one stop")
    }
    if let playFor = root["play-for"], !reader.diagnostics.hasErrors {
      reader.diagnostics.add(
        PlanDiagnostic(
          playFor.position, keyPath: "play-for", "has no effect beside the stop of actions[\(first.offset)]",
          severity: .warning))
    }
  }

  static func checkRepetition(_ root: ReadValue, _ reader: inout FieldReader) {
    guard let repetition = root["repeat"], !reader.diagnostics.hasErrors else { return }
    switch (repetition["times"], repetition["for"]) {
    case (nil, nil):
      reader.diagnostics.add(
        repetition.position, keyPath: "repeat", "says not how often, expected times: 20 or for: 30 min")
    case (_?, let duration?):
      reader.diagnostics.add(
        duration.position, keyPath: "repeat.for", "stands beside times, expected one of times, for")
    default: break
    }
  }

  /// Three zeros look like "defaults" and ask for something else.
  static func warnOfZeros(_ root: ReadValue, _ reader: inout FieldReader) {
    var sets: [(ReadValue, String)] = []
    if let params = root["params"] { sets.append((params, "params")) }
    for (index, item) in (root["matrix"]?["params"]?.items ?? []).enumerated() {
      sets.append((item, "matrix.params[\(index)]"))
    }
    for (set, path) in sets {
      guard let values = parameters(set), values.bitrate.bitsPerSecond == 0, values.qualityFactor == 0,
        values.iFrameInterval == 0
      else { continue }
      reader.diagnostics.add(
        PlanDiagnostic(
          set.position, keyPath: path,
          "0/0/0 asks for lossless video, not for the device's defaults, expected default if those are meant",
          severity: .warning))
    }
  }
}
