import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPMediaTests {
  /// 25 pictures are two and a half rounds of the clip.
  @Test func sequenceAndTimeGoOnAcrossTheLoop() throws {
    try ServerBench.run { bench in
      let (client, play) = try await bench.playing()
      let info = RTPInfoHeader(parsing: play.headers["RTP-Info"] ?? "")
      try #require(info.streams.count == 2)
      var sequence = info.streams[0].sequence ?? 0
      let start = info.streams[0].rtpTime ?? 0
      for frame in 0..<25 {
        let unit = try await client.accessUnit()
        for packet in unit {
          #expect(packet.header.sequence == sequence)
          #expect(packet.header.timestamp == start &+ UInt32(frame * 1800))
          sequence &+= 1
        }
        let sets = frame % 5 == 0 ? [ClipFile.sps, ClipFile.pps] : []
        #expect(nalUnits(unit) == sets + bench.file.nalUnits(frame % 10))
      }
      let sound = info.streams[1]
      for frame in 0..<25 {
        let packet = try await client.packet(2)
        #expect(packet.header.sequence == (sound.sequence ?? 0) &+ UInt16(frame))
        #expect(packet.header.timestamp == (sound.rtpTime ?? 0) &+ UInt32(frame * 1024))
        #expect(packet.header.marker && packet.header.payloadType == 97)
        let payload = AACPayload(parsing: packet.payload, sizes: .highBitRate)
        #expect(payload.problems.isEmpty)
        #expect(payload.units.map { Array(packet.payload[$0.range]) } == [bench.file.audio(frame % 10)])
      }
    }
  }

  @Test func senderReportsFollowTheFirstPacketAndMapTimeConsistently() throws {
    let wall: Int64 = 1_900_000_000_000_000_000
    let options = RTSPServerOptions(reportInterval: .milliseconds(60), wallClock: wall)
    try ServerBench.run(options: options) { bench in
      let (client, play) = try await bench.playing()
      let info = RTPInfoHeader(parsing: play.headers["RTP-Info"] ?? "")
      for (channel, stream) in [(UInt8(0), 0), (2, 1)] {
        let rate = stream == 0 ? 90_000.0 : 48_000.0
        let packet = try await client.packet(channel)
        let compound = try await client.reports(channel + 1)
        #expect(compound.problems.isEmpty && compound.packets.count == 2)
        let first = try #require(compound.senderReport)
        #expect(first.ssrc == packet.header.ssrc && first.packetCount == 1)
        #expect(first.octetCount == UInt32(packet.payload.count))
        #expect(first.ntp.unixNanoseconds >= wall)
        // The first packet and its report name the same moment but for the time it took to send.
        let lead = first.rtpTime &- (info.streams[stream].rtpTime ?? 0)
        #expect(lead < UInt32(rate))
        for _ in 0..<2 {
          let later = try #require(try await client.reports(channel + 1).senderReport)
          let seconds = Double(later.ntp.nanoseconds(since: first.ntp)) / 1e9
          let ticks = Double(later.rtpTime &- first.rtpTime)
          #expect(abs(ticks - seconds * rate) <= 2)
          #expect(later.packetCount > first.packetCount)
        }
      }
    }
  }

  @Test func bothTracksShareOneClock() throws {
    try ServerBench.run { bench in
      let (client, play) = try await bench.playing()
      let info = RTPInfoHeader(parsing: play.headers["RTP-Info"] ?? "")
      func start(_ stream: Int, _ rate: Double) async throws -> Double {
        let report = try #require(try await client.reports(UInt8(2 * stream + 1)).senderReport)
        let lead = Double(report.rtpTime &- (info.streams[stream].rtpTime ?? 0)) / rate
        return Double(report.ntp.unixNanoseconds % 1_000_000_000_000) / 1e9 - lead
      }
      let video = try await start(0, 90_000)
      let audio = try await start(1, 48_000)
      #expect(abs(video - audio) < 0.001)
    }
  }

  @Test func aPausedSessionGoesOnAtAKeyFrameWithTimeOfTheClock() throws {
    try ServerBench.run { bench in
      let (client, first) = try await bench.playing(tracks: [0])
      let before = RTPInfoHeader(parsing: first.headers["RTP-Info"] ?? "")
      for _ in 0..<7 { _ = try await client.accessUnit() }
      #expect(try await client.send("PAUSE", bench.url).status == 200)
      let again = try await client.send("PLAY", bench.url)
      let after = try #require(RTPInfoHeader(parsing: again.headers["RTP-Info"] ?? "").streams.first)
      // What was sent before the pause took effect is read first.
      var unit = try await client.accessUnit()
      while unit[0].header.sequence != after.sequence { unit = try await client.accessUnit() }
      #expect(unit[0].header.timestamp == after.rtpTime)
      #expect(nalUnits(unit).map { $0[0] & 31 } == [7, 8, 6, 5])
      let passed = (after.rtpTime ?? 0) &- (before.streams[0].rtpTime ?? 0)
      #expect(passed >= 6 * 1800 && passed < 90_000 * 9)
    }
  }

  @Test func aSilentSessionExpires() throws {
    let options = RTSPServerOptions(sessionTimeout: 9, expiry: .milliseconds(150))
    try ServerBench.run(options: options) { bench in
      let (client, _) = try await bench.playing()
      #expect(await bench.ended() == .expired)
      // The connection lives on; the session does not.
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 454)
    }
  }

  @Test func receiverReportsKeepASessionAlive() throws {
    let options = RTSPServerOptions(expiry: .milliseconds(500))
    try ServerBench.run(options: options) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      let report = RTCPPacket.receiverReport(.init(ssrc: 1)).bytes
      // 35 pictures last 0.7 s: longer than the session would live without reports.
      for _ in 0..<35 {
        _ = try await client.accessUnit()
        try await client.stream.write(try #require(RTSPMessage.interleaved(channel: 1, report)))
      }
      #expect(try await client.send("GET_PARAMETER", bench.url).status == 200)
    }
  }

  @Test func closingTheConnectionEndsAnInterleavedSession() throws {
    try ServerBench.run { bench in
      let (client, _) = try await bench.playing()
      client.stream.close()
      #expect(await bench.ended() == .connectionClosed)
    }
  }

  @Test func stoppingSaysGoodbye() throws {
    try ServerBench.run { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      _ = try await client.accessUnit()
      await bench.server.stop()
      var isBye = false
      while !isBye { isBye = try await client.reports().isBye }
      #expect(await client.isClosedByServer())
      #expect(await bench.server.address == nil)
    }
  }

  @Test func severalClientsEachHaveTheirOwnStream() throws {
    try ServerBench.run { bench in
      var ssrcs: Set<UInt32> = []
      var clients: [RTSPTestClient] = []
      for _ in 0..<20 { clients.append(try await bench.playing(tracks: [0]).client) }
      for client in clients {
        let unit = try await client.accessUnit()
        ssrcs.insert(unit[0].header.ssrc)
        #expect(nalUnits(unit).last == bench.file.nalUnits(0).last)
      }
      #expect(ssrcs.count == 20)
      #expect(await bench.server.statistics.sessions.count == 20)
    }
  }

  /// Nobody reads until the server leaves units out: framing holds, and the video takes up at a key frame.
  @Test func aSlowReaderLosesWholeUnitsUpToAKeyFrame() throws {
    let file = ClipFile(keySize: 400_000)
    let options = RTSPServerOptions(queueLimit: 64 * 1024)
    try ServerBench.run(file: file, options: options) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      let slow = await bench.event { if case .readerTooSlow = $0 { true } else { false } }
      #expect(slow != nil)
      var sequence: UInt16?
      var time: UInt32?
      var jumps = 0
      while jumps == 0 {
        let unit = try await client.accessUnit()
        for packet in unit {
          if let sequence { #expect(packet.header.sequence == sequence) }
          sequence = packet.header.sequence &+ 1
        }
        if let time, unit[0].header.timestamp &- time != 1800 {
          jumps += 1
          #expect(nalUnits(unit).map { $0[0] & 31 } == [7, 8, 6, 5])
        }
        time = unit[0].header.timestamp
      }
      #expect(client.damage.isEmpty)
    }
  }
}
