import RigBytes

/// The header lines of a message: in order, every instance kept, looked up without regard to case (RFC 2326 4.2).
public struct RTSPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  public struct Line: Hashable, Sendable {
    public var name: String
    /// Unfolded, without blanks at either end; may be empty.
    public var value: String
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public var lines: [Line]

  public init(_ lines: [Line] = []) { self.lines = lines }
  public init(dictionaryLiteral elements: (String, String)...) {
    lines = elements.map { Line(name: $0.0, value: $0.1) }
  }

  /// The first value of that name. Setting replaces every instance by one; `nil` removes them all.
  public subscript(name: String) -> String? {
    get { lines.first { ASCII.equal($0.name, name) }?.value }
    set {
      guard let newValue else {
        lines.removeAll { ASCII.equal($0.name, name) }
        return
      }
      guard let place = lines.firstIndex(where: { ASCII.equal($0.name, name) }) else {
        lines.append(Line(name: name, value: newValue))
        return
      }
      lines[place].value = newValue
      let tail = lines[(place + 1)...].filter { !ASCII.equal($0.name, name) }
      lines.replaceSubrange((place + 1)..., with: tail)
    }
  }

  /// The values of all instances of that name, in order.
  public func all(_ name: String) -> [String] {
    lines.filter { ASCII.equal($0.name, name) }.map(\.value)
  }

  /// Appends an instance and leaves others of that name alone.
  public mutating func add(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }
}
