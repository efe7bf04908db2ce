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
    feed.direction.peerAcknowledged(106)
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
