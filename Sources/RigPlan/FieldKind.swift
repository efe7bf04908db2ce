/// What may stand in a field of a plan. One value drives the validation and the JSON Schema alike.
indirect enum FieldKind: Sendable {
  /// The version of the plan format.
  case version(Int64)
  case name(NamePattern)
  /// One line of printable text of at most this many characters.
  case text(maximum: Int)
  /// One line with a grammar of its own.
  case form(TextForm)
  case word(WordList)
  case integer(ClosedRange<Int64>)
  case flag
  /// `3 s`, `250 ms`, `2 min`, `8 h`.
  case duration(positive: Bool)
  /// `4 Mbit/s`; with `zeroIsDefault`, a bare `0` is the device's default.
  case bitRate(zeroIsDefault: Bool)
  /// `0.5 %`
  case percent
  /// A list without repeats.
  case list(FieldKind, count: ClosedRange<Int>)
  /// A mapping whose keys are words of a list.
  case map(keys: WordList, FieldKind)
  case object(FieldTable)
  /// The word `default`, or what else may stand there.
  case defaultOr(FieldKind)
  /// `{at: stage, do: verb}` and the arguments that the vocabulary gives the verb.
  case fault
  /// `{at: moment, do: verb}`: a stop, a fault of the device, or one of the link.
  case action
  /// Limits by measurement: `{max: 8 s, marginal: 6 s}` in the measurement's own units.
  case measure
  /// `2027-01-31`
  case date
}

/// A name made of few characters, so that it can stand in file names, in case ids and on a command line.
enum NamePattern: Hashable, Sendable {
  /// `[a-z0-9-]`: plan ids, tags and names of parameter sets.
  case identifier
  /// A device model with the wildcards `*` and `?`.
  case modelGlob
  /// A device model.
  case model
  /// A country as ISO 3166-1 has it: `DE`.
  case country

  static let maximumLength = 64

  /// ECMA 262, as JSON Schema wants it.
  var regex: String {
    switch self {
    case .identifier: "^[a-z0-9-]+$"
    case .modelGlob: "^[A-Za-z0-9._+*?-]([A-Za-z0-9 ._+*?-]*[A-Za-z0-9._+*?-])?$"
    case .model: "^[A-Za-z0-9._+-]([A-Za-z0-9 ._+-]*[A-Za-z0-9._+-])?$"
    case .country: "^[A-Z]{2}$"
    }
  }

  var expectation: String {
    switch self {
    case .identifier: "only a-z, 0-9 and -, at most \(NamePattern.maximumLength) characters"
    case .modelGlob:
      "a model, or a pattern such as \"*\", of letters, digits, spaces and ._+-*?, "
        + "at most \(NamePattern.maximumLength) characters"
    case .model:
      "a model of letters, digits, spaces and ._+-, at most \(NamePattern.maximumLength) characters"
    case .country: "two capital letters, such as DE"
    }
  }

  func matches(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last, bytes.count <= NamePattern.maximumLength else { return false }
    switch self {
    case .identifier:
      return bytes.allSatisfy { NamePattern.isLowerOrDigit($0) || $0 == UInt8(ascii: "-") }
    case .country: return bytes.count == 2 && bytes.allSatisfy { (0x41...0x5A).contains($0) }
    case .modelGlob, .model:
      let marks = self == .model ? " ._+-" : " ._+*?-"
      guard first != UInt8(ascii: " "), last != UInt8(ascii: " ") else { return false }
      return bytes.allSatisfy {
        NamePattern.isLowerOrDigit($0) || (0x41...0x5A).contains($0) || marks.utf8.contains($0)
      }
    }
  }

  private static func isLowerOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}

/// A key of a mapping, what it may hold, and what it means.
struct Field: Sendable {
  let name: String
  let kind: FieldKind
  let required: Bool
  let summary: String

  init(_ name: String, _ kind: FieldKind, required: Bool = false, _ summary: String) {
    self.name = name
    self.kind = kind
    self.required = required
    self.summary = summary
  }
}

/// The keys that a mapping may hold.
struct FieldTable: Sendable {
  let fields: [Field]

  init(_ fields: [Field]) { self.fields = fields }

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }
}
