import RigChecks
import RigModel
import RigWire
import Testing

/// Captures of independent servers (GStreamer, VLC) with FFmpeg as the player: nothing in them is an error.
@Suite struct HealthyCaptureTests {
  struct Expected: Sendable, CustomStringConvertible {
    var file: String
    /// ssrc, codec, packets, frames, key frames; in any order.
    var streams: [(ssrc: UInt32, codec: String, packets: Int64, frames: Int64, keys: Int64)]
    var transport: StreamStatistics.Transport
    var description: String { file }
  }

  static let captures = [
    Expected(
      file: "gst_av_tcp",
      streams: [(0x4860_11df, "H264", 334, 77, 3), (0x4fcc_817f, "MPEG4-GENERIC", 238, 238, 0)], transport: .tcp),
    Expected(
      file: "gst_av_udp",
      streams: [(0xe502_85b2, "H264", 333, 76, 3), (0x6333_af56, "MPEG4-GENERIC", 238, 238, 0)], transport: .udp),
    Expected(file: "gst_digest_tcp", streams: [(0xdaf1_9116, "H264", 212, 47, 2)], transport: .tcp),
    Expected(file: "gst_h265_tcp", streams: [(0x733d_3bba, "H265", 255, 78, 3)], transport: .tcp),
    Expected(file: "gst_ipv6_udp", streams: [(0xded8_6600, "H264", 187, 41, 2)], transport: .udp),
    Expected(
      file: "vlc_av_udp",
      streams: [(0x611a_6487, "H264", 214, 75, 3), (0xc3ad_4431, "MPEG4-GENERIC", 234, 234, 0)], transport: .udp),
  ]

  @Test(arguments: captures)
  func noErrorsAndTrueCounts(_ expected: Expected) throws {
    let file = try Fixture.bytes(expected.file)
    let analysis = analyzeCapture(file, context: AnalysisContext(captureDropped: 0))
    #expect(analysis.error == nil)
    let errors = analysis.result.findings.filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors)")
    #expect(analysis.result.dialogues == 1)
    #expect(analysis.result.sessions == 1)
    #expect(analysis.result.streams.count == expected.streams.count)
    for wanted in expected.streams {
      let stream = try #require(analysis.result.streams.first { $0.ssrc == wanted.ssrc })
      #expect(stream.codec == wanted.codec)
      #expect(stream.transport == expected.transport)
      #expect(stream.packets == wanted.packets)
      #expect(stream.lost == 0)
      #expect(stream.duplicates == 0)
      #expect(stream.reordered == 0)
      #expect(stream.frames == wanted.frames)
      #expect(stream.keyFrames == wanted.keys)
      #expect(stream.gopLengths.allSatisfy { $0 == 30 })
      #expect(stream.senderReports >= 1)
    }
  }

  /// What these checks look for is in none of the captures, not even as a warning or a policy.
  @Test(arguments: captures)
  func nothingToSay(_ expected: Expected) throws {
    let checks: [any WireCheck.Type] = [
      OptionsStarCheck.self, StatusStateCheck.self, AuthStaleCheck.self, TransportSyntaxCheck.self,
      InterleavedChannelCheck.self, KeepAliveCheck.self, H264ModeCheck.self, H265MarkerCheck.self,
      SessionIDCheck.self, RedirectCheck.self, MonotonicCheck.self, SequenceCheck.self,
    ]
    let result = analyzeCapture(try Fixture.bytes(expected.file), context: AnalysisContext(captureDropped: 0)).result
    for check in checks { #expect(result.of(check).isEmpty, "\(result.of(check))") }
    #expect(result.unjudged.isEmpty)
  }

  @Test(arguments: captures)
  func clocksAndOffsetsAreThoseOfOneMachine(_ expected: Expected) throws {
    let result = analyzeCapture(try Fixture.bytes(expected.file), context: AnalysisContext(captureDropped: 0)).result
    for stream in result.streams {
      // Sender and capture ran on one clock; the captures last some seconds, so the estimates are rough.
      if let skew = stream.skew { #expect(abs(skew) < 5000, "\(skew)") }
      #expect(stream.longestBurst == 0)
      #expect(stream.received == stream.expected)
    }
    for offset in result.offsets {
      let seconds = try #require(offset.offset)
      #expect(abs(seconds) < 0.5, "\(seconds)")
    }
    #expect(result.offsets.count == (expected.streams.count == 2 ? 1 : 0))
  }

  @Test(arguments: captures)
  func anyChunkingGivesTheSameResult(_ expected: Expected) throws {
    let file = try Fixture.bytes(expected.file)
    let whole = analyzeCapture(file)
    for chunk in [61, 4096] {
      let pieces = analyzeCapture(file, chunk: chunk)
      #expect(pieces.result.findings == whole.result.findings)
      #expect(pieces.result.streams == whole.result.streams)
    }
  }

  @Test(arguments: captures)
  func everyCutIsStillFreeOfErrors(_ expected: Expected) throws {
    let file = try Fixture.bytes(expected.file)
    // A capture may end anywhere, and may begin in the middle of a dialogue.
    for share in stride(from: 5, to: 100, by: 9) {
      let cut = analyzeCapture(Array(file[..<(file.count * share / 100)]), context: AnalysisContext(captureDropped: 0))
      let errors = cut.result.findings.filter { $0.severity == .error }
      #expect(errors.isEmpty, "cut at \(share) %: \(errors)")
      let late = try middle(of: file, from: share)
      #expect(late.findings.filter { $0.severity == .error }.isEmpty, "from \(share) %: \(late.findings)")
    }
  }

  /// The analysis of the packets after the first `share` percent.
  private func middle(of file: [UInt8], from share: Int) throws -> AnalysisResult {
    var reader = CaptureReader()
    reader.push(file)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    while let packet = try reader.next() {
      guard packet.range.lowerBound > file.count * share / 100 else { continue }
      let bytes = Array(reader.buffer[packet.range])
      analyzer.see(frame: bytes.span.bytes, number: packet.number, time: packet.time, link: packet.linkType)
    }
    return analyzer.finish()
  }

  @Test func hostFilterLeavesNothingOfOthers() throws {
    let file = try Fixture.bytes("gst_av_udp")
    let other = try #require(IPAddress("192.0.2.1"))
    #expect(analyzeCapture(file, context: AnalysisContext(hosts: [other])).result.streams.isEmpty)
    let own = try #require(IPAddress("127.0.0.1"))
    #expect(analyzeCapture(file, context: AnalysisContext(hosts: [own])).result.streams.count == 2)
  }

  @Test func rigMarksAreSkipped() throws {
    var writer = PcapngWriter()
    var file = writer.sectionHeader()
    file += writer.interface(name: PcapngWriter.rigInterfaceName, linkType: .user0)
    file += writer.packet(interface: 0, time: 1, bytes: [UInt8](repeating: 1, count: 60).span.bytes, comment: "play")
    let analysis = analyzeCapture(file)
    #expect(analysis.error == nil)
    #expect(analysis.result.packets == 0)
  }
}
