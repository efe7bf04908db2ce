/// A JSON value (RFC 8259). Objects keep the order of their members, so that what is written is the same each time.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: JSONValue
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The first member with this key; `nil` for other kinds of value.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  public var string: String? { if case .string(let s) = self { s } else { nil } }
  public var bool: Bool? { if case .bool(let b) = self { b } else { nil } }
  public var array: [JSONValue]? { if case .array(let a) = self { a } else { nil } }
  public var members: [Member]? { if case .object(let m) = self { m } else { nil } }
  /// An integer, also where it was written as `3.0`.
  public var integer: Int64? {
    switch self {
    case .integer(let i): i
    case .number(let d): d.rounded() == d && abs(d) < 9e15 ? Int64(d) : nil
    default: nil
    }
  }
  public var double: Double? {
    switch self {
    case .integer(let i): Double(i)
    case .number(let d): d
    default: nil
    }
  }
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A member whose value is `nil` is left out.
  public init(dictionaryLiteral elements: (String, JSONValue?)...) {
    self = .object(elements.compactMap { key, value in value.map { Member(key, $0) } })
  }
  public static func list(_ strings: [String]) -> JSONValue { .array(strings.map { .string($0) }) }
}
