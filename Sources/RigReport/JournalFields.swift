import RigModel

/// Typed access to the members of one JSON object of the journal.
struct JournalFields {
  private let value: JSONValue
  init(_ value: JSONValue) { self.value = value }

  func optional(_ key: String) -> JSONValue? { value[key].flatMap { $0.isNull ? nil : $0 } }

  func required(_ key: String) throws(JournalProblem) -> JSONValue {
    guard let found = optional(key) else { throw .missing(key) }
    return found
  }

  func string(_ key: String) throws(JournalProblem) -> String {
    guard let text = try required(key).string else { throw .missing(key) }
    return text
  }

  func text(_ key: String) -> String { optional(key)?.string ?? "" }
  func bool(_ key: String) -> Bool { optional(key)?.bool ?? false }
  func list(_ key: String) -> [JournalFields] { (optional(key)?.array ?? []).map { JournalFields($0) } }
  func strings(_ key: String) -> [String] { (optional(key)?.array ?? []).compactMap(\.string) }

  func int64(_ key: String) throws(JournalProblem) -> Int64 {
    guard let number = exactInt64(key) else { throw .missing(key) }
    return number
  }

  func exactInt64(_ key: String) -> Int64? { optional(key).flatMap { $0.integer ?? $0.string.flatMap { Int64($0) } } }

  func int(_ key: String) -> Int? { exactInt64(key).flatMap { Int(exactly: $0) } }

  func uint64(_ key: String) throws(JournalProblem) -> UInt64 {
    let found = try required(key)
    guard let number = found.integer.flatMap({ UInt64(exactly: $0) }) ?? found.string.flatMap({ UInt64($0) }) else {
      throw .missing(key)
    }
    return number
  }

  func time(_ key: String) throws(JournalProblem) -> HostTime { HostTime(nanoseconds: try int64(key)) }
  func optionalTime(_ key: String) -> HostTime? { exactInt64(key).map { HostTime(nanoseconds: $0) } }
  func duration(_ key: String) -> Duration? { exactInt64(key).map { .nanoseconds($0) } }

  /// A word of a closed vocabulary: one that is not in it comes from a newer writer.
  func word<T: RawRepresentable>(_ key: String, _: T.Type) throws(JournalProblem) -> T where T.RawValue == String {
    let raw = try string(key)
    guard let word = T(rawValue: raw) else { throw .unknown("\(key) \(raw)") }
    return word
  }

  func optionalWord<T: RawRepresentable>(_ key: String, _ type: T.Type) throws(JournalProblem) -> T?
  where T.RawValue == String {
    optional(key) == nil ? nil : try word(key, type)
  }

  func object(_ key: String) throws(JournalProblem) -> JournalFields {
    let found = try required(key)
    guard found.members != nil else { throw .missing(key) }
    return JournalFields(found)
  }

  /// Every element read the same way. (`map` cannot throw a typed error through a method of its own.)
  func each<T>(
    _ key: String, _ read: (JournalFields) throws(JournalProblem) -> T
  ) throws(JournalProblem) -> [T] {
    var out: [T] = []
    for item in list(key) { out.append(try read(item)) }
    return out
  }
}

extension JSONValue {
  /// An integer that a reader gets back exactly: as a string where a double would round it.
  static func exact(_ value: Int64) -> JSONValue {
    value.magnitude <= 1 << 53 ? .integer(value) : .string(String(value))
  }
  static func exact(_ value: UInt64) -> JSONValue {
    value <= 1 << 53 ? .integer(Int64(value)) : .string(String(value))
  }
  static func time(_ value: HostTime) -> JSONValue { exact(value.nanoseconds) }
  static func duration(_ value: Duration) -> JSONValue { exact(value.nanoseconds) }
  static func list<T>(_ values: [T], _ write: (T) -> JSONValue) -> JSONValue { .array(values.map(write)) }
  /// `nil` for an empty text: such a member is left out.
  static func nonEmpty(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

  /// A double that survives: JSON has no word for what is not a number.
  static func double(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
  }

  /// The value as the strict reader will take it back: large integers as text, no key twice, nothing too deep.
  func readable(depth: Int = 0) -> JSONValue {
    switch self {
    case .integer(let i): return .exact(i)
    case .number(let d): return .double(d)
    case .array(let values):
      return depth < 64 ? .array(values.map { $0.readable(depth: depth + 1) }) : .string("[too deep]")
    case .object(let members):
      guard depth < 64 else { return .string("[too deep]") }
      var keys: Set<String> = []
      return .object(
        members.compactMap { member in
          keys.insert(member.key).inserted ? Member(member.key, member.value.readable(depth: depth + 1)) : nil
        })
    case .null, .bool, .string: return self
    }
  }
}
