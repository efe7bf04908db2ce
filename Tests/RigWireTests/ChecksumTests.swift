import RigWire
import Testing

/// Checksums of UDP and TCP.
@Suite struct ChecksumTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private func judge(_ frame: [UInt8], _ link: LinkType = .raw) -> TransportChecksum {
    TransportChecksum(NetworkDissector.dissect(frame.span.bytes, link: link), in: frame.span.bytes)
  }

  /// 10.0.0.1:4660 → 10.0.0.2:22136, three bytes 61 62 63.
  private func udp(_ checksum: String) -> [UInt8] {
    bytes("4500001f 00010000 40110000 0a000001 0a000002 12345678 000b" + checksum + "616263")
  }

  @Test func udpOverIPv4() {
    // 0a00+0001+0a00+0002+0011+000b + 1234+5678+000b+6162+6300 folds to 4139; its complement.
    #expect(judge(udp("bec6")) == .right)
    #expect(judge(udp("bec7")) == .wrong)
    #expect(judge(udp("0000")) == .absent)
    // The pseudo header alone, with and without the length.
    #expect(judge(udp("141f")) == .unfinished)
    #expect(judge(udp("1414")) == .unfinished)
    #expect(judge(Array(udp("bec6").dropLast())) == .absent)
  }

  @Test func everyFlippedBitIsFound() {
    let good = udp("bec6")
    for bit in (26 * 8)..<(good.count * 8) {
      var bent = good
      bent[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(judge(bent) != .right, "bit \(bit)")
    }
  }

  @Test func tcpOverIPv6() {
    let head = "60000000 00140640 20010db8000000000000000000000001 20010db8000000000000000000000002"
    func frame(_ checksum: String) -> [UInt8] {
      bytes(head + "022ac350 00000001 00000000 50020400" + checksum + "0000")
    }
    // By hand, as above.
    #expect(judge(frame("8af2")) == .right)
    #expect(judge(frame("8af3")) == .wrong)
  }

  @Test func otherPacketsHaveNone() {
    #expect(judge([]) == .absent)
    #expect(judge(bytes("45000014 00010000 40010000 0a000001 0a000002")) == .absent)
    #expect(judge(bytes("4500001c 00012000 40110000 0a000001 0a000002 0102030405060708")) == .absent)
  }
}
