import RigWire
import Testing

@Suite struct NetDissectorTests {
  private let text: [UInt8] = Array("media".utf8)

  private func payload(_ frame: [UInt8], _ link: LinkType) -> (NetworkPacket, [UInt8]) {
    let packet = NetworkDissector.dissect(frame.span.bytes, link: link)
    return (packet, Array(frame[packet.payload]))
  }

  @Test func everyLinkTypeReachesTheSameDatagram() {
    let ip = NetFrames.ipv4(NetFrames.udp(text), protocol: 17)
    let sll: [UInt8] = [0, 0, 3, 4, 0, 6] + Array(repeating: 0, count: 8)
    let sll2: [UInt8] = [8, 0] + Array(repeating: 0, count: 18)
    let frames: [(LinkType, [UInt8])] = [
      (.ethernet, NetFrames.ethernet(ip)), (.raw, ip), (.rawBSD, ip), (.ipv4, ip), (.null, [2, 0, 0, 0] + ip),
      (.loop, [0, 0, 0, 2] + ip), (.linuxSLL, sll + [8, 0] + ip), (.linuxSLL2, sll2 + ip),
      (.ethernet, NetFrames.macs + [0x81, 0, 0, 7, 0x08, 0x00] + ip),
      (.ethernet, NetFrames.macs + [0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 0x08, 0x00] + ip),
    ]
    for (link, frame) in frames {
      let (packet, bytes) = payload(frame, link)
      #expect(packet.kind == .udp, "\(link)")
      #expect(bytes == text, "\(link)")
      #expect(packet.flow.description == "10.0.0.1:5000 → 10.0.0.2:6000")
    }
  }

  @Test func ipv6WithExtensionHeaders() {
    let hopByHop: [UInt8] = [60, 0, 1, 4, 0, 0, 0, 0]
    let destination: [UInt8] = [17, 0, 1, 4, 0, 0, 0, 0]
    let frame = NetFrames.ethernet(NetFrames.ipv6(hopByHop + destination + NetFrames.udp(text), next: 0), type: 0x86dd)
    let (packet, bytes) = payload(frame, .ethernet)
    #expect(packet.kind == .udp)
    #expect(bytes == text)
    #expect(packet.flow.source.description == "[fe80::1]:5000")
  }

  @Test func trailingEthernetPaddingIsNoPayload() {
    let frame = NetFrames.ethernet(NetFrames.ipv4(NetFrames.udp([1]), protocol: 17)) + Array(repeating: 0, count: 17)
    #expect(payload(frame, .ethernet).1 == [1])
  }

  @Test func snapLengthLeavesMissingBytes() {
    let frame = NetFrames.ethernet(NetFrames.ipv4(NetFrames.tcp(text, sequence: 7), protocol: 6))
    let (packet, bytes) = payload(Array(frame.dropLast(2)), .ethernet)
    #expect(packet.kind == .tcp)
    #expect(packet.missing == 2)
    #expect(bytes == Array("med".utf8))
  }

  @Test func totalLengthZeroMeansTheWholeFrame() {
    let frame = NetFrames.ethernet(NetFrames.ipv4(NetFrames.tcp(text, sequence: 7), protocol: 6, total: 0))
    #expect(payload(frame, .ethernet).1 == text)
  }

  @Test func noPrefixOfAFrameTraps() {
    let frames = [
      NetFrames.ethernet(NetFrames.ipv4(NetFrames.tcp(text, sequence: 1), protocol: 6)),
      NetFrames.ethernet(NetFrames.ipv6([44, 0, 0, 1, 0, 0, 0, 9] + text, next: 43), type: 0x86dd),
    ]
    for frame in frames {
      for length in 0...frame.count {
        for position in 0..<length {
          var bent = Array(frame[..<length])
          bent[position] = 0xff
          let packet = NetworkDissector.dissect(bent.span.bytes, link: .ethernet)
          #expect(packet.payload.upperBound <= length)
        }
      }
    }
  }

  @Test func fragmentsComeTogetherInAnyOrder() throws {
    let datagram = NetFrames.udp((0..<40).map { UInt8($0) })
    let pieces = [
      NetFrames.ipv4(Array(datagram[0..<16]), protocol: 17, fragment: 0x2000),
      NetFrames.ipv4(Array(datagram[16..<32]), protocol: 17, fragment: 0x2002),
      NetFrames.ipv4(Array(datagram[32...]), protocol: 17, fragment: 0x0004),
    ]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 0, 2, 1]] {
      var reassembler = FragmentReassembler()
      var result: [UInt8]?
      for index in order {
        let piece = pieces[index]
        let packet = NetworkDissector.dissect(piece.span.bytes, link: .raw)
        #expect(packet.kind == .fragment)
        #expect(result == nil)
        result = reassembler.add(packet, in: piece.span.bytes, time: 0)
      }
      #expect(result == datagram)
      let head = pieces[0]
      let first = NetworkDissector.dissect(head.span.bytes, link: .raw)
      let whole = NetworkDissector.dissect(reassembled: try #require(result), of: first)
      #expect(whole.kind == .udp)
      #expect(whole.payload == 8..<48)
    }
  }

  @Test func missingFragmentsAreCountedAndForgotten() {
    var reassembler = FragmentReassembler(capacity: 2)
    for identification in 0..<5 {
      let piece = NetFrames.ipv4(
        Array(repeating: 0, count: 16), protocol: 17, identification: identification, fragment: 0x2000)
      let packet = NetworkDissector.dissect(piece.span.bytes, link: .raw)
      let whole = reassembler.add(packet, in: piece.span.bytes, time: 0)
      #expect(whole == nil)
    }
    #expect(reassembler.incomplete == 3)
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("[fe80::1%wlan0]", "fe80::1"),
    ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("2001:0:0:1::1", "2001:0:0:1::1"), ("::ffff:192.0.2.1", "::ffff:c000:201"), ("::", "::"), ("1::", "1::"),
  ])
  func addressText(_ text: String, _ printed: String) throws {
    #expect(try #require(IPAddress(text)).description == printed)
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.256", "1.2.3.4.5", "a.b.c.d", "1::2::3", ":", "12345::", "1:2:3:4:5:6:7:8:9"])
  func noAddress(_ text: String) { #expect(IPAddress(text) == nil) }

  private func selected(_ options: [UInt8], cut: Int = 0) -> [[UInt32]] {
    let frame = NetFrames.ipv4(
      NetFrames.tcp([0x24], sequence: 1, options: options), protocol: 6, total: 41 + options.count
    ).dropLast(cut)
    let bytes = Array(frame)
    let packet = NetworkDissector.dissect(bytes.span.bytes, link: .raw)
    return packet.selectiveAcknowledgments(in: bytes.span.bytes).map { [$0.from, $0.to] }
  }

  @Test func theSACKOption() {
    let pair = NetFrames.be32(0xffff_fff0) + NetFrames.be32(8)
    #expect(selected([1, 1, 5, 10] + pair) == [[0xffff_fff0, 8]])
    let stamps: [UInt8] = [1, 1, 8, 10] + [UInt8](repeating: 5, count: 8)
    #expect(selected(stamps).isEmpty)
    #expect(selected(stamps + [1, 1, 5, 26] + pair + pair + pair).count == 3)
    #expect(selected([1, 1, 5, 34] + pair + pair + pair + pair).count == 4)
  }

  @Test func aSACKOptionThatIsNotWhole() {
    let pair = NetFrames.be32(1) + NetFrames.be32(2)
    #expect(selected([]).isEmpty)
    #expect(selected([1, 1, 1, 5]).isEmpty)
    #expect(selected([1, 1, 5, 10] + pair, cut: 2).isEmpty)
    // Lengths of 0, 1 and 2, one beyond the header, and one that holds half a pair more.
    for length in [0, 1, 2, 18] as [UInt8] { #expect(selected([1, 1, 5, length] + pair).isEmpty) }
    #expect(selected([5, 14] + pair + [9, 9, 9, 9, 0, 0]).count == 1)
    // What follows the end of the list is no option.
    #expect(selected([0, 1, 5, 10] + pair).isEmpty)
  }
}
