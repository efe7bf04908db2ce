public import RigModel

/// A plan file as a tree in which every node knows where it stands. Scalars stay text: their type is decided by the
/// field that they fill, never by YAML, so that `off` is a word and `5` may be a title.
public struct DocumentNode: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    /// `quoted`: written in quotes or as a block scalar.
    case scalar(text: String, quoted: Bool)
    case sequence([DocumentNode])
    case mapping([Entry])
    /// Something that the parser has already reported and left out; readers pass over it in silence.
    case refused
  }

  /// A key with its value. Keys are unique within a mapping: the parser reports and drops repeats.
  public struct Entry: Hashable, Sendable {
    public var key: String
    public var keyPosition: SourcePosition
    public var value: DocumentNode
    public init(key: String, keyPosition: SourcePosition, value: DocumentNode) {
      self.key = key
      self.keyPosition = keyPosition
      self.value = value
    }
  }

  public var value: Value
  public var position: SourcePosition

  public init(_ value: Value, at position: SourcePosition) {
    self.value = value
    self.position = position
  }

  /// The text of a scalar; `nil` for the other kinds of node.
  public var text: String? { if case .scalar(let text, _) = value { text } else { nil } }

  /// The value of the first entry with this key; `nil` for other kinds of node.
  public subscript(key: String) -> DocumentNode? {
    guard case .mapping(let entries) = value else { return nil }
    return entries.first { $0.key == key }?.value
  }

  /// What the node is, for messages: `a list`, `a mapping`, `text`, `empty`.
  var shape: String {
    switch value {
    case .scalar(let text, let quoted): text.isEmpty && !quoted ? "empty" : "text"
    case .sequence: "a list"
    case .mapping: "a mapping"
    case .refused: "refused"
    }
  }
}
