/// Whether a document is well-formed XML 1.0, as far as reports use XML: a declaration, elements, attributes, text.
struct WellFormedXML {
  private var rest: ArraySlice<UInt8>
  private let whole: [UInt8]

  /// What is wrong and where; `nil`: nothing.
  static func problem(in text: String) -> String? {
    let isForbidden = { (code: UInt32) in
      (code < 0x20 && code != 0x09 && code != 0x0A && code != 0x0D) || code == 0xFFFE || code == 0xFFFF
    }
    if let bad = text.unicodeScalars.first(where: { isForbidden($0.value) }) { return "character \(bad.value) in XML" }
    var reader = WellFormedXML(text)
    do throws(FuzzViolation) { try reader.document() } catch { return error.description }
    return nil
  }

  private init(_ text: String) {
    whole = Array(text.utf8)
    rest = whole[...]
  }

  private func fail(_ what: String) -> FuzzViolation {
    let near = whole[max(0, rest.startIndex - 60)..<min(whole.count, rest.startIndex + 40)]
    let text = String(decoding: near, as: UTF8.self)
    return FuzzViolation(description: "XML at byte \(rest.startIndex): \(what): \(text)")
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard rest.count >= count, (0..<count).allSatisfy({ rest[rest.startIndex + $0] == text.utf8Start[$0] }) else {
      return false
    }
    rest = rest.dropFirst(count)
    return true
  }

  private mutating func space() { rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }

  private mutating func name() throws(FuzzViolation) -> ArraySlice<UInt8> {
    let name = rest.prefix {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
    }
    guard let first = name.first, (0x61...0x7A).contains(first | 0x20) else { throw fail("no name") }
    rest = rest.dropFirst(name.count)
    return name
  }

  private mutating func document() throws(FuzzViolation) {
    guard skip("<?xml version=\"1.0\" encoding=\"UTF-8\"?>") else { throw fail("no declaration") }
    space()
    // The open elements, so that depth costs no stack.
    var open: [ArraySlice<UInt8>] = []
    repeat {
      if skip("</") {
        guard try name() == open.popLast() else { throw fail("an end without its start") }
        space()
        guard skip(">") else { throw fail("no end of the tag") }
      } else if skip("<") {
        let element = try name()
        if try attributes() { open.append(element) }
      } else {
        throw fail("no tag")
      }
      if open.isEmpty { space() } else { try characters(until: 0x3C) }
    } while !open.isEmpty
    guard rest.isEmpty else { throw fail("text after the root") }
  }

  /// - Returns: whether the element has content and an end tag.
  private mutating func attributes() throws(FuzzViolation) -> Bool {
    var seen: Set<ArraySlice<UInt8>> = []
    while true {
      let before = rest.count
      space()
      if skip("/>") { return false }
      if skip(">") { return true }
      guard rest.count < before else { throw fail("no space before an attribute") }
      guard seen.insert(try name()).inserted else { throw fail("an attribute stands twice") }
      guard skip("=\"") else { throw fail("no value") }
      try characters(until: 0x22)
      rest = rest.dropFirst()
    }
  }

  /// Text up to `stop`, which stays.
  private mutating func characters(until stop: UInt8) throws(FuzzViolation) {
    while let byte = rest.first, byte != stop {
      switch byte {
      case 0x3C: throw fail("a raw <")
      case 0x26: try reference()
      case 0x5D where skip("]]>"): throw fail("a raw ]]>")
      default: rest = rest.dropFirst()
      }
    }
    if rest.isEmpty { throw fail("the text ends early") }
  }

  private mutating func reference() throws(FuzzViolation) {
    if skip("&amp;") || skip("&lt;") || skip("&gt;") || skip("&quot;") || skip("&apos;") { return }
    guard skip("&#") else { throw fail("a raw &") }
    let digits = rest.prefix { $0 != 0x3B }
    let text = String(decoding: digits, as: UTF8.self)
    let code = text.hasPrefix("x") ? UInt32(text.dropFirst(), radix: 16) : UInt32(text)
    guard let code, Unicode.Scalar(code) != nil, code >= 0x20 || [9, 10, 13].contains(code) else {
      throw fail("a reference to no character")
    }
    rest = rest.dropFirst(digits.count)
    guard skip(";") else { throw fail("a reference without its end") }
  }
}
