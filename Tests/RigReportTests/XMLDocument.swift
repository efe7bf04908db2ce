/// A small well-formedness checker (XML 1.0, no DTD, no comments, no CDATA: the writer makes none).
struct XMLDocument {
  final class Node {
    let name: String
    var attributes: [String: String] = [:]
    var children: [Node] = []
    var text = ""
    init(_ name: String) { self.name = name }

    func all(_ name: String) -> [Node] { children.filter { $0.name == name } }
    func first(_ name: String) -> Node? { children.first { $0.name == name } }
    subscript(key: String) -> String { attributes[key] ?? "(none)" }
    func number(_ key: String) -> Int { Int(attributes[key] ?? "") ?? -1 }
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let bytes: [UInt8]
  private var at = 0

  static func parse(_ text: String) throws -> Node {
    for scalar in text.unicodeScalars {
      let code = scalar.value
      guard code == 9 || code == 10 || (code >= 0x20 && code != 0xFFFE && code != 0xFFFF) else {
        throw Problem(description: "a forbidden code point \(code)")
      }
    }
    var parser = XMLDocument(bytes: Array(text.utf8))
    try parser.expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    let root = try parser.element()
    try parser.expect("\n")
    guard parser.at == parser.bytes.count else { throw parser.problem("text after the root") }
    return root
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func problem(_ what: String) -> Problem {
    Problem(
      description:
        "\(what) near: \(String(decoding: bytes[max(0, at - 60)..<min(bytes.count, at + 30)], as: UTF8.self))")
  }

  private var peek: UInt8 { at < bytes.count ? bytes[at] : 0 }

  private mutating func expect(_ text: String) throws {
    for byte in text.utf8 {
      guard peek == byte else { throw problem("expected \(text)") }
      at += 1
    }
  }

  private mutating func name() throws -> String {
    let start = at
    while (0x61...0x7A).contains(peek) || (0x41...0x5A).contains(peek) || peek == 0x2D { at += 1 }
    guard at > start else { throw problem("expected a name") }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func characters(until stop: UInt8) throws -> String {
    var out: [UInt8] = []
    while peek != stop {
      guard at < bytes.count else { throw problem("the text ends") }
      if bytes[at] == 0x3C { throw problem("a raw <") }
      if bytes[at...].starts(with: "]]>".utf8) { throw problem("a raw ]]>") }
      guard bytes[at] == 0x26 else {
        out.append(bytes[at])
        at += 1
        continue
      }
      let known = [
        "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#10;": "\n", "&#9;": "\t",
      ].first { bytes[at...].starts(with: $0.key.utf8) }
      guard let known else { throw problem("a raw &") }
      out += known.value.utf8
      at += known.key.utf8.count
    }
    return String(decoding: out, as: UTF8.self)
  }

  private mutating func element() throws -> Node {
    try expect("<")
    let node = Node(try name())
    while peek == 0x20 {
      at += 1
      let key = try name()
      try expect("=\"")
      guard node.attributes[key] == nil else { throw problem("attribute \(key) twice") }
      let start = at
      node.attributes[key] = try characters(until: 0x22)
      guard !bytes[start..<at].contains(0x0A) else { throw problem("a raw line end in an attribute") }
      try expect("\"")
    }
    if peek == 0x2F {
      try expect("/>")
      return node
    }
    try expect(">")
    while true {
      node.text += try characters(until: 0x3C)
      if at + 1 < bytes.count, bytes[at + 1] == 0x2F {
        try expect("</\(node.name)>")
        return node
      }
      node.children.append(try element())
    }
  }
}
