import RigWire
import Testing

@Suite struct NetTCPDirectionTests {
  /// Feeds segments to one direction and gathers what comes out in order.
  private struct Feed {
    var direction = TCPDirection()
    var bytes: [UInt8] = []
    var chunks: [TCPChunk] = []
    var frame = 0

    mutating func segment(_ text: String, at sequence: UInt32, flags: UInt8 = 0x10, time: Int64 = 0) {
      frame += 1
      let ip = NetFrames.ipv4(NetFrames.tcp(Array(text.utf8), sequence: sequence, flags: flags), protocol: 6)
      let packet = NetworkDissector.dissect(ip.span.bytes, link: .raw)
      if let (chunk, range) = direction.accept(packet, in: ip.span.bytes, number: frame, time: time) {
        bytes += ip[range]
        chunks.append(chunk)
      }
      drain(now: time)
    }

    mutating func drain(now: Int64, flush: Bool = false) {
      while let (chunk, held) = direction.release(now: now, flush: flush) {
        bytes += held
        chunks.append(chunk)
      }
    }
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  @Test func inOrderAcrossTheSequenceWrap() {
    var feed = Feed()
    feed.segment("", at: 0xffff_fffd, flags: 2)
    #expect(feed.direction.sawStart)
    feed.segment("abc", at: 0xffff_fffe)
    feed.segment("def", at: 1, flags: 0x11)
    #expect(feed.text == "abcdef")
    #expect(feed.chunks.map(\.offset) == [0, 3])
    #expect(feed.chunks.map(\.frame) == [2, 3])
    #expect(feed.direction.end == .fin)
  }

  @Test func retransmissionAndOverlapGiveEachByteOnce() {
    var feed = Feed()
    feed.segment("abcd", at: 100)
    feed.segment("abcd", at: 100)
    feed.segment("cdef", at: 102)
    feed.segment("f", at: 105)
    #expect(feed.text == "abcdef")
    #expect(feed.direction.retransmittedBytes == 7)
    #expect(feed.direction.gaps == 0)
  }

  @Test func outOfOrderKeepsTheFrameThatBroughtTheBytes() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    feed.segment("gh", at: 106)
    #expect(feed.text == "ab")
    feed.segment("cd", at: 102)
    #expect(feed.text == "abcdefgh")
    #expect(feed.chunks.map(\.frame) == [1, 4, 2, 3])
    #expect(feed.direction.outOfOrderSegments == 2)
  }

  @Test func holeIsGivenUpAfterPatienceAndReported() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104, time: 1_000_000_000)
    feed.drain(now: 3_900_000_000)
    #expect(feed.text == "ab")
    feed.drain(now: 4_100_000_000)
    #expect(feed.text == "abef")
    #expect(feed.chunks.last?.gap == 2)
    #expect(feed.chunks.last?.offset == 4)
    #expect(feed.direction.missingBytes == 2)
  }

  @Test func holeThatThePeerAcknowledgedIsGivenUpSoon() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    feed.direction.peerAcknowledged(106, time: 0)
    feed.drain(now: 300_000_000)
    #expect(feed.text == "abef")
  }

  @Test func flushGivesWhatWaits() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    feed.drain(now: 0, flush: true)
    #expect(feed.text == "abef")
    #expect(!feed.direction.hasHeldBytes)
  }

  /// Number 100 + n is byte n, whatever the wrap makes of it.
  @Test(arguments: [100, 0xffff_fffd] as [UInt32])
  func whatThePeerNeverAcknowledgedWasNotDelivered(_ first: UInt32) {
    var feed = Feed()
    feed.segment("ab", at: first)
    feed.direction.peerAcknowledged(first &+ 2, time: 0)
    feed.segment("ef", at: first &+ 4)
    // It waits, however long: the peer asks for it still.
    feed.direction.peerAcknowledged(first &+ 2, time: 1)
    feed.segment("gh", at: first &+ 6, time: 20_000_000_000)
    feed.drain(now: 60_000_000_000)
    #expect(feed.text == "ab")
    feed.drain(now: 60_000_000_000, flush: true)
    #expect(feed.text == "ab")
    #expect(feed.direction.missingBytes == 0)
    #expect(feed.direction.gaps == 0)
    #expect(feed.direction.undeliveredBytes == 4)
  }

  @Test func aRetransmissionFillsAHoleThatStoodLong() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    feed.direction.peerAcknowledged(102, time: 1)
    feed.segment("cd", at: 102, time: 30_000_000_000)
    #expect(feed.text == "abcdef")
    #expect(feed.direction.gaps == 0)
  }

  /// The peer has "c", and the capture does not; "d" was lost on the way.
  @Test(arguments: [true, false])
  func ofAHoleOnlyWhatThePeerHasIsMissing(_ comes: Bool) {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    feed.direction.peerAcknowledged(103, time: 1)
    if comes { feed.segment("d", at: 103, time: 1_000_000_000) }
    feed.drain(now: 1_000_000_000, flush: true)
    #expect(feed.text == (comes ? "abdef" : "ab"))
    #expect(feed.direction.missingBytes == 1)
    #expect(feed.direction.gaps == 1)
    #expect(feed.chunks.map(\.gap) == (comes ? [0, 1, 0] : [0]))
    #expect(feed.direction.undeliveredBytes == (comes ? 0 : 2))
  }

  /// The peer has "d" and "e" by its SACK; the capture has "e" only.
  @Test(arguments: [100, 0xffff_fffd] as [UInt32])
  func whatIsAcknowledgedSelectivelyHasCome(_ first: UInt32) {
    var feed = Feed()
    feed.segment("ab", at: first)
    feed.segment("e", at: first &+ 4)
    feed.direction.peerAcknowledged(first &+ 2, parts: [(first &+ 3, first &+ 5)], time: 1)
    var late = feed
    feed.drain(now: 1_000_000_000, flush: true)
    #expect(feed.text == "ab")
    #expect(feed.direction.missingBytes == 1)
    // With "c" sent again, nothing but "d" keeps the stream from going on.
    late.segment("c", at: first &+ 2, time: 1_000_000_000)
    #expect(late.text == "abce")
    #expect(late.chunks.last?.gap == 1)
    #expect(late.direction.missingBytes == 1)
  }

  @Test func whatIsAcknowledgedAtTheEndAndNotThereIsMissing() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.direction.peerAcknowledged(106, time: 0)
    feed.drain(now: 0, flush: true)
    feed.drain(now: 0, flush: true)
    #expect(feed.direction.missingBytes == 4)
    #expect(feed.direction.gaps == 1)
  }

  /// The FIN has a number: to acknowledge it names no byte, captured or not.
  @Test(arguments: [true, false])
  func aFINIsNoMissingByte(_ captured: Bool) {
    var feed = Feed()
    feed.segment("ab", at: 100)
    if captured { feed.segment("", at: 102, flags: 0x11) }
    feed.direction.peerAcknowledged(103, time: 0)
    feed.drain(now: 0, flush: true)
    #expect(feed.direction.missingBytes == 0)
  }

  @Test func theLastBytesBeforeAFINAreMissing() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("", at: 104, flags: 0x11)
    #expect(feed.direction.hasClosed)
    #expect(feed.direction.end == nil)
    feed.direction.peerAcknowledged(105, time: 0)
    feed.drain(now: 0, flush: true)
    #expect(feed.direction.missingBytes == 2)
    #expect(feed.direction.end == .fin)
  }

  /// A sender that nobody answers stops. One that goes on is answered, and the capture does not show it.
  @Test func aPeerThatIsHeardNoMoreSaysNothing() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.direction.peerAcknowledged(102, time: 0)
    for index in 0..<40 { feed.segment("x", at: 104 + UInt32(index), time: Int64(index + 1) * 100_000_000) }
    feed.drain(now: 4_100_000_000, flush: true)
    #expect(feed.text == "ab" + String(repeating: "x", count: 40))
    #expect(feed.direction.missingBytes == 2)
  }

  @Test func tooMuchBehindAHoleIsNotHeld() {
    var feed = Feed()
    feed.segment("a", at: 100)
    feed.direction.peerAcknowledged(101, time: 0)
    let big = String(repeating: "x", count: 60_000)
    for index in 0..<40 { feed.segment(big, at: 200 + UInt32(index) * 60_000) }
    #expect(feed.direction.gaps == 1)
    #expect(feed.direction.missingBytes == 99)
  }

  @Test func partsThatMeanNothingChangeNothing() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("ef", at: 104)
    // Turned round, empty, far away, of bytes that came twice (RFC 2883), and many apart from each other.
    let apart = (0..<1000).map { (from: 2000 + UInt32($0) * 4, to: 2001 + UInt32($0) * 4) }
    feed.direction.peerAcknowledged(
      102, parts: [(106, 104), (103, 103), (0x7000_0000, 0x7000_0001), (100, 101)] + apart, time: 0)
    feed.segment("cd", at: 102)
    feed.drain(now: 0, flush: true)
    #expect(feed.text == "abcdef")
    #expect(feed.direction.missingBytes == 32)
  }

  @Test func heldBytesAreBounded() {
    var feed = Feed()
    feed.segment("a", at: 100)
    let big = String(repeating: "x", count: 60_000)
    for index in 0..<40 { feed.segment(big, at: 200 + UInt32(index) * 60_000) }
    #expect(feed.direction.gaps == 1)
    #expect(feed.bytes.count == 1 + 40 * 60_000)
  }

  @Test func keepAliveProbeAndResetAreNoData() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("b", at: 101)
    feed.segment("", at: 102, flags: 4)
    #expect(feed.text == "ab")
    #expect(feed.direction.end == .reset)
  }

  @Test func strayThenANewPlaceIsAGap() {
    var feed = Feed()
    feed.segment("ab", at: 100)
    feed.segment("cd", at: 0x5000_0000)
    feed.segment("ef", at: 0x5000_0002)
    feed.segment("gh", at: 0x5000_0004)
    #expect(feed.text == "abefgh")
    #expect(feed.direction.gaps == 1)
  }
}
