extension RawSpan {
  /// The byte at `offset`, or `nil` outside the span.
  @inlinable
  public func u8(at offset: Int) -> UInt8? {
    guard offset >= 0, offset < byteCount else { return nil }
    return unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The big-endian 16-bit number that starts at `offset`, or `nil` where it does not fit in the span.
  @inlinable
  public func u16(at offset: Int) -> UInt16? {
    guard offset >= 0, offset <= byteCount &- 2 else { return nil }
    return UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The big-endian 32-bit number that starts at `offset`, or `nil` where it does not fit in the span.
  @inlinable
  public func u32(at offset: Int) -> UInt32? {
    guard offset >= 0, offset <= byteCount &- 4 else { return nil }
    return UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The big-endian 64-bit number that starts at `offset`, or `nil` where it does not fit in the span.
  @inlinable
  public func u64(at offset: Int) -> UInt64? {
    guard offset >= 0, offset <= byteCount &- 8 else { return nil }
    return UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The little-endian 16-bit number that starts at `offset` (capture files), or `nil`.
  @inlinable
  public func u16le(at offset: Int) -> UInt16? { u16(at: offset)?.byteSwapped }

  /// The little-endian 32-bit number that starts at `offset` (capture files), or `nil`.
  @inlinable
  public func u32le(at offset: Int) -> UInt32? { u32(at: offset)?.byteSwapped }

  /// The part of `range` that lies inside the span; never traps.
  @inlinable
  @_lifetime(copy self)
  public func clamped(to range: Range<Int>) -> RawSpan {
    let lower = Swift.min(Swift.max(range.lowerBound, 0), byteCount)
    let upper = Swift.min(Swift.max(range.upperBound, lower), byteCount)
    return extracting(lower..<upper)
  }

  /// A copy of the bytes.
  @inlinable
  public var array: [UInt8] {
    withUnsafeBytes { [UInt8]($0) }
  }
}
