import RigChecks
import RigModel
import RigWire
import Testing

/// Whatever a capture holds, the analysis ends, and its state stays bounded.
@Suite struct HostileInputTests {
  /// A small deterministic generator (xorshift64).
  private struct Noise {
    var state: UInt64
    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  }

  @Test(arguments: ["gst_av_tcp", "gst_ipv6_udp", "vlc_av_udp"])
  func bentCapturesDoNotTrap(_ name: String) throws {
    let file = try Fixture.bytes(name)
    var noise = Noise(state: 0x9E37_79B9)
    for round in 0..<12 {
      var bent = file
      for _ in 0..<(20 << (round % 6)) { bent[24 + noise.below(bent.count - 24)] = UInt8(noise.below(256)) }
      _ = analyzeCapture(bent)
    }
  }

  @Test func bentFramesDoNotTrap() throws {
    var noise = Noise(state: 77)
    for name in ["gst_av_tcp", "gst_av_udp"] {
      var reader = CaptureReader()
      reader.push(try Fixture.bytes(name))
      var analyzer = CaptureAnalyzer()
      while let packet = try reader.next() {
        var bytes = Array(reader.buffer[packet.range])
        for _ in 0..<noise.below(4) { bytes[noise.below(bytes.count)] = UInt8(noise.below(256)) }
        if noise.below(10) == 0 { bytes = Array(bytes[..<noise.below(bytes.count)]) }
        analyzer.see(frame: bytes.span.bytes, number: packet.number, time: packet.time, link: .ethernet)
      }
      _ = analyzer.finish()
    }
  }

  @Test func manyFlowsStayBounded() {
    var script = WireScript()
    // Each datagram from another port, and each looks like RTP of another source.
    for index in 0..<6000 {
      let ssrc = [UInt8(index >> 8), UInt8(index & 255), 1, 2]
      script.udp(
        [0x80, 96, 0, 1, 0, 0, 0, 1] + ssrc + [1, 2, 3], fromServer: true, serverPort: 1024 + index, clientPort: 9000)
      if index % 1000 == 999 { script.wait(11) }
    }
    // A real stream must still be found.
    for index in 0..<20 {
      script.udp(
        [0x80, 96, 0, UInt8(index), 0, 0, 0, 1, 9, 9, 9, 9, 1, 2, 3], fromServer: true, serverPort: 30_000,
        clientPort: 30_002)
    }
    let result = script.analyze()
    #expect(result.streams.map(\.ssrc) == [0x0909_0909])
    #expect(result.streams.first?.packets == 20)
    #expect(result.mediaPackets == 20)
  }

  @Test func dnsIsNoMedia() {
    var script = WireScript()
    for index in 0..<10 {
      script.udp(
        [0x80, 96, 0, UInt8(index), 0, 0, 0, 1, 9, 9, 9, 9, 1, 2, 3], fromServer: true, serverPort: 53,
        clientPort: 40_001)
    }
    #expect(script.analyze().streams.isEmpty)
  }

  /// Segments cut, doubled and swapped on their way: the stream is the same.
  @Test func networkDisorderChangesNothing() {
    var camera = ScriptedCamera(audio: true)
    camera.start()
    camera.video(100)
    let plain = camera.script.analyze()
    var frames = camera.script.frames
    var index = 12
    while index + 1 < frames.count {
      // Swap bytes of neighbours, not their times; double every fifth.
      let bytes = frames[index].bytes
      frames[index].bytes = frames[index + 1].bytes
      frames[index + 1].bytes = bytes
      if index % 5 == 0 { frames.insert(frames[index], at: index + 2) }
      index += 7
    }
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    for (number, frame) in frames.enumerated() {
      analyzer.see(frame: frame.bytes.span.bytes, number: number + 1, time: frame.time, link: .ethernet)
    }
    let result = analyzer.finish()
    #expect(result.streams.map(\.packets) == plain.streams.map(\.packets))
    #expect(result.streams.map(\.lost) == [0])
    #expect(result.findings.allSatisfy { $0.severity != .error }, "\(result.findings)")
  }

  @Test func fragmentedDatagramsAreMediaAndAWarning() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(5)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    var number = 0
    func feed(_ bytes: [UInt8], _ time: Int64) {
      number += 1
      analyzer.see(frame: bytes.span.bytes, number: number, time: time, link: .ethernet)
    }
    let all = camera.script.frames
    for frame in all.dropLast() { feed(frame.bytes, frame.time) }
    // The last datagram in two fragments, the second first.
    let last = all[all.count - 1]
    let datagram = Array(last.bytes[34...])
    for (offset, part) in [(2, datagram[16...]), (0, datagram[..<16])] {
      var head = Array(last.bytes[..<34])
      head[17] = UInt8(20 + part.count)
      head[20] = offset == 0 ? 0x20 : 0
      head[21] = UInt8(offset)
      feed(head + part, last.time)
    }
    let result = analyzer.finish()
    #expect(result.of(RTPSizeCheck.self).map(\.severity) == [.warning])
    #expect(result.streams.first?.packets == 8)
    #expect(result.streams.first?.lost == 0)
  }

  @Test func countersCanBeReadWhileItRuns() {
    var camera = ScriptedCamera(tcp: false)
    camera.start()
    camera.video(5)
    var analyzer = CaptureAnalyzer()
    var seen: [Int64] = []
    for (number, frame) in camera.script.frames.enumerated() {
      analyzer.see(frame: frame.bytes.span.bytes, number: number + 1, time: frame.time, link: .ethernet)
      seen.append(analyzer.mediaPackets)
    }
    #expect(seen.first == 0)
    #expect(seen.last == 8)
    #expect(analyzer.lastMediaTime == camera.script.frames.last?.time)
  }

  @Test func packetsCutByTheSnapLengthAreNotToBlame() {
    var camera = ScriptedCamera(tcp: false, audio: true)
    camera.start()
    let whole = camera.script.frames.count
    camera.video(30)
    camera.audio(30)
    var analyzer = CaptureAnalyzer(AnalysisContext(captureDropped: 0))
    for (number, frame) in camera.script.frames.enumerated() {
      // Ethernet, IPv4, UDP and RTP headers and two bytes of payload.
      let bytes = number < whole ? frame.bytes : Array(frame.bytes.prefix(56))
      analyzer.see(frame: bytes.span.bytes, number: number + 1, time: frame.time, link: .ethernet)
    }
    let result = analyzer.finish()
    #expect(result.findings.isEmpty, "\(result.findings)")
    #expect(result.streams.count == 2)
  }
}
