/// Why a text is not JSON, and at which byte.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  public let offset: Int
  public let problem: String
  public init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }
  public var description: String { "at byte \(offset): \(problem)" }
}

/// A strict JSON reader (RFC 8259) for hostile input: bounded depth, no duplicate keys, no raw control bytes,
/// valid UTF-8 only, and integers that cannot be held exactly (beyond ±2^53) refused.
public struct JSONParser {
  private let bytes: ArraySlice<UInt8>
  private var at: Int
  private let maximumDepth: Int
  private let origin: Int

  /// Reads one value and nothing after it but white space.
  public static func parse(_ bytes: ArraySlice<UInt8>, maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes, maximumDepth: maximumDepth)
    parser.skipSpace()
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.at == bytes.endIndex else { throw parser.error("text after the value") }
    return value
  }

  public static func parse(_ text: String, maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8)[...], maximumDepth: maximumDepth)
  }

  private init(_ bytes: ArraySlice<UInt8>, maximumDepth: Int) {
    self.bytes = bytes
    self.at = bytes.startIndex
    self.origin = bytes.startIndex
    self.maximumDepth = maximumDepth
  }

  private func error(_ problem: String) -> JSONError { JSONError(offset: at - origin, problem: problem) }
  private var peek: UInt8? { at < bytes.endIndex ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let b = peek, b == 0x20 || b == 0x09 || b == 0x0A || b == 0x0D { at += 1 }
  }

  private mutating func expect(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for i in 0..<text.utf8CodeUnitCount {
      guard peek == text.utf8Start[i] else { throw error("expected \(text)") }
      at += 1
    }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard let b = peek else { throw error("the text ends where a value was expected") }
    switch b {
    case UInt8(ascii: "n"): return try expect("null", .null)
    case UInt8(ascii: "t"): return try expect("true", .bool(true))
    case UInt8(ascii: "f"): return try expect("false", .bool(false))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      guard depth < maximumDepth else { throw error("nested deeper than \(maximumDepth)") }
      return b == UInt8(ascii: "[") ? try array(depth: depth + 1) : try object(depth: depth + 1)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw error("no JSON value begins like this")
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var values: [JSONValue] = []
    skipSpace()
    if peek == UInt8(ascii: "]") {
      at += 1
      return .array(values)
    }
    while true {
      skipSpace()
      values.append(try value(depth: depth))
      skipSpace()
      switch peek {
      case UInt8(ascii: ","): at += 1
      case UInt8(ascii: "]"):
        at += 1
        return .array(values)
      default: throw error("expected , or ] in an array")
      }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var members: [JSONValue.Member] = []
    var keys: Set<String> = []
    skipSpace()
    if peek == UInt8(ascii: "}") {
      at += 1
      return .object(members)
    }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw error("expected a key in quotes") }
      let start = self
      let key = try string()
      guard keys.insert(key).inserted else { throw start.error("the key stands here a second time") }
      skipSpace()
      guard peek == UInt8(ascii: ":") else { throw error("expected : after a key") }
      at += 1
      skipSpace()
      members.append(JSONValue.Member(key, try value(depth: depth)))
      skipSpace()
      switch peek {
      case UInt8(ascii: ","): at += 1
      case UInt8(ascii: "}"):
        at += 1
        return .object(members)
      default: throw error("expected , or } in an object")
      }
    }
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = at
    var isInteger = true
    if peek == UInt8(ascii: "-") { at += 1 }
    let leading = peek
    let whole = digits()
    guard whole > 0, whole == 1 || leading != UInt8(ascii: "0") else { throw error("a malformed number") }
    if peek == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      guard digits() > 0 else { throw error("a malformed number") }
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      isInteger = false
      at += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
      guard digits() > 0 else { throw error("a malformed number") }
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isInteger {
      guard let i = Int64(text), i.magnitude <= 1 << 53 else { throw error("an integer beyond ±2^53") }
      return .integer(i)
    }
    guard let d = Double(text), d.isFinite else { throw error("a number out of range") }
    return .number(d)
  }

  private mutating func digits() -> Int {
    let start = at
    while let b = peek, b >= UInt8(ascii: "0"), b <= UInt8(ascii: "9") { at += 1 }
    return at - start
  }

  private mutating func string() throws(JSONError) -> String {
    at += 1
    var out: [UInt8] = []
    while true {
      guard let b = peek else { throw error("the text ends inside a string") }
      at += 1
      switch b {
      case UInt8(ascii: "\""):
        guard let text = String(validating: out, as: UTF8.self) else { throw error("invalid UTF-8 in a string") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &out)
      case 0..<0x20: throw error("a raw control byte in a string")
      default: out.append(b)
      }
    }
  }

  private mutating func escape(into out: inout [UInt8]) throws(JSONError) {
    guard let b = peek else { throw error("the text ends inside a string") }
    at += 1
    switch b {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(b)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"):
      var code = UInt32(try hex4())
      if code & 0xFC00 == 0xD800, peek == UInt8(ascii: "\\"), at + 1 < bytes.endIndex,
        bytes[at + 1] == UInt8(ascii: "u")
      {
        let mark = at
        at += 2
        let low = UInt32(try hex4())
        if low & 0xFC00 == 0xDC00 { code = 0x10000 + ((code & 0x3FF) << 10 | low & 0x3FF) } else { at = mark }
      }
      // A lone surrogate is no character: it is replaced, as in any text from a device.
      let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
      out.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw error("an unknown escape in a string")
    }
  }

  private mutating func hex4() throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let b = peek, let digit = Character(Unicode.Scalar(b)).hexDigitValue else {
        throw error("expected four hex digits after \\u")
      }
      at += 1
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}
