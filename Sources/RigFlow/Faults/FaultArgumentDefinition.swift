public import RigModel

/// An argument that a fault takes: its unit is that of its kind.
public struct FaultArgumentDefinition: Sendable {
  public let name: String
  public let kind: PlanVocabulary.ArgumentKind
  public let required: Bool
  /// Where the argument takes one of a few words.
  public let choices: [String]
  /// What holds where it is left out; `nil`: the device's own way.
  public let standard: FaultArgument?
  /// What the example of a required argument says.
  public let example: FaultArgument?
  public let summary: String

  init(
    _ name: String, _ kind: PlanVocabulary.ArgumentKind, required: Bool = false, choices: [String] = [],
    standard: FaultArgument? = nil, example: FaultArgument? = nil, _ summary: String
  ) {
    self.name = name
    self.kind = kind
    self.required = required
    self.choices = choices
    self.standard = standard
    self.example = example
    self.summary = summary
  }

  /// As plans read it.
  public var words: PlanVocabulary.ArgumentWords {
    PlanVocabulary.ArgumentWords(name: name, kind: kind, required: required, choices: choices, summary: summary)
  }

  /// What a plan may write: the unit, or the words.
  public var unit: String {
    guard choices.isEmpty else { return choices.joined(separator: ", ") }
    return switch kind {
    case .duration: "a time with its unit: 500 ms, 2 s"
    case .integer: "a whole number"
    case .text: "text"
    case .flag: "true or false"
    case .percent: "a share: 5 %"
    case .bitRate: "a bit rate with its unit: 500 kbit/s, 4 Mbit/s"
    }
  }
}

extension FaultArgument {
  /// As a plan writes it.
  public var text: String {
    switch self {
    case .duration(let duration): duration.text
    case .integer(let integer): "\(integer)"
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    case .percent(let percent): "\(percent)"
    case .bitRate(let rate): "\(rate)"
    }
  }
}
