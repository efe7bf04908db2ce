/// An input taken apart from the front; where it ends, zeros and empty pieces come.
struct FuzzInput {
  private let bytes: [UInt8]
  private var place = 0

  init(_ input: UnsafeRawBufferPointer) { bytes = [UInt8](input) }

  var isAtEnd: Bool { place == bytes.count }

  mutating func u8() -> UInt8 {
    guard place < bytes.count else { return 0 }
    place += 1
    return bytes[place - 1]
  }

  mutating func u16() -> Int { Int(u8()) << 8 | Int(u8()) }

  /// At most `count` bytes.
  mutating func take(_ count: Int) -> [UInt8] {
    let piece = bytes[place..<min(bytes.count, place + count)]
    place = piece.endIndex
    return Array(piece)
  }

  mutating func rest() -> [UInt8] { take(bytes.count) }
}

/// Calls `each` with the pieces of `bytes` of `size` bytes, the last one shorter.
func forEachPiece(of bytes: [UInt8], size: Int, _ each: (ArraySlice<UInt8>) throws -> Void) rethrows {
  var rest = bytes[...]
  while !rest.isEmpty {
    try each(rest.prefix(size))
    rest = rest.dropFirst(size)
  }
}

/// Requires two rows to be equal, and shows the first place where they differ.
func requireSame<Element: Equatable>(_ a: [Element], _ b: [Element], _ what: @autoclosure () -> String) throws {
  guard a != b else { return }
  let place = zip(a, b).prefix { $0 == $1 }.count
  func text(_ row: [Element]) -> String { place < row.count ? "\(row[place])" : "nothing" }
  throw FuzzViolation(description: "\(what()): at \(place), \(text(a)) instead of \(text(b))")
}
