/// The half of a message that says what was expected.
struct Wording {
  let scope: PlanScope

  private static let longestList = 16

  /// `expected one of a, b, c; did you mean "b"?`
  static func oneOf(_ words: [String], near word: String) -> String {
    let nearest = NearestName.suggestion(for: word, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
    return "expected \(list(words))\(nearest)"
  }

  /// `one of a, b, c`; of a long list the first few, and how many more there are.
  static func list(_ words: [String]) -> String {
    switch words.count {
    case 0: return "nothing here (no such name is known)"
    case 1: return "\(words[0])"
    default:
      let more = words.count > longestList ? " and \(words.count - longestList) more" : ""
      return "one of " + words.prefix(longestList).joined(separator: ", ") + more
    }
  }

  func expectation(of kind: FieldKind) -> String {
    switch kind {
    case .version(let version): return "\(version)"
    case .name(let pattern): return pattern.expectation
    case .text(let maximum): return "one line of text, at most \(maximum) characters"
    case .form(let form): return form.expectation
    case .word(let list): return Wording.list(scope.words(list))
    case .integer(let range): return Wording.integer(in: range)
    case .flag: return "true or false"
    case .duration: return "a duration with a unit, such as 3 s"
    case .bitRate(let zero): return "a bit rate with a unit, such as 4 Mbit/s" + (zero ? ", or 0" : "")
    case .percent: return "a percentage, such as 5 %"
    case .list(.action, _): return "a list of actions, such as [{at: running + 5 s, do: stop}]"
    case .action: return "a mapping with at, do and what the action needs"
    case .list(.fault, _): return "a list of faults, such as [{at: STAGE, do: VERB}]"
    case .list: return "a list, such as [a, b]"
    case .map(let keys, _): return "a mapping whose keys are each \(scope.noun(keys))"
    case .object(let table):
      return "a mapping with " + table.fields.map { $0.required ? $0.name : "\($0.name)?" }.joined(separator: ", ")
    case .defaultOr(let other): return "default or \(expectation(of: other))"
    case .date: return "a date, such as 2027-01-31"
    case .measure: return "a mapping of measurements, such as {time-to-active: {max: 8 s}}"
    case .fault: return "a mapping with at, do and the fault's arguments"
    }
  }

  static func integer(in range: ClosedRange<Int64>) -> String {
    if range.lowerBound == .min, range.upperBound == .max { return "a whole number, such as 200" }
    if range.upperBound == .max { return "a whole number from \(range.lowerBound)" }
    return "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}
