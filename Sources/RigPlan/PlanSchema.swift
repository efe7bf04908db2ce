public import RigModel

/// The JSON Schema (draft 2020-12) of plan files, made from the table and the names that also validate them.
///
/// It describes each file as an editor sees it: rules between fields, and names that only another flow knows, are
/// left to the validation.
public enum PlanSchema {
  public static let dialect = "https://json-schema.org/draft/2020-12/schema"

  /// - Parameter fragment: the schema of files that plans extend, instead of plans.
  public static func json(_ vocabulary: PlanVocabulary, fragment: Bool = false) -> JSONValue {
    let scope = PlanScope(vocabulary: vocabulary, flow: nil)
    let root: JSONValue = [
      "$schema": .string(dialect),
      "title": fragment ? "Streamrig plan fragment" : "Streamrig test plan",
      "description": fragment
        ? "Keys that the plans which extend this file take over."
        : "A test plan states only what deviates from its flow.",
    ]
    if fragment {
      return .object((root.members ?? []) + (object(PlanFields.fragment, scope).members ?? []))
    }
    let defs: JSONValue = ["$defs": ["fault": faults(scope), "action": actions(scope)]]
    return .object((root.members ?? []) + (object(PlanFields.plan, scope).members ?? []) + (defs.members ?? []))
  }

  private static func schema(_ kind: FieldKind, _ scope: PlanScope) -> JSONValue {
    switch kind {
    case .version(let version): return ["const": .integer(version)]
    case .name(let pattern):
      return [
        "type": "string", "pattern": .string(pattern.regex), "maxLength": .integer(Int64(NamePattern.maximumLength)),
      ]
    case .text(let maximum):
      return ["type": "string", "minLength": 1, "maxLength": .integer(Int64(maximum))]
    case .form(let form):
      return [
        "type": "string", "pattern": .string(form.regex),
        "maxLength": .integer(Int64(CommandTemplate.maximumLength)),
      ]
    case .word(let list): return ["enum": .list(scope.words(list))]
    case .integer(let range):
      return [
        "type": "integer",
        "minimum": range.lowerBound == .min ? nil : .integer(range.lowerBound),
        "maximum": range.upperBound == .max ? nil : .integer(range.upperBound),
      ]
    case .flag: return ["type": "boolean"]
    case .duration(let positive):
      return quantity(QuantityReader.durationUnits, positive: positive, "A duration, such as 3 s.")
    case .bitRate(let zeroIsDefault):
      let text = quantity(QuantityReader.bitRateUnits, positive: false, "A bit rate, such as 4 Mbit/s.")
      guard zeroIsDefault else { return text }
      return ["anyOf": [text, ["const": 0, "description": "The device's default."]]]
    case .percent: return quantity(["%"], positive: false, "A percentage, such as 5 %.")
    case .list(let item, let count):
      var unique: JSONValue? = true
      switch item {
      case .fault, .action: unique = nil
      default: break
      }
      return [
        "type": "array", "items": schema(item, scope),
        "minItems": count.lowerBound == 0 ? nil : .integer(Int64(count.lowerBound)),
        "maxItems": .integer(Int64(count.upperBound)), "uniqueItems": unique,
      ]
    case .map(let keys, let item):
      let value = schema(item, scope)
      return [
        "type": "object", "properties": .object(scope.words(keys).map { .init($0, value) }),
        "additionalProperties": false,
      ]
    case .object(let table): return object(table, scope)
    case .defaultOr(let other): return ["anyOf": [["const": "default"], schema(other, scope)]]
    case .fault: return ["$ref": "#/$defs/fault"]
    case .action: return ["$ref": "#/$defs/action"]
    case .measure: return measure(scope)
    case .date: return ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "format": "date"]
    }
  }

  private static func measure(_ scope: PlanScope) -> JSONValue {
    let properties = scope.vocabulary.measurements.map { info -> JSONValue.Member in
      let units = info.spellings.map(\.unit).filter { !$0.isEmpty }
      let unit =
        units.isEmpty ? "" : " ?(\(units.joined(separator: "|")))" + (units.count < info.spellings.count ? "?" : "")
      let pattern = "^\(info.isSigned ? "-?" : "")\(Quantity.numberRegex)\(unit)$"
      let text: JSONValue = ["type": "string", "pattern": .string(pattern)]
      // A bare number is a number to an editor, and text to the validation.
      let value: JSONValue =
        units.count < info.spellings.count ? ["anyOf": [text, ["type": "number", "minimum": 0]]] : text
      let keys = FieldReader.bounds(info).map { JSONValue.Member($0.rawValue, value) }
      let marginal = JSONValue.Member(
        FieldReader.marginal.name,
        .object([.init("description", .string(FieldReader.marginal.summary))] + (value.members ?? [])))
      return .init(
        info.name,
        [
          "description": .string(info.summary + " Measured by: \(info.source.rawValue)."), "type": "object",
          "properties": .object(keys + [marginal]), "minProperties": 1, "additionalProperties": false,
        ])
    }
    return ["type": "object", "properties": .object(properties), "additionalProperties": false]
  }

  private static func quantity(_ units: [String], positive: Bool, _ summary: String) -> JSONValue {
    let notZero = positive ? "(?=[0-9.]*[1-9])" : ""
    let pattern = "^\(notZero)\(Quantity.numberRegex) ?(\(units.joined(separator: "|")))$"
    return ["type": "string", "pattern": .string(pattern), "description": .string(summary)]
  }

  static func object(_ table: FieldTable, _ scope: PlanScope) -> JSONValue {
    let required = table.fields.filter(\.required).map(\.name)
    return [
      "type": "object", "properties": .object(table.fields.map { property($0, schema($0.kind, scope)) }),
      "required": required.isEmpty ? nil : .list(required), "additionalProperties": false,
    ]
  }

  /// One alternative for each meaning of each verb: its stages in any flow, and its own arguments.
  private static func faults(_ scope: PlanScope) -> JSONValue {
    [
      "anyOf": .array(
        scope.vocabulary.faults.map { fault($0, [property(FieldReader.verb, ["const": .string($0.verb)])], scope) })
    ]
  }

  /// A stop; each fault of a device, injected; each fault of the link, by its own verb.
  private static func actions(_ scope: PlanScope) -> JSONValue {
    func verb(_ word: String) -> JSONValue.Member { property(FieldReader.actionVerb, ["const": .string(word)]) }
    let places = scope.words(.stages) + scope.words(.gates)
    let stop: JSONValue = [
      "title": "stop", "description": "The user stops.", "type": "object",
      "properties": .object([property(FieldReader.at, moment(places)), verb(FieldReader.stop)]),
      "required": .list([FieldReader.at.name, FieldReader.actionVerb.name]), "additionalProperties": false,
    ]
    let others: [JSONValue] = scope.vocabulary.faults.map { words in
      let named = property(FieldReader.injected, ["const": .string(words.verb)])
      let isOfLink = words.layer == FieldReader.linkLayer
      return fault(
        words, isOfLink ? [verb(words.verb)] : [verb(FieldReader.inject), named], scope, gates: scope.words(.gates))
    }
    return ["anyOf": .array([stop] + others)]
  }

  private static func fault(
    _ words: PlanVocabulary.FaultWords, _ names: [JSONValue.Member], _ scope: PlanScope, gates: [String] = []
  ) -> JSONValue {
    let legal = Set(words.stages.values.joined())
    let stages = scope.words(.stages).filter(legal.contains)
    let own = words.arguments.map(FieldReader.field)
    let arguments = own + (own.contains { $0.name == FieldReader.lasting.name } ? [] : [FieldReader.lasting])
    let properties =
      [property(FieldReader.at, moment(stages + gates))] + names
      + arguments.map { property($0, schema($0.kind, scope)) }
    let required = [FieldReader.at.name] + names.map(\.key) + own.filter(\.required).map(\.name)
    return [
      "title": .string("\(words.verb) (\(words.layer))"), "description": .string(words.summary), "type": "object",
      "properties": .object(properties), "required": .list(required), "additionalProperties": false,
    ]
  }

  /// One of the words, or one with a time after it.
  private static func moment(_ words: [String]) -> JSONValue {
    let units = QuantityReader.durationUnits.joined(separator: "|")
    let pattern = "^(\(words.joined(separator: "|"))) *\\+ *\(Quantity.numberRegex) ?(\(units))$"
    return ["anyOf": [["enum": .list(words)], ["type": "string", "pattern": .string(pattern)]]]
  }

  /// The field's own summary stands first, in place of the general one of its kind.
  private static func property(_ field: Field, _ schema: JSONValue) -> JSONValue.Member {
    let rest = (schema.members ?? []).filter { $0.key != "description" }
    return .init(field.name, .object([.init("description", .string(field.summary))] + rest))
  }
}
