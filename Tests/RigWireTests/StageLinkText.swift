import RigModel
import RigWire

/// Bytes of a text in which `␞` stands for RS and `⏎` for LF.
func wire(_ text: String) -> [UInt8] {
  Array(text.replacing("␞", with: "\u{1E}").replacing("⏎", with: "\n").utf8)
}

/// A whole record with RS and checksum.
func framed(_ json: String) -> [UInt8] { RecordFraming(guarded: true).encode(Array(json.utf8)) }

func text(_ item: RecordDecoder.Item) -> String {
  switch item {
  case .record(let json): "record \(json.text)"
  case .damaged(let why): "damaged: \(why.rawValue)"
  case .log(let bytes): "log: \(String(decoding: bytes, as: UTF8.self))"
  }
}

extension RecordDecoder {
  mutating func drain() -> [Item] {
    var items: [Item] = []
    while let item = next() { items.append(item) }
    return items
  }

  /// What it makes of a stream that comes at one moment, in pieces of `size` bytes or whole.
  static func items(_ stream: [UInt8], guarded: Bool, limit: Int = 4096, pieces size: Int? = nil) -> [Item] {
    var decoder = RecordDecoder(RecordFraming(guarded: guarded, limit: limit))
    var items: [Item] = []
    var rest = stream[...]
    while !rest.isEmpty {
      let piece = rest.prefix(size ?? rest.count)
      rest = rest.dropFirst(piece.count)
      decoder.push(piece, at: .zero)
      items += decoder.drain()
    }
    return items
  }

  /// Bytes that it holds of a line that has not ended.
  var heldBytes: Int {
    Mirror(reflecting: self).children.lazy.compactMap { $0.label == "line" ? ($0.value as? [UInt8])?.count : nil }.first
      ?? .max
  }
}
