/// Reads of big-endian fields. Callers check the length once per header; `RawSpan` itself guards every access.
extension RawSpan {
  @inline(__always)
  func net8(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
  @inline(__always)
  func net16(_ offset: Int) -> UInt16 {
    UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
  @inline(__always)
  func net32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
  @inline(__always)
  func net64(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
