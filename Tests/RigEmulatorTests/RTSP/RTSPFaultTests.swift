import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPFaultTests {
  @Test func statusInsteadOfPerforming() throws {
    try ServerBench.run(faults: [.status(503, at: "SETUP")]) { bench in
      let client = try await bench.client()
      #expect(try await client.send("DESCRIBE", bench.url).status == 200)
      #expect(try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp).status == 503)
      #expect(await bench.acted("status"))
      #expect(await bench.server.statistics.sessionsCreated == 0)
    }
  }

  @Test func noReplyAndBadCSeq() throws {
    try ServerBench.run(faults: [.noReply(at: "DESCRIBE"), .badCSeq]) { bench in
      let client = try await bench.client()
      try await client.write("DESCRIBE", bench.url)
      #expect(try await client.send("OPTIONS", "*").cseq == 3)
      #expect(await bench.acted("no-reply"))
      #expect(await bench.acted("bad-cseq"))
    }
  }

  @Test func closesAtAMethod() throws {
    try ServerBench.run(faults: [.close(at: "PLAY")]) { bench in
      let client = try await bench.client()
      try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp)
      try await client.write("PLAY", bench.url)
      #expect(await client.isClosedByServer())
      #expect(await bench.acted("close"))
      #expect(await bench.ended() == .connectionClosed)
    }
  }

  @Test func wrongSSRCInTransport() throws {
    try ServerBench.run(faults: [.wrongSSRCInTransport]) { bench in
      let client = try await bench.client()
      let answer = try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp)
      try await client.send("PLAY", bench.url)
      let announced = answer.headers["Transport"].flatMap { TransportHeader.parse($0).first?.ssrc }
      #expect(announced != nil)
      #expect(try await client.packet().header.ssrc != announced)
      #expect(await bench.acted("wrong-ssrc"))
    }
  }

  @Test func shortTimeoutIsAnnounced() throws {
    try ServerBench.run(faults: [.shortTimeout(seconds: 1)]) { bench in
      let client = try await bench.client()
      #expect(try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp).session?.timeout == 1)
      #expect(await bench.acted("short-timeout"))
    }
  }

  @Test func mediaGoesOnAfterTeardown() throws {
    try ServerBench.run(faults: [.ignoreTeardown]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      #expect(try await client.send("TEARDOWN", bench.url).status == 200)
      for _ in 0..<8 { _ = try await client.accessUnit() }
      #expect(await bench.acted("ignore-teardown"))
    }
  }

  /// Sequence numbers of the first packets, less the first.
  private func steps(_ faults: RTSPFaults, _ count: Int, name: String) throws -> [UInt16] {
    try ServerBench.run(faults: faults) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var numbers: [UInt16] = []
      for _ in 0..<count { numbers.append(try await client.packet().header.sequence) }
      #expect(await bench.acted(name))
      return numbers.map { $0 &- numbers[0] }
    }
  }

  @Test func sequenceJumps() throws {
    #expect(try steps([.seqJump(after: 3, by: 100)], 6, name: "seq-jump") == [0, 1, 2, 103, 104, 105])
  }

  @Test func packetsAreWithheld() throws {
    #expect(try steps([.dropPackets(every: 3)], 6, name: "drop-packets") == [0, 1, 3, 4, 6, 7])
  }

  @Test func theSourceChanges() throws {
    try ServerBench.run(faults: [.ssrcChange(after: 3)]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var sources: [UInt32] = []
      for _ in 0..<5 { sources.append(try await client.packet().header.ssrc) }
      #expect(sources[0] == sources[2] && sources[2] != sources[3] && sources[3] == sources[4])
      #expect(await bench.acted("ssrc-change"))
    }
  }

  @Test func onePacketIsEmpty() throws {
    try ServerBench.run(faults: [.emptyPayload(after: 2)]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      let unit = try await client.accessUnit()
      #expect(unit.map(\.payload.isEmpty) == unit.indices.map { $0 == 2 })
      #expect(nalUnits(unit) == [ClipFile.sps, ClipFile.pps] + bench.file.nalUnits(0))
      #expect(await bench.acted("empty-payload"))
    }
  }

  @Test func noSenderReports() throws {
    try ServerBench.run(options: RTSPServerOptions(reportInterval: .milliseconds(20)), faults: [.noSR]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      for _ in 0..<10 { _ = try await client.accessUnit() }
      try await client.send("TEARDOWN", bench.url)
      // The first RTCP packet of all is the BYE.
      let compound = try await client.reports()
      #expect(compound.isBye && compound.senderReport == nil && compound.problems.isEmpty)
      #expect(await bench.acted("no-sr"))
    }
  }

  @Test func reportTimesJump() throws {
    let options = RTSPServerOptions(reportInterval: .milliseconds(40))
    try ServerBench.run(options: options, faults: [.badSRTime(offset: .seconds(100))]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      let first = try #require(try await client.reports().senderReport)
      let second = try #require(try await client.reports().senderReport)
      let seconds = Double(second.ntp.nanoseconds(since: first.ntp)) / 1e9
      let media = Double(second.rtpTime &- first.rtpTime) / 90_000
      #expect(abs(seconds - media - 100) < 0.001)
      #expect(await bench.acted("bad-sr-time"))
    }
  }

  @Test func goodbyeComesEarly() throws {
    try ServerBench.run(faults: [.earlyBye(after: .milliseconds(50))]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var isBye = false
      while !isBye { isBye = try await client.reports().isBye }
      #expect(await bench.acted("early-bye"))
      // The session is still there, without media: pictures 0 to 2 were due before, in 6, 1 and 1 packets.
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 200)
      #expect(await bench.server.statistics.sessions.first?.packets == 8)
    }
  }

  /// Frame 3 would be due at 60 ms: it comes 100 ms later, in time stamps as well.
  @Test func mediaStalls() throws {
    try ServerBench.run(faults: [.stall(after: .milliseconds(50), for: .milliseconds(100))]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var times: [UInt32] = []
      for frame in 0..<5 {
        let unit = try await client.accessUnit()
        #expect(nalUnits(unit).last == bench.file.nalUnits(frame).last)
        times.append(unit[0].header.timestamp)
      }
      #expect(times.map { $0 &- times[0] } == [0, 1800, 3600, 5400 + 9000, 7200 + 9000])
      #expect(await bench.acted("stall"))
    }
  }

  @Test func garbageStandsBetweenFrames() throws {
    try ServerBench.run(faults: [.garbageBetweenFrames(every: 2, bytes: 9)]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      for _ in 0..<4 { _ = try await client.accessUnit() }
      #expect(await bench.acted("garbage-between-frames"))
      let sizes = client.damage.map { if case .garbage(_, let count, _) = $0 { count } else { 0 } }
      #expect(sizes.first == 9)
    }
  }

  @Test func noKeyFrames() throws {
    try ServerBench.run(faults: [.noKeyFrame]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      for frame in [1, 2, 3, 4, 6, 7, 8, 9, 1] {
        #expect(nalUnits(try await client.accessUnit()) == bench.file.nalUnits(frame))
      }
      #expect(await bench.acted("no-key-frame"))
    }
  }

  @Test func noParameterSets() throws {
    try ServerBench.run(faults: [.noParameterSets]) { bench in
      let client = try await bench.client()
      let sdp = SDPSession(parsing: try await client.send("DESCRIBE", bench.url).body)
      #expect(sdp.media.first?.fmtp(96)?["sprop-parameter-sets"] == nil)
      try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp)
      try await client.send("PLAY", bench.url)
      #expect(nalUnits(try await client.accessUnit()) == bench.file.nalUnits(0))
      #expect(await bench.acted("no-parameter-sets"))
    }
  }

  @Test func startCodesInFragments() throws {
    try ServerBench.run(faults: [.annexBInFU]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var depacketizer = H264Depacketizer()
      var problems: [PayloadProblem] = []
      for packet in try await client.accessUnit() {
        for event in depacketizer.receive(packet.payload, timestamp: 0) {
          if case .problem(let problem) = event { problems.append(problem) }
        }
      }
      #expect(problems == [.startCode])
      #expect(await bench.acted("annexb-in-fu"))
    }
  }

  @Test func faultsMaySetInDuringASession() throws {
    try ServerBench.run { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      _ = try await client.accessUnit()
      await bench.server.setFaults([.status(500, at: "GET_PARAMETER"), .earlyBye(after: .zero)])
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 500)
      #expect(await bench.acted("early-bye"))
      await bench.server.setFaults([])
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 200)
    }
  }
}
