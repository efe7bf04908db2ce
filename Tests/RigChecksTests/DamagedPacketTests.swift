import RigChecks
import RigModel
import RigWire
import Testing

/// A packet with a wrong checksum never reached its receiver, where checksums mean anything.
@Suite struct DamagedPacketTests {
  /// The frame (Ethernet, IPv4 without options) with its UDP or TCP checksum filled in.
  private func filled(_ frame: [UInt8]) -> [UInt8] {
    let field = 34 + (frame[23] == 17 ? 6 : 16)
    var bytes = frame
    var words = Array(frame[26..<34]) + [0, frame[23], UInt8((frame.count - 34) >> 8), UInt8((frame.count - 34) & 255)]
    words += frame[34...]
    if words.count % 2 != 0 { words.append(0) }
    var sum = stride(from: 0, to: words.count, by: 2).reduce(0) { $0 + Int(words[$1]) << 8 + Int(words[$1 + 1]) }
    while sum >> 16 != 0 { sum = sum & 0xffff + sum >> 16 }
    bytes[field] = UInt8(~sum >> 8 & 255)
    bytes[field + 1] = UInt8(~sum & 255)
    return bytes
  }

  /// The frame with the checksum of its IPv4 header filled in.
  private func sealed(_ frame: [UInt8]) -> [UInt8] {
    var bytes = frame
    var sum = stride(from: 14, to: 34, by: 2).reduce(0) { $0 + Int(frame[$1]) << 8 + Int(frame[$1 + 1]) }
    while sum >> 16 != 0 { sum = sum & 0xffff + sum >> 16 }
    bytes[24] = UInt8(~sum >> 8 & 255)
    bytes[25] = UInt8(~sum & 255)
    return bytes
  }

  private func session(tcp: Bool) -> [(time: Int64, bytes: [UInt8])] {
    var camera = ScriptedCamera(tcp: tcp)
    camera.start()
    camera.video(60)
    return camera.script.frames
  }

  private func analyze(_ frames: [(time: Int64, bytes: [UInt8])]) -> AnalysisResult {
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    for (index, frame) in frames.enumerated() {
      analyzer.see(frame: frame.bytes.span.bytes, number: index + 1, time: frame.time, link: .ethernet)
    }
    return analyzer.finish()
  }

  /// A bit of the SSRC of the 40th packet from the end.
  private func bend(_ frames: inout [(time: Int64, bytes: [UInt8])], header: Int) -> Int {
    let index = frames.count - 40
    frames[index].bytes[header + 9] ^= 4
    return index
  }

  @Test func aDamagedDatagramIsLostAndNotJudged() {
    var frames = session(tcp: false).map { (time: $0.time, bytes: filled($0.bytes)) }
    #expect(analyze(frames).findings.isEmpty)
    _ = bend(&frames, header: 42)
    let result = analyze(frames)
    #expect(result.damagedPackets == 1)
    #expect(result.streams.map(\.lost) == [1])
    #expect(result.findings.map(\.check) == ["rtp.seq"])
  }

  /// A bit of the source address, or of the source port: the packet seems to be of another flow to the same receiver.
  @Test(arguments: [29, 35])
  func aDamagedHeaderMakesNoOtherStream(_ byte: Int) {
    var frames = session(tcp: false).map { (time: $0.time, bytes: sealed(filled($0.bytes))) }
    #expect(analyze(frames).findings.isEmpty)
    frames[frames.count - 40].bytes[byte] ^= 4
    let result = analyze(frames)
    #expect(result.damagedPackets == 1)
    #expect(result.streams.map(\.lost) == [1])
    #expect(result.findings.map(\.check) == ["rtp.seq"])
  }

  @Test func aDamagedSegmentIsSentAgain() {
    var frames = session(tcp: true).map { (time: $0.time, bytes: filled($0.bytes)) }
    let good = frames
    let index = bend(&frames, header: 58)
    frames.insert(good[index], at: index + 1)
    let result = analyze(frames)
    #expect(result.damagedPackets == 1)
    #expect(result.findings.isEmpty)
    #expect(result.missingTCPBytes == 0)
  }

  @Test func whereNoChecksumIsRightTheyMeanNothing() {
    var frames = session(tcp: false)
    for index in frames.indices where frames[index].bytes[23] == 17 {
      frames[index].bytes[40] = 0x12
      frames[index].bytes[41] = UInt8(index & 255)
    }
    let result = analyze(frames)
    #expect(result.damagedPackets == 0)
    #expect(result.streams.map(\.lost) == [0])
    #expect(result.findings.isEmpty)
  }
}
