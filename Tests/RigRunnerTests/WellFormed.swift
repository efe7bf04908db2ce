/// Tags that nest, attributes in quotes, text without markup: as much of XML as a report uses.
enum WellFormed {
  struct Problem: Error, CustomStringConvertible { let description: String }

  static func check(_ xml: String) throws {
    let bytes = Array(xml.utf8)
    var at = 0
    var open: [[UInt8]] = []
    var roots = 0
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "<") else {
        if bytes[at] == UInt8(ascii: "&") { try entity(bytes, at) }
        if bytes[at] < 0x20, ![0x09, 0x0A].contains(bytes[at]) { throw Problem(description: "control byte at \(at)") }
        at += 1
        continue
      }
      guard let end = bytes[at...].firstIndex(of: UInt8(ascii: ">")) else {
        throw Problem(description: "an open tag at \(at)")
      }
      let tag = bytes[(at + 1)..<end]
      at = end + 1
      if tag.first == UInt8(ascii: "?") { continue }
      let name = Array(tag.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != 0x20 && $0 != UInt8(ascii: "/") })
      if tag.first == UInt8(ascii: "/") {
        guard open.popLast() == name else { throw Problem(description: "\(String(decoding: tag, as: UTF8.self))") }
      } else {
        if open.isEmpty { roots += 1 }
        let quotes = tag.count { $0 == UInt8(ascii: "\"") }
        let signs = tag.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        guard quotes % 2 == 0, !tag.contains(UInt8(ascii: "<")) else {
          throw Problem(description: "quotes in \(String(decoding: tag, as: UTF8.self))")
        }
        for (i, part) in signs.enumerated() where i % 2 == 1 {
          for place in part.indices where part[place] == UInt8(ascii: "&") {
            try entity(Array(part), place - part.startIndex)
          }
        }
        if tag.last != UInt8(ascii: "/") { open.append(name) }
      }
    }
    guard open.isEmpty, roots == 1 else { throw Problem(description: "\(open.count) open tags, \(roots) roots") }
  }

  private static func entity(_ bytes: [UInt8], _ at: Int) throws {
    let rest = String(decoding: bytes[at...].prefix(8), as: UTF8.self)
    guard ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#10;", "&#9;", "&#13;"].contains(where: rest.hasPrefix) else {
      throw Problem(description: "no entity: \(rest)")
    }
  }
}
