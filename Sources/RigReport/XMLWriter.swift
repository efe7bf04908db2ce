/// A small strict writer: every element that is opened is closed, every value is escaped, two spaces a level.
public struct XMLWriter {
  public typealias Attribute = (name: String, value: String)

  public private(set) var text = ""
  private var open: [String] = []
  private let depth: Int

  /// `depth`: how many levels the surrounding document already has.
  public init(depth: Int = 0) { self.depth = depth }

  public static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

  public mutating func begin(_ name: String, _ attributes: [Attribute] = []) {
    startTag(name, attributes)
    text += ">\n"
    open.append(name)
  }

  /// Closes the innermost element; nothing where none is open.
  public mutating func end() {
    guard let name = open.popLast() else { return }
    indent()
    text += "</"
    text += name
    text += ">\n"
  }

  /// An element that holds nothing but text; without text, an empty element. `escaped` comes from `XMLText.element`.
  public mutating func element(_ name: String, _ attributes: [Attribute] = [], escaped: String = "") {
    startTag(name, attributes)
    guard !escaped.isEmpty else {
      text += "/>\n"
      return
    }
    text += ">"
    text += escaped
    text += "</"
    text += name
    text += ">\n"
  }

  private mutating func startTag(_ name: String, _ attributes: [Attribute]) {
    indent()
    // Appended piece by piece: a report of 10,000 cases is 26 MB, and each interpolation would be one more copy.
    text += "<"
    text += name
    for (key, value) in attributes {
      text += " "
      text += key
      text += "=\""
      text += XMLText.attribute(value)
      text += "\""
    }
  }

  private mutating func indent() {
    for _ in 0..<(depth + open.count) { text += "  " }
  }
}
