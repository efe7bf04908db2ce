import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPPacketFaultTests {
  /// The first video packets of a session with this fault.
  private func packets(_ fault: RTSPFault, _ count: Int) throws -> [RTPPacket] {
    try ServerBench.run(faults: [fault]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      var packets: [RTPPacket] = []
      for _ in 0..<count { packets.append(try await client.packet()) }
      #expect(await bench.acted(fault.name))
      return packets
    }
  }

  private func steps(_ fault: RTSPFault, _ count: Int) throws -> [UInt16] {
    let numbers = try packets(fault, count).map(\.header.sequence)
    return numbers.map { $0 &- numbers[0] }
  }

  @Test func packetsComeTwiceOrOutOfOrder() throws {
    #expect(try steps(.duplicatePackets(every: 3), 6) == [0, 1, 2, 3, 2, 4])
    // The sixth packet ends the access unit and is not held back.
    #expect(try steps(.reorderPackets(every: 3), 7) == [0, 1, 3, 2, 4, 5, 6])
  }

  @Test(arguments: [Duration.seconds(10), .seconds(-10)])
  func timeStampsJump(by: Duration) throws {
    // Picture 0 has six packets, the others one.
    let times = try packets(.timestampJump(after: 7, by: by), 9).map(\.header.timestamp)
    let jump = UInt32(truncatingIfNeeded: Int(by.inSeconds) * 90_000)
    #expect(times.map { $0 &- times[0] }[6...] == [1800, 3600 &+ jump, 5400 &+ jump])
  }

  @Test func headersAreUnusual() throws {
    #expect(try packets(.wrongPayloadType(every: 2), 4).map(\.header.payloadType) == [96, 120, 96, 120])
    let padded = try packets(.padding(every: 2, bytes: 9), 4)
    #expect(padded.map(\.header.hasPadding) == [false, true, false, true])
    #expect(padded[1].payload == ClipFile.pps && padded[1].header.flaw == nil)
    // SPS, PPS, SEI; the IDR picture's first two fragments; its last.
    #expect(
      try packets(.markerPerNAL, 6).map(\.header.marker) == [true, true, true, false, false, true])
  }

  @Test func packetsAreLargerThanAnyFrame() throws {
    let sizes = try packets(.oversize, 4).map(\.payload.count)
    #expect(sizes.max() == 4000)
  }

  @Test func packetsAreOnAChannelThatNobodyAssigned() throws {
    try ServerBench.run(faults: [.unknownChannel(every: 4)]) { bench in
      let (client, _) = try await bench.playing(tracks: [0])
      let stray = try await client.packet(250)
      let first = try await client.packet(0)
      #expect(stray.header.sequence == first.header.sequence &+ 3)
      #expect(await bench.acted("unknown-channel"))
    }
  }
}
