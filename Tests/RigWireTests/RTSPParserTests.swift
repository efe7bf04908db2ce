import RigModel
import RigBytes
import RigWire
import Testing

/// Streams of the field, each with its fault.
enum RTSPStreams {
  static let replyInsideFrame = hex(
    """
    24000040 | 525453502f312e30203430302042616420526571756573740d0a435365713a20390d0a0d0a
    | 2400002b80e0000800000bb80a0b0c0d41101010101010101010101010101010101010101010101010101010101010
    | 2400002b80e00009000017700a0b0c0d41101010101010101010101010101010101010101010101010101010101010
    | 2400002b80e0000a000023280a0b0c0d41101010101010101010101010101010101010101010101010101010101010
    """)
  static let garbageBetween = hex(
    "2400000e80e00001000000000a0b0c0d4101 | deadbeef2400 | 2400000e80e0000200000bb80a0b0c0d4102")
  static let partialSend = hex(
    """
    2400057880600005000000000a0b0c0d7c8511111111111111111111111111111111111111111111111111111111111111111111111111111111
    | 2400000f80e00006000000000a0b0c0d7c4522
    """)
  static let beforePlayReply = hex(
    """
    2401001c80c80006000000000000000000000000000000000000000000000000 | 2400000e80600001000000000a0b0c0d6742
    | 525453502f312e3020323030204f4b0d0a435365713a20350d0a53657373696f6e3a20310d0a0d0a
    """)
  static let audioOnly = hex("2403000880c90001aabbccdd | 2402001280e10001000004000000004400100010aabb")
  static let zeroLength = hex("24000000 | 2400000d80e00003000000000a0b0c0d41")
  static let replyInStream = hex(
    """
    2400000e80e00001000000000a0b0c0d419a | 525453502f312e3020323030204f4b0d0a435365713a20360d0a0d0a
    | 2400000e80e0000200000bb80a0b0c0d419b
    """)
  static let blankContinuation = Array(
    """
    RTSP/1.0 200 OK\r\nCSeq: 6\r\nSession: 77\r\n \r\nRTP-Info: url=rtsp://192.0.2.10/t1;seq=5;rtptime=9\r\n\r\n\
    RTSP/1.0 200 OK\r\nCSeq: 7 \r\n\r\n
    """.utf8)
  static let bareLF = Array(
    "RTSP/1.0 401 Unauthorized\nCSeq: 1\nWWW-Authenticate: Digest realm=\"X\", nonce=\"ab\"\nContent-Length: 0\n\n".utf8
  )
  static let describe = Array(
    """
    DESCRIBE rtsp://192.0.2.10/live?a=1&b RTSP/1.0\r\nCSeq: 2\r\nAccept: application/sdp\r\n\r\n\
    RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: 9\r\n\r\nv=0\r\ns=x\n
    """.utf8)
  static let overlongBody = Array(
    """
    RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Length: 50\r\n\r\nv=0\r\ns=x\r\nRTSP/1.0 200 OK\r\nCSeq: 3\r\n\r\n
    """.utf8)
  static let lostTail = Array("RTSP/1.0 200 OK\r\nCSeq: 2\r\nSess".utf8) + hex("0d0a") + audioOnly
  static let all = [
    replyInsideFrame, garbageBetween, partialSend, beforePlayReply, audioOnly, zeroLength, replyInStream,
    blankContinuation, bareLF, describe, overlongBody, lostTail,
    // A broken promise in the middle of a longer stream, and two streams back to back.
    replyInStream + partialSend + Array(repeating: audioOnly, count: 90).flatMap { $0 } + describe,
    garbageBetween + [UInt8](repeating: 0x24, count: 300) + beforePlayReply + blankContinuation,
  ]
}

@Suite struct RTSPParserTests {
  @Test func replyInsideFrame() {
    let got = items(RTSPStreams.replyInsideFrame)
    #expect(got.count == 5)
    #expect(got[0].damage?.reason == .rtspInFrame)
    #expect(got[0].damage?.announced == 64)
    #expect(got[1].message?.status == 400)
    #expect(got[1].message?.cseq == 9)
    #expect(got[1].kinds == [.rtspInFrame])
    #expect(got[2...].compactMap { $0.frame?.payload.count } == [43, 43, 43])
  }

  @Test func garbageBetween() {
    let got = items(RTSPStreams.garbageBetween)
    #expect(got.count == 3)
    #expect(got[0].frame?.payload.last == 1)
    #expect(got[1] == .garbage(offset: 18, count: 6, first: hex("deadbeef2400")))
    #expect(got[2].frame?.payload.last == 2)
  }

  @Test func partialSend() throws {
    let got = items(RTSPStreams.partialSend)
    #expect(got.count == 2)
    let damage = try #require(got[0].damage)
    #expect(damage.announced == 1400)
    #expect(damage.found == 54)
    #expect(damage.wasDelivered == false)
    #expect(try RTPHeader(parsing: damage.head).sequence == 5)
    #expect(got[1].frame?.payload.count == 15)
  }

  /// The announced length fills up with later frames: the first comes out, is taken back, and the others follow.
  @Test func partialSendInRunningStream() {
    let frames = Array(repeating: RTSPStreams.audioOnly, count: 90).flatMap { $0 }
    let got = items(hex("2402000c80e100010000040000000044") + RTSPStreams.partialSend + frames)
    #expect(got.compactMap(\.damage).map(\.found) == [54])
    #expect(got.compactMap(\.damage).map(\.wasDelivered) == [true])
    #expect(got.compactMap(\.frame).count == 1 + 1 + 1 + 180)
    #expect(got.compactMap(\.garbageCount).isEmpty)
  }

  @Test func mediaBeforeReply() {
    let got = items(RTSPStreams.beforePlayReply)
    #expect(got.map { $0.frame?.channel } == [1, 0, nil])
    #expect(got[2].message?.cseq == 5)
    #expect(got[2].kinds.isEmpty)
  }

  @Test func replyInStream() {
    #expect(items(RTSPStreams.replyInStream).map { $0.frame?.payload.last } == [0x9A, nil, 0x9B])
  }

  @Test func emptyFrame() {
    #expect(items(RTSPStreams.zeroLength).map { $0.frame?.payload.count } == [0, 13])
  }

  /// A sender that writes one byte more than it announces: each frame is found again by its source.
  @Test func lengthShortByOne() {
    let frame = hex("2400000e80e00001000000000a0b0c0d4101")
    let got = items(Array(repeating: frame + [0], count: 50).flatMap { $0 })
    #expect(got.compactMap(\.frame).count == 50)
    #expect(got.compactMap(\.garbageCount) == [Int](repeating: 1, count: 50))
  }

  @Test func largeFrame() {
    let body = hex("80e00001000000000a0b0c0d") + [UInt8](repeating: 0x55, count: 7349)
    let got = items(hex("24001cc1") + body)
    #expect(got.map { $0.frame?.payload } == [body])
  }

  @Test func blankContinuationIsFolding() {
    let got = items(RTSPStreams.blankContinuation)
    #expect(got.count == 2)
    #expect(got[0].message?.headers["session"] == "77")
    #expect(got[0].message?.headers["rtp-info"]?.hasPrefix("url=") == true)
    #expect(got[0].kinds == [.blankContinuation])
    #expect(got[1].message?.cseq == 7)
    #expect(got[1].kinds == [.trailingBlank])
  }

  @Test func bareLF() {
    let got = items(RTSPStreams.bareLF)
    #expect(got.count == 1)
    #expect(got[0].message?.status == 401)
    #expect(got[0].message?.headers["WWW-Authenticate"] == "Digest realm=\"X\", nonce=\"ab\"")
    #expect(got[0].kinds == [.bareLF])
  }

  @Test func messagesAndBody() {
    let got = items(RTSPStreams.describe)
    #expect(got.count == 2)
    #expect(got[0].message?.method == "DESCRIBE")
    #expect(got[0].message?.url == "rtsp://192.0.2.10/live?a=1&b")
    #expect(got[1].message?.body == Array("v=0\r\ns=x\n".utf8))
    #expect(got.allSatisfy { $0.kinds.isEmpty })
  }

  @Test func announcedBodyTooLong() {
    let got = items(RTSPStreams.overlongBody)
    #expect(got.map { $0.message?.cseq } == [2, 3])
    #expect(got[0].kinds == [.shortBody])
    #expect(got[0].message?.body.count == 10)
  }

  @Test func frameAfterLostHeaderTail() {
    let got = items(RTSPStreams.lostTail)
    #expect(got[0].message?.cseq == 2)
    #expect(got[0].kinds == [.badHeaderLine, .unterminatedHeaders])
    #expect(got.dropFirst().map { $0.frame?.channel } == [3, 2])
  }

  @Test(arguments: [
    ("RTSP/1.0 200 OK\r\nCSeq: 3\r\nServer:\r\nCache-Control: \r\n\r\n", [RTSPDeviation.Kind]()),
    ("RTSP/1.0 302 Moved Temporarily\r\nLocation: rtsp://192.0.2.10:1554/s1\r\n\r\n", [.missingCSeq]),
    ("RTSP/1.0 200 OK\r\nCSeq: x\r\n\r\n", [.badCSeq]),
    ("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: -4\r\n\r\n", [.badContentLength]),
    ("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\n", [.badContentLength]),
    ("\r\n\r\nRTSP/1.0  200 OK\r\nCSeq : 1\r\n\r\n", [.blankLineBefore, .startLineBlanks, .blankBeforeColon]),
    ("rtsp/1.0 200 OK\r\nCSeq: 1\r\nno colon\r\n\r\n", [.version, .badHeaderLine]),
    ("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nRequire: a,\r\n\tb\r\n\r\n", [.folded]),
    ("RTSP/1.0 200 OK\r\nCSeq: 1\r\nX: \u{1}\r\n\r\n", [.controlBytes]),
    ("RTSP/1.0 200 OK\r\nCSeq: 1\r\nServer: x", [.unterminatedHeaders]),
  ])
  func deviations(text: String, expected: [RTSPDeviation.Kind]) {
    let got = items(Array(text.utf8))
    #expect(got.count == 1)
    #expect(got.first?.kinds == Set(expected))
  }

  @Test func emptyValuesAndInstances() {
    let text =
      "RTSP/1.0 401 No\r\nCSeq: 2\r\nWWW-Authenticate: Basic realm=\"c\"\r\nWWW-authenticate: Digest x\r\nE:\r\n\r\n"
    let message = items(Array(text.utf8)).first?.message
    #expect(message?.headers.all("www-authenticate") == ["Basic realm=\"c\"", "Digest x"])
    #expect(message?.headers["e"]?.isEmpty == true)
  }

  @Test func limits() {
    let head = "RTSP/1.0 200 OK\r\nCSeq: 1\r\n"
    let endless = Array(head.utf8) + [UInt8](repeating: 0x41, count: 70_000) + Array("\r\n\r\n".utf8)
    let got = items(endless + RTSPStreams.describe)
    #expect(got.first == .oversized(.headers, offset: 0, announced: 65536))
    #expect(got.compactMap(\.message).map(\.cseq) == [2, 2])
    let big = items(Array((head + "Content-Length: 1048577\r\n\r\n").utf8) + RTSPStreams.describe)
    #expect(big.first == .oversized(.body, offset: 0, announced: 1_048_577))
    #expect(big.compactMap(\.message).count == 2)
  }

  @Test func writtenMessageReadsBack() {
    var message = RTSPMessage.response(200, headers: ["CSeq": "4", "Session": "ab;timeout=10"], body: [1, 2, 3])
    message.headers.add("X", "a\r\nInjected: 1")
    let got = items(message.bytes).first?.message
    #expect(got?.body == [1, 2, 3])
    #expect(got?.session?.timeout == 10)
    #expect(got?.headers["Injected"] == nil)
    #expect(got?.contentLength == 3)
  }

  @Test(arguments: RTSPStreams.all.indices, [1, 2, 3, 7, 64, 1000])
  func anyPiecesGiveTheSameItems(stream: Int, pieces: Int) {
    let bytes = RTSPStreams.all[stream]
    #expect(items(bytes, pieces: pieces) == items(bytes))
  }

  /// Whatever comes in: no trap, nothing is made up, and the pieces do not matter.
  @Test func mutations() {
    var random = SplitMix64(seed: 7)
    for round in 0..<3000 {
      let bytes = mutated(RTSPStreams.all[round % RTSPStreams.all.count], &random)
      let whole = items(bytes)
      #expect(items(bytes, pieces: 1 + round % 5) == whole, "round \(round)")
      let given = whole.reduce(0) { sum, item in
        sum + (item.frame?.payload.count ?? item.garbageCount ?? item.message?.body.count ?? 0)
      }
      #expect(given <= 2 * bytes.count, "round \(round)")
      #expect(whole.count <= bytes.count + 2, "round \(round)")
    }
  }

  /// Streams built to make a parser look at the same bytes again and again.
  @Test func hostileStreamsStayLinear() {
    var nested: [UInt8] = []
    for _ in 0..<10_000 { nested += hex("2400fff080e00001") }
    let starts = Array(repeating: Array("RTSP/1.0 ".utf8), count: 2_500).flatMap { $0 }
    let heads = Array(repeating: Array("RTSP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8), count: 800)
    for stream in [nested, starts, heads.flatMap { $0 }, [UInt8](repeating: 0x0A, count: 20_000)] {
      let got = items(stream)
      #expect(got.count <= stream.count)
      #expect(got.reduce(0) { $0 + ($1.frame?.payload.count ?? 0) } <= 2 * stream.count)
      #expect(items(stream, pieces: 1500) == got)
    }
  }

  @Test func memoryIsBounded() {
    let frames = Array(repeating: RTSPStreams.audioOnly, count: 400).flatMap { $0 }
    let noise = [UInt8](repeating: 0xAA, count: 10_000)
    let text = [UInt8](repeating: 0x52, count: 10_000)
    for piece in [frames, noise, text, [UInt8](repeating: 0x0A, count: 10_000)] {
      var parser = RTSPParser()
      parser.push(RTSPStreams.audioOnly)
      var most = 0
      for _ in 0..<40 {
        parser.push(piece)
        while parser.next() != nil {}
        most = max(most, parser.heldBytes)
      }
      #expect(most < 150_000)
    }
  }
}
