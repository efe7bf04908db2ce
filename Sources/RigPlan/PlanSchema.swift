public import RigModel

/// The JSON Schema (draft 2020-12) of plan files, made from the table and the names that also validate them.
///
/// It describes each file as an editor sees it: rules between fields, and names that only another flow knows, are
/// left to the validation.
public enum PlanSchema {
  public static let dialect = "https://json-schema.org/draft/2020-12/schema"

  public static func json(_ vocabulary: PlanVocabulary) -> JSONValue {
    let scope = PlanScope(vocabulary: vocabulary, flow: nil)
    let root: JSONValue = [
      "$schema": .string(dialect),
      "title": "Streamrig test plan",
      "description": "A test plan states only what deviates from its flow.",
    ]
    let defs: JSONValue = ["$defs": ["fault": faults(scope)]]
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
      if case .fault = item { unique = nil }
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
    }
  }

  private static func quantity(_ units: [String], positive: Bool, _ summary: String) -> JSONValue {
    let notZero = positive ? "(?=[0-9.]*[1-9])" : ""
    let pattern = "^\(notZero)\(Quantity.numberRegex) ?(\(units.joined(separator: "|")))$"
    return ["type": "string", "pattern": .string(pattern), "description": .string(summary)]
  }

  private static func object(_ table: FieldTable, _ scope: PlanScope) -> JSONValue {
    let required = table.fields.filter(\.required).map(\.name)
    return [
      "type": "object", "properties": .object(table.fields.map { property($0, schema($0.kind, scope)) }),
      "required": required.isEmpty ? nil : .list(required), "additionalProperties": false,
    ]
  }

  /// One alternative for each meaning of each verb: its stages in any flow, and its own arguments.
  private static func faults(_ scope: PlanScope) -> JSONValue {
    let alternatives: [JSONValue] = scope.vocabulary.faults.map { words in
      let legal = Set(words.stages.values.joined())
      let stages = scope.words(.stages).filter(legal.contains)
      let arguments = words.arguments.map(FieldReader.field)
      let properties =
        [
          property(FieldReader.at, ["enum": .list(stages)]),
          property(FieldReader.verb, ["const": .string(words.verb)]),
        ] + arguments.map { property($0, schema($0.kind, scope)) }
      let required = [FieldReader.at.name, FieldReader.verb.name] + arguments.filter(\.required).map(\.name)
      return [
        "title": .string("\(words.verb) (\(words.layer))"), "description": .string(words.summary), "type": "object",
        "properties": .object(properties), "required": .list(required), "additionalProperties": false,
      ]
    }
    return ["anyOf": .array(alternatives)]
  }

  /// The field's own summary stands first, in place of the general one of its kind.
  private static func property(_ field: Field, _ schema: JSONValue) -> JSONValue.Member {
    let rest = (schema.members ?? []).filter { $0.key != "description" }
    return .init(field.name, .object([.init("description", .string(field.summary))] + rest))
  }
}
