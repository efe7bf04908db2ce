/// A cursor over borrowed bytes: every read is bounds-checked, in network byte order, and allocates nothing.
///
/// A read beyond the end returns `nil` and leaves the cursor where it was.
public struct ByteReader: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline var position: Int

  /// Bytes consumed so far, from the start of the span.
  @inlinable public var offset: Int { position }

  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) {
    self.bytes = bytes
    self.position = 0
  }

  @inlinable public var count: Int { bytes.byteCount }
  @inlinable public var remaining: Int { bytes.byteCount &- offset }
  @inlinable public var isAtEnd: Bool { offset == bytes.byteCount }

  @inlinable
  @_lifetime(self: copy self)
  mutating func advance(_ count: Int) { position = position &+ count }

  /// Moves the cursor on; `false` (and no movement) where fewer bytes are left or `count` is negative.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func skip(_ count: Int) -> Bool {
    guard count >= 0, count <= remaining else { return false }
    advance(count)
    return true
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func u8() -> UInt8? {
    guard let value = bytes.u8(at: offset) else { return nil }
    advance(1)
    return value
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func u16() -> UInt16? {
    guard let value = bytes.u16(at: offset) else { return nil }
    advance(2)
    return value
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func u24() -> UInt32? {
    guard remaining >= 3, let high = bytes.u8(at: offset), let low = bytes.u16(at: offset &+ 1) else { return nil }
    advance(3)
    return UInt32(high) << 16 | UInt32(low)
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func u32() -> UInt32? {
    guard let value = bytes.u32(at: offset) else { return nil }
    advance(4)
    return value
  }

  @inlinable
  @_lifetime(self: copy self)
  public mutating func u64() -> UInt64? {
    guard let value = bytes.u64(at: offset) else { return nil }
    advance(8)
    return value
  }

  /// The next `count` bytes as a span of their own.
  @inlinable
  @_lifetime(copy self)
  public mutating func take(_ count: Int) -> RawSpan? {
    guard count >= 0, count <= remaining else { return nil }
    let start = offset
    advance(count)
    return bytes.extracting(start..<(start &+ count))
  }

  /// Everything that has not been read, without moving the cursor.
  @inlinable
  public var rest: RawSpan {
    @_lifetime(copy self)
    get { bytes.extracting(offset..<bytes.byteCount) }
  }
}
