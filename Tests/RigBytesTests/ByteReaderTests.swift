import RigBytes
import Testing

@Suite struct ByteReaderTests {
  @Test func readsAndStops() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    var reader = ByteReader(bytes.span.bytes)
    // The macro cannot take values that do not escape: results go through constants.
    let (first, second, third, none) = (reader.u8(), reader.u16(), reader.u24(), reader.u64())
    #expect(first == 1)
    #expect(second == 0x0203)
    #expect(third == 0x040506)
    #expect(none == nil)
    let offset = reader.offset
    #expect(offset == 6)
    let tooMuch = reader.take(5)?.byteCount
    #expect(tooMuch == nil)
    let negative = reader.take(-1)?.byteCount
    #expect(negative == nil)
    let rest = reader.rest.byteCount
    #expect(rest == 4)
    let part = reader.take(2)?.u8(at: 1)
    #expect(part == 8)
    let skips = [reader.skip(3), reader.skip(-1), reader.skip(2)]
    #expect(skips == [false, false, true])
    let (isAtEnd, beyond) = (reader.isAtEnd, reader.u8())
    #expect(isAtEnd)
    #expect(beyond == nil)
  }

  @Test func accessOutsideIsNil() {
    let bytes: [UInt8] = [1, 2, 3]
    let span = bytes.span.bytes
    for offset in [-1, Int.min, 3, Int.max] {
      let (a, b, c, d) = (span.u8(at: offset), span.u16(at: offset), span.u32(at: offset), span.u64(at: offset))
      #expect(a == nil && b == nil && c == nil && d == nil)
    }
    let pairs = [span.u16(at: 1), span.u16le(at: 1), span.u16(at: 2)]
    #expect(pairs == [0x0203, 0x0302, nil])
    let clamped = [span.clamped(to: -5..<2).array, span.clamped(to: 7..<9).array]
    #expect(clamped == [[1, 2], []])
  }

  @Test func writerAndReaderAgree() {
    var writer = ByteWriter()
    writer.u8(0xAB)
    writer.u16(0xFFFE)
    writer.u24(0xFF_01_02_03)
    writer.u32(0xDEAD_BEEF)
    writer.u64(0x0123_4567_89AB_CDEF)
    writer.zeros(-3)
    writer.patch16(0x1234, at: 1)
    writer.patch16(0x1234, at: 17)
    let bytes = writer.bytes
    var reader = ByteReader(bytes.span.bytes)
    let numbers: [UInt64?] = [
      reader.u8().map { UInt64($0) }, reader.u16().map { UInt64($0) }, reader.u24().map { UInt64($0) },
      reader.u32().map { UInt64($0) }, reader.u64(),
    ]
    #expect(numbers == [0xAB, 0x1234, 0x010203, 0xDEAD_BEEF, 0x0123_4567_89AB_CDEF])
    let rest = reader.remaining
    #expect(rest == 0)
  }
}

@Suite struct ASCIITests {
  @Test func decimal() {
    #expect(ASCII.decimal("18446744073709551615") == .max)
    #expect(ASCII.decimal("18446744073709551616") == nil)
    for text in ["", "-1", "+1", " 1", "1 ", "1.0", "٣"] { #expect(ASCII.decimal(text) == nil) }
    #expect(ASCII.decimal("65536", limit: 65535) == nil)
  }

  /// A combining mark after a delimiter must not hide it.
  @Test func delimitersAreBytes() {
    let (head, tail) = ASCII.cut("a=\u{301}b", at: "=")
    #expect(head == "a")
    #expect(tail?.unicodeScalars.first == "\u{301}")
    #expect(ASCII.split(";;", on: ";") == ["", "", ""])
    #expect(ASCII.words(" a \t b ") == ["a", "b"])
    #expect(ASCII.equal("CSeq", "cseq"))
    #expect(!ASCII.equal("[", "{"))
  }

  @Test func hex() {
    #expect(ASCII.bytes(hex: "0aF") == nil)
    #expect(ASCII.bytes(hex: "0aFf") == [10, 255])
    #expect(ASCII.hex([10, 255]) == "0aff")
    #expect(ASCII.hex32("FFFFCCCC") == 0xFFFF_CCCC)
    #expect(ASCII.hex32("123456789") == nil)
  }
}
