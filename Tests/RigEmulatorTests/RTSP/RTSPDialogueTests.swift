import RigBytes
import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPDialogueTests {
  @Test func wholeDialogueInterleaved() throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      let options = try await client.send("OPTIONS", bench.url)
      #expect(options.status == 200)
      #expect(
        options.publicMethods == [
          "OPTIONS", "DESCRIBE", "SETUP", "PLAY", "PAUSE", "GET_PARAMETER", "SET_PARAMETER", "TEARDOWN",
        ])
      #expect(options.cseq == 1)

      let description = try await client.send("DESCRIBE", bench.url, ["Accept": "application/sdp"])
      #expect(description.status == 200 && description.headers["Content-Type"] == "application/sdp")
      #expect(description.headers["Content-Base"] == bench.url + "/")

      let setUp = try await client.send("SETUP", bench.track(0), ["Transport": "RTP/AVP/TCP;unicast;interleaved=4-5"])
      let transport = try #require(setUp.headers["Transport"].flatMap { TransportHeader.parse($0).first })
      #expect(transport.interleaved == .init(4, 5) && transport.lower == .tcp)
      #expect(setUp.session?.timeout == 60)

      let play = try await client.send("PLAY", bench.url, ["Range": "npt=0.000-"])
      #expect(play.status == 200 && play.headers["Range"] == "npt=now-")
      let info = RTPInfoHeader(parsing: play.headers["RTP-Info"] ?? "")
      #expect(info.streams.map(\.url) == [bench.track(0)])

      let unit = try await client.accessUnit(4)
      let first = try #require(unit.first)
      #expect(first.header.sequence == info.streams[0].sequence)
      #expect(first.header.timestamp == info.streams[0].rtpTime)
      #expect(first.header.ssrc == transport.ssrc)
      #expect(first.header.payloadType == 96)
      // Parameter sets, then the clip's own bytes.
      #expect(nalUnits(unit) == [ClipFile.sps, ClipFile.pps] + bench.file.nalUnits(0))
      #expect(unit.allSatisfy { $0.payload.count <= 1400 })
      #expect(unit.map(\.header.marker) == unit.indices.map { $0 == unit.count - 1 })

      // Playing already: it goes on, and says where it is.
      let again = try await client.send("PLAY", bench.url)
      #expect(again.status == 200)
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 200)
      #expect(try await client.send("TEARDOWN", bench.url).status == 200)
      #expect(await bench.ended() == .teardown)
      var last = try await client.reports(5)
      while !last.isBye { last = try await client.reports(5) }
      #expect(last.problems.isEmpty)
      #expect(await bench.server.statistics.sessions.isEmpty)
      #expect(client.damage.isEmpty)
    }
  }

  @Test func wholeDialogueOverUDP() throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let rtp = try UDPSocket(bench.loop, on: any)
      let rtcp = try UDPSocket(bench.loop, on: any)
      _ = bench.loop.schedule(at: bench.loop.now + .seconds(10)) {
        rtp.close()
        rtcp.close()
      }
      let ports = "client_port=\(rtp.address.port)-\(rtcp.address.port)"
      let setUp = try await client.send("SETUP", bench.track(0), ["Transport": "RTP/AVP;unicast;\(ports)"])
      let transport = try #require(setUp.headers["Transport"].flatMap { TransportHeader.parse($0).first })
      let server = try #require(transport.serverPorts)
      #expect(server.first % 2 == 0 && server.second == server.first + 1)
      #expect(transport.clientPorts == .init(rtp.address.port, rtcp.address.port))
      #expect(try await client.send("PLAY", bench.url).status == 200)

      var unit: [RTPPacket] = []
      while unit.last?.header.marker != true {
        let datagram = try #require(try await rtp.receive())
        #expect(datagram.from.port == server.first)
        unit.append(try RTPPacket(datagram.bytes))
      }
      #expect(nalUnits(unit) == [ClipFile.sps, ClipFile.pps] + bench.file.nalUnits(0))
      let report = try #require(try await rtcp.receive())
      #expect(report.from.port == server.second)
      let compound = RTCPCompound(parsing: report.bytes)
      #expect(compound.problems.isEmpty && compound.senderReport?.ssrc == transport.ssrc)

      #expect(try await client.send("TEARDOWN", bench.url).status == 200)
      let bye = try #require(try await rtcp.receive())
      #expect(RTCPCompound(parsing: bye.bytes).isBye)
    }
  }

  @Test func descriptionHoldsWhatPlayersNeed() throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      let sdp = SDPSession(parsing: try await client.send("DESCRIBE", bench.url).body)
      #expect(sdp.deviations.isEmpty)
      #expect(sdp.control == "*" && sdp.attribute("range") == "npt=now-")
      #expect(sdp.connection?.text == "IN IP4 0.0.0.0" && sdp.times == ["0 0"])
      #expect(sdp.origin?.address == "127.0.0.1")
      try #require(sdp.media.count == 2)
      let video = sdp.media[0]
      #expect(video.rtpmap(96)?.text == "96 H264/90000" && video.control == "trackID=0")
      let format = try #require(video.fmtp(96).map { H264FormatParameters($0) })
      #expect(format.packetizationMode == 1 && format.profileLevelID == 0x64001E)
      #expect(format.parameterSets == [ClipFile.sps, ClipFile.pps])
      let audio = sdp.media[1]
      #expect(audio.rtpmap(97)?.text == "97 mpeg4-generic/48000/1" && audio.control == "trackID=1")
      let aac = try #require(audio.fmtp(97).map { AACFormatParameters($0) })
      #expect(aac.isHighBitRate && aac.sizeLength == 13 && aac.config == [0x11, 0x88])
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var status: Int
    var method: String
    var path = "/live"
    var headers: RTSPHeaders = [:]
    var body = ""
    /// What has been done on the same connection before.
    var after = Stage.nothing
    enum Stage { case nothing, setUp, setUpOne, playing }
    var testDescription: String { "\(status) \(method) \(path) \(headers.lines.map(\.value)) after \(after)" }
  }

  static let tcp: RTSPHeaders = ["Transport": "RTP/AVP/TCP;unicast;interleaved=0-1"]

  @Test(arguments: [
    Case(status: 200, method: "OPTIONS", path: "*"),
    Case(status: 404, method: "OPTIONS", path: "/other"),
    Case(status: 404, method: "DESCRIBE", path: "/"),
    Case(status: 404, method: "DESCRIBE", path: "/live/trackID=0"),
    Case(status: 200, method: "DESCRIBE", path: "/live/?token=1"),
    Case(status: 406, method: "DESCRIBE", headers: ["Accept": "text/plain"]),
    Case(status: 551, method: "DESCRIBE", headers: ["Require": "implicit-play"]),
    Case(status: 501, method: "ANNOUNCE"),
    Case(status: 501, method: "describe"),
    Case(status: 459, method: "SETUP", headers: tcp),
    Case(status: 404, method: "SETUP", path: "/live/trackID=2", headers: tcp),
    Case(status: 400, method: "SETUP", path: "/live/trackID=0"),
    Case(status: 461, method: "SETUP", path: "/live/trackID=0", headers: ["Transport": "RTP/AVP;multicast"]),
    Case(
      status: 461, method: "SETUP", path: "/live/trackID=0",
      headers: ["Transport": "RTP/SAVP;unicast;client_port=5000-5001"]),
    Case(status: 461, method: "SETUP", path: "/live/trackID=0", headers: ["Transport": "RTP/AVP;unicast"]),
    Case(
      status: 461, method: "SETUP", path: "/live/trackID=0", headers: ["Transport": "RTP/AVP;unicast;client_port=0-1"]),
    Case(
      status: 461, method: "SETUP", path: "/live/trackID=0",
      headers: ["Transport": "RTP/AVP/TCP;unicast;interleaved=256-257"]),
    Case(
      status: 461, method: "SETUP", path: "/live/trackID=0",
      headers: ["Transport": "RTP/AVP/TCP;unicast;interleaved=0-1;mode=RECORD"]),
    Case(
      status: 200, method: "SETUP", path: "/live/trackID=0",
      headers: ["Transport": "RTP/AVP;multicast,RTP/AVP/TCP;unicast;interleaved=8-9"]),
    Case(
      status: 454, method: "SETUP", path: "/live/trackID=0", headers: ["Transport": "RTP/AVP/TCP", "Session": "nobody"]),
    Case(status: 200, method: "SETUP", path: "/live/trackID=0", headers: tcp, after: .setUp),
    Case(status: 455, method: "SETUP", path: "/live/trackID=0", headers: tcp, after: .playing),
    Case(status: 454, method: "PLAY"),
    Case(status: 454, method: "PLAY", headers: ["Session": "nobody"]),
    Case(status: 457, method: "PLAY", headers: ["Range": "npt=soon"], after: .setUp),
    Case(status: 501, method: "PLAY", headers: ["Range": "frames=1-"], after: .setUp),
    Case(status: 460, method: "PLAY", path: "/live/trackID=0", after: .setUp),
    Case(status: 200, method: "PLAY", path: "/live/trackID=0", after: .setUpOne),
    Case(status: 200, method: "PLAY", headers: ["Range": "clock=20300101T000000Z-"], after: .setUp),
    Case(status: 455, method: "PAUSE", after: .setUp),
    Case(status: 200, method: "PAUSE", after: .playing),
    Case(status: 460, method: "PAUSE", path: "/live/trackID=1", after: .playing),
    Case(status: 454, method: "PAUSE"),
    Case(status: 200, method: "GET_PARAMETER"),
    Case(status: 200, method: "GET_PARAMETER", path: "*"),
    Case(status: 451, method: "GET_PARAMETER", body: "packets_received\r\n", after: .playing),
    Case(status: 200, method: "SET_PARAMETER", after: .playing),
    Case(status: 451, method: "SET_PARAMETER", body: "barparam: barstuff\r\n"),
    Case(status: 454, method: "TEARDOWN", headers: ["Session": "nobody"]),
    Case(status: 200, method: "TEARDOWN", after: .playing),
    Case(status: 200, method: "TEARDOWN", path: "/live/trackID=0", after: .setUp),
  ])
  func statusCodes(_ test: Case) throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      if test.after != .nothing {
        for index in 0..<(test.after == .setUpOne ? 1 : 2) {
          let channels = "RTP/AVP/TCP;unicast;interleaved=\(2 * index)-\(2 * index + 1)"
          try await client.send("SETUP", bench.track(index), ["Transport": channels])
        }
      }
      if test.after == .playing { try await client.send("PLAY", bench.url) }
      let url = test.path == "*" ? "*" : "rtsp://\(bench.address)\(test.path)"
      let answer = try await client.send(test.method, url, test.headers, body: test.body)
      #expect(answer.status == test.status)
      #expect(answer.cseq == UInt32(client.cseq))
    }
  }

  /// Raw bytes and what comes back: the status line, and whether the connection stays open.
  @Test(arguments: [
    ("OPTIONS rtsp://h/live RTSP/1.0\r\n\r\n", 400, true),
    ("OPTIONS rtsp://h/live RTSP/1.0\r\nCSeq: x\r\n\r\n", 400, true),
    ("OPTIONS rtsp://h/live RTSP/2.0\r\nCSeq: 1\r\n\r\n", 505, true),
    ("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + String(repeating: " ", count: 70_000), 400, false),
    ("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nX: " + String(repeating: "x", count: 70_000), 400, false),
    ("SET_PARAMETER * RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 99999999\r\n\r\n", 413, false),
  ])
  func hostileBytes(_ text: String, status: Int, staysOpen: Bool) throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      try await client.stream.write(Array(text.utf8))
      #expect(try await client.answer().status == status)
      if staysOpen {
        #expect(try await client.send("OPTIONS", "*").status == 200)
      } else {
        #expect(await client.isClosedByServer())
      }
    }
  }

  /// Noise of many kinds: the server goes on serving others.
  @Test func noiseHarmsNobody() throws {
    try ServerBench.run { bench in
      var random = SplitMix64(seed: 99)
      for round in 0..<40 {
        let client = try await bench.client()
        var bytes = (0..<2000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        if round % 2 == 0 { bytes = Array("SETUP \(bench.track(0)) RTSP/1.0\r\nTransport: ".utf8) + bytes }
        do { try await client.stream.write(bytes) } catch is SystemError {}
        client.stream.close()
      }
      let (client, play) = try await bench.playing()
      #expect(play.status == 200)
      #expect(try await client.accessUnit().count > 1)
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      let texts = (1...50).map { "OPTIONS \(bench.url) RTSP/1.0\r\nCSeq: \($0)\r\n\r\n" }
      try await client.stream.write(Array(texts.joined().utf8))
      for number in 1...50 { #expect(try await client.answer().cseq == UInt32(number)) }
    }
  }

  @Test func takenChannelsAreReplacedByFreeOnes() throws {
    try ServerBench.run { bench in
      let client = try await bench.client()
      for (index, expected) in [(0, "0-1"), (1, "2-3")] {
        let answer = try await client.send("SETUP", bench.track(index), Self.tcp)
        #expect(answer.headers["Transport"]?.contains("interleaved=\(expected)") == true)
      }
    }
  }

  @Test func sessionsAreUnpredictableButSeeded() throws {
    @Sendable func ids(_ seed: UInt64) throws -> [String] {
      try ServerBench.run(seed: seed) { bench in
        var ids: [String] = []
        for _ in 0..<2 {
          let client = try await bench.client()
          ids.append(try await client.send("SETUP", bench.track(0), Self.tcp).session?.id ?? "")
        }
        return ids
      }
    }
    let first = try ids(1)
    #expect(first[0] != first[1] && first[0].utf8.count == 16)
    #expect(try ids(1) == first)
    #expect(try ids(2) != first)
  }

  @Test func worksOnIPv6() throws {
    try ServerBench.run(host: "::1") { bench in
      let (client, play) = try await bench.playing(tracks: [0])
      #expect(play.status == 200)
      #expect(nalUnits(try await client.accessUnit()).count == 4)
    }
  }
}
