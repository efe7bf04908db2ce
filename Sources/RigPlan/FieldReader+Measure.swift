import RigModel

/// Limits on measurements: the vocabulary says which there are, in which units, and which have percentiles.
extension FieldReader {
  static let marginal = Field("marginal", .flag, "From here to the limit the case passes with a warning.")

  mutating func readMeasure(_ node: DocumentNode, at path: String) -> ReadValue? {
    guard case .mapping(let entries) = node.value else {
      wrongShape(node, .measure, at: path)
      return nil
    }
    var members: [FieldValue.Member] = []
    for entry in entries {
      let childPath = FieldReader.path(path, entry.key)
      guard let info = scope.vocabulary.measurements.first(where: { $0.name == entry.key }) else {
        diagnostics.add(
          entry.keyPosition, keyPath: childPath,
          "is not a measurement, \(Wording.oneOf(scope.vocabulary.measurements.map(\.name), near: entry.key))")
        continue
      }
      if let limit = readLimit(entry, info, at: childPath) {
        let value = ReadValue(value: .measure(limit), text: "", position: entry.value.position)
        members.append(.init(key: entry.key, value: value))
      }
    }
    return ReadValue(value: .members(members), text: "", position: node.position)
  }

  /// The bounds that a measurement takes.
  static func bounds(_ info: MeasurementInfo) -> [MeasureLimit.Bound] {
    MeasureLimit.Bound.allCases.filter { info.isDistribution || !$0.isPercentile }
  }

  private mutating func readLimit(
    _ entry: DocumentNode.Entry, _ info: MeasurementInfo, at path: String
  ) -> MeasureLimit? {
    let names = FieldReader.bounds(info).map(\.rawValue) + [FieldReader.marginal.name]
    guard case .mapping(let entries) = entry.value.value else {
      if case .refused = entry.value.value { return nil }
      diagnostics.add(
        entry.value.position, keyPath: path,
        "is \(entry.value.shape), expected a mapping such as {max: \(QuantityReader.example(info))}")
      return nil
    }
    var demands: [MeasureLimit.Demand] = []
    var marginal: (value: MeasureLimit.Value, position: SourcePosition)?
    var isWhole = true
    for member in entries {
      let memberPath = FieldReader.path(path, member.key)
      guard names.contains(member.key) else {
        isWhole = false
        if MeasureLimit.Bound(rawValue: member.key) != nil {
          diagnostics.add(
            member.keyPosition, keyPath: memberPath,
            "is a percentile, and \(info.name) is one number in a case, expected \(Wording.list(names))")
        } else {
          unknownKey(member, names, at: memberPath)
        }
        continue
      }
      guard let value = readValue(member.value, info, at: memberPath) else {
        isWhole = false
        continue
      }
      if let bound = MeasureLimit.Bound(rawValue: member.key) {
        demands.append(.init(bound, value))
      } else {
        marginal = (value, member.value.position)
      }
    }
    guard isWhole else { return nil }
    guard checkDemands(demands, marginal, entry, names, at: path) else { return nil }
    return MeasureLimit(info.name, demands, marginal: marginal?.value, position: entry.keyPosition)
  }

  private mutating func readValue(
    _ node: DocumentNode, _ info: MeasurementInfo, at path: String
  ) -> MeasureLimit.Value? {
    guard case .scalar(let text, let quoted) = node.value, quoted || !text.isEmpty else {
      if case .refused = node.value { return nil }
      diagnostics.add(
        node.position, keyPath: path, "is \(node.shape), expected \(QuantityReader.expectation(info))")
      return nil
    }
    switch QuantityReader.measurement(text, info) {
    case .success(let value): return value
    case .failure(let problem):
      diagnostics.add(node.position, keyPath: path, problem.message)
      return nil
    }
  }

  /// What no single bound shows.
  private mutating func checkDemands(
    _ demands: [MeasureLimit.Demand], _ marginal: (value: MeasureLimit.Value, position: SourcePosition)?,
    _ entry: DocumentNode.Entry, _ names: [String], at path: String
  ) -> Bool {
    guard let first = demands.first else {
      diagnostics.add(
        entry.value.position, keyPath: path, "limits nothing, expected at least \(Wording.list(names.dropLast()))")
      return false
    }
    if let least = demands.first(where: { $0.bound == .min })?.value,
      let most = demands.first(where: { $0.bound == .max })?.value, least.number > most.number
    {
      diagnostics.add(
        entry.value.position, keyPath: path, "has min \(least.text) above max \(most.text), expected min below max")
      return false
    }
    guard let marginal else { return true }
    let marginalPath = FieldReader.path(path, FieldReader.marginal.name)
    guard demands.count == 1 else {
      diagnostics.add(
        marginal.position, keyPath: marginalPath,
        "belongs to one limit, and \(demands.count) stand beside it, expected one limit with marginal")
      return false
    }
    let isInside =
      first.bound == .min ? marginal.value.number > first.value.number : marginal.value.number < first.value.number
    guard isInside else {
      diagnostics.add(
        marginal.position, keyPath: marginalPath,
        "\(marginal.value.text) is not inside \(first.bound.rawValue) \(first.value.text), expected "
          + (first.bound == .min ? "more" : "less") + " than the limit")
      return false
    }
    return true
  }
}

extension QuantityReader {
  /// `8 s`
  static func example(_ info: MeasurementInfo) -> String {
    let unit = info.spellings.first { $0.factor == 1 }?.unit ?? info.unit
    return unit.isEmpty ? "8" : "8 \(unit)"
  }

  static func expectation(_ info: MeasurementInfo) -> String {
    let units = info.spellings.map(\.unit).filter { !$0.isEmpty }
    let isBare = units.count < info.spellings.count
    return isBare
      ? "a number, such as \(example(info))"
      : "a number with a unit, \(list(units)), such as \(example(info))"
  }

  /// A number in the unit of a measurement.
  static func measurement(
    _ text: String, _ info: MeasurementInfo
  ) -> Result<MeasureLimit.Value, ScalarProblem> {
    let isNegative = info.isSigned && text.hasPrefix("-")
    guard let quantity = Quantity(isNegative ? String(text.dropFirst()) : text) else {
      return .failure(.notA("a limit of \(info.name)", text, expectation(info)))
    }
    guard let spelling = info.spellings.first(where: { $0.unit == quantity.unit }) else {
      let units = info.spellings.map(\.unit).filter { !$0.isEmpty }
      return .failure(unit(quantity, text, units, example(info)))
    }
    if info.unit == "%", quantity.millionths > 100_000_000 {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) is more than the whole, expected 0 % to 100 %"))
    }
    let number = Double(quantity.millionths) / 1e6 * spelling.factor * (isNegative ? -1 : 1)
    let printed = (isNegative ? "-" : "") + quantity.number + (quantity.unit.isEmpty ? "" : " \(quantity.unit)")
    return .success(MeasureLimit.Value(number, printed))
  }
}
