import RigModel

/// Reads the text of one scalar as the kind that its field asks for.
struct ScalarReader {
  let scope: PlanScope

  func read(_ text: String, as kind: FieldKind) -> QuantityReader.Outcome {
    switch kind {
    case .version(let version):
      guard text == "\(version)" else {
        return .failure(ScalarProblem("version \(PrintableText.quote(text)) is not supported, expected \(version)"))
      }
      return .success((.integer(version), text))
    case .name(let pattern):
      guard pattern.matches(text) else { return .failure(.notA("a valid name", text, pattern.expectation)) }
      return .success((.text(text), text))
    case .text(let maximum): return ScalarReader.line(text, maximum: maximum)
    case .form(let form):
      let line = ScalarReader.line(text, maximum: CommandTemplate.maximumLength)
      guard case .success = line, let problem = form.problem(text) else { return line }
      return .failure(ScalarProblem(problem))
    case .word(let list): return word(text, of: list)
    case .integer(let range):
      guard text.utf8.first != UInt8(ascii: "+"), let number = Int64(text) else {
        return .failure(.notA("a whole number", text, Wording.integer(in: range)))
      }
      guard range.contains(number) else {
        return .failure(ScalarProblem("\(number) is out of range, expected \(Wording.integer(in: range))"))
      }
      return .success((.integer(number), "\(number)"))
    case .flag:
      switch text {
      case "true": return .success((.flag(true), text))
      case "false": return .success((.flag(false), text))
      default: return .failure(.notA("a flag", text, "true or false"))
      }
    case .duration(let positive): return QuantityReader.duration(text, positive: positive)
    case .bitRate(let zero): return QuantityReader.bitRate(text, zeroIsDefault: zero)
    case .percent: return QuantityReader.percent(text)
    case .date:
      guard let date = CalendarDate(text) else {
        return .failure(.notA("a date", text, Wording(scope: scope).expectation(of: kind)))
      }
      return .success((.date(date), text))
    case .list, .map, .object, .defaultOr, .fault, .action, .measure:
      return .failure(ScalarProblem("is text, expected \(Wording(scope: scope).expectation(of: kind))"))
    }
  }

  private func word(_ text: String, of list: WordList) -> QuantityReader.Outcome {
    guard scope.contains(text, in: list) else {
      return .failure(
        ScalarProblem(
          "\(PrintableText.quote(text)) is not \(scope.noun(list)), "
            + Wording.oneOf(scope.words(list), near: text)))
    }
    return .success((.text(text), text))
  }

  static func line(_ text: String, maximum: Int) -> QuantityReader.Outcome {
    if let hidden = text.unicodeScalars.first(where: PrintableText.isHidden) {
      return .failure(
        ScalarProblem("holds the control character \(PrintableText.name(of: hidden)), expected one line of plain text"))
    }
    guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
      return .failure(ScalarProblem("is blank, expected one line of text"))
    }
    let count = text.unicodeScalars.count
    guard count <= maximum else {
      return .failure(ScalarProblem("is \(count) characters long, expected at most \(maximum)"))
    }
    return .success((.text(text), text))
  }
}
