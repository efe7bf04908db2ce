import RigModel
import RigBytes
import RigWire
import Testing

@Suite struct RTPHeaderTests {
  @Test func extensionSkipped() throws {
    let packet = hex("90e00001000000000a0b0c0d abac0003 010101010101010101010101 6588")
    let header = try RTPHeader(parsing: packet)
    #expect(packet[header.payload.lowerBound] == 0x65)
    #expect(header.extensionProfile == 0xABAC)
    #expect(header.extensionRange == 16..<28)
    #expect(header.marker)
    #expect(header.payloadType == 96)
    #expect(header.ssrc == 0x0A0B_0C0D)
    #expect(header.flaw == nil)
  }

  @Test func csrcsAndPadding() throws {
    let packet = hex("b2600001000000000a0b0c0d 00000001 00000002 bede0000 4142 000003")
    let header = try RTPHeader(parsing: packet)
    #expect(header.payload == 24..<26)
    #expect(header.csrcs(in: packet.span.bytes) == [1, 2])
  }

  @Test(arguments: [
    ("a0600001000000000a0b0c0d4100", RTPHeader.Flaw.padding(0), 12..<14),
    ("a0600001000000000a0b0c0d4105", .padding(5), 12..<14), ("8f600001000000000a0b0c0d4142", .csrcOverrun, 14..<14),
    ("90600001000000000a0b0c0dabac0002 41424344", .extensionOverrun, 20..<20),
    ("90600001000000000a0b0c0dab", .extensionOverrun, 13..<13),
  ])
  func flaws(text: String, flaw: RTPHeader.Flaw, payload: Range<Int>) throws {
    let header = try RTPHeader(parsing: hex(text))
    #expect(header.flaw == flaw)
    #expect(header.payload == payload)
  }

  @Test func refuses() {
    #expect(throws: RTPHeaderError.tooShort(11)) { try RTPHeader(parsing: hex("80e00001000000000a0b0c")) }
    #expect(throws: RTPHeaderError.version(1)) { try RTPHeader(parsing: hex("40e00001000000000a0b0c0d")) }
  }

  @Test func writtenReadsBack() throws {
    let header = RTPHeader(payloadType: 97, marker: true, sequence: 65535, timestamp: .max, ssrc: 7)
    let packet = header.packet([1, 2])
    var back = try RTPHeader(parsing: packet)
    #expect(back.payload == 12..<14)
    back.payload = header.payload
    #expect(back == header)
  }
}

@Suite struct RTCPTests {
  @Test func overrun() {
    let compound = RTCPCompound(parsing: hex("85c80006 0a0b0c0d 00000000 00000000 00000000 00000001 00000010"))
    #expect(compound.problems.map(\.kind) == [.countOverrun(needed: 148, available: 28), .noCNAME])
    guard case .senderReport(let report)? = compound.packets.first else {
      Issue.record("no sender report")
      return
    }
    #expect(report.octetCount == 16)
    #expect(report.reports.isEmpty)
    let long = RTCPCompound(parsing: hex("81c90063 0a0b0c0d 00"))
    #expect(long.problems.first?.kind == .lengthOverrun(needed: 400, available: 9))
  }

  @Test func writtenReadsBack() {
    let block = RTCPPacket.ReportBlock(
      ssrc: 9, fractionLost: 3, cumulativeLost: -2, highestSequence: 70000, jitter: 4, lastSR: 5, delaySinceLastSR: 6)
    let packets: [RTCPPacket] = [
      .senderReport(
        .init(
          ssrc: 1, ntp: NTPTime(seconds: 3, fraction: 1 << 31), rtpTime: 90, packetCount: 2, octetCount: 3,
          reports: [block])),
      .receiverReport(.init(ssrc: 1, reports: [block])),
      .sourceDescription([.init(ssrc: 1, cname: "abcdef"), .init(ssrc: 2, cname: "a@b")]),
      .app(subtype: 3, ssrc: 1, name: "rig ", data: [1, 2, 3, 4]), .bye(ssrcs: [1, 2], reason: "done"),
      .unknown(type: 206, count: 1, body: [0, 0, 0, 1, 0, 0, 0, 2]),
    ]
    let compound = RTCPCompound(parsing: RTCPPacket.compound(packets))
    #expect(compound.packets == packets)
    #expect(compound.problems.isEmpty)
    #expect(compound.entries[1].offset == 52)
  }

  @Test func firstMustBeReport() {
    let compound = RTCPCompound(parsing: RTCPPacket.bye(ssrcs: [1], reason: nil).bytes)
    #expect(compound.problems.map(\.kind) == [.firstIsNoReport, .noCNAME])
    #expect(RTCPCompound(parsing: hex("40c80000")).problems.map(\.kind) == [.version(1)])
    #expect(RTCPCompound(parsing: hex("80c8")).problems.map(\.kind) == [.truncatedHead])
  }

  @Test func ntp() {
    let time = NTPTime(unixNanoseconds: 1_700_000_000_500_000_000)
    #expect(time.seconds == 3_908_988_800)
    #expect(time.fraction == 1 << 31)
    #expect(time.unixNanoseconds == 1_700_000_000_500_000_000)
    #expect(NTPTime(unixNanoseconds: -1).unixNanoseconds == -1)
    let earlier = NTPTime(seconds: 3_908_988_799, fraction: 3 << 30)
    #expect(time.nanoseconds(since: earlier) == 750_000_000)
    #expect(earlier.nanoseconds(since: time) == -750_000_000)
    #expect(NTPTime(seconds: 0, fraction: 0).nanoseconds(since: NTPTime(seconds: .max, fraction: 0)) == 1_000_000_000)
  }

  @Test func mutations() {
    var random = SplitMix64(seed: 13)
    let base = RTCPPacket.compound([
      .senderReport(.init(ssrc: 1, ntp: NTPTime(raw: 5), rtpTime: 90, packetCount: 2, octetCount: 3)),
      .sourceDescription([.init(ssrc: 1, cname: "camera")]), .bye(ssrcs: [1], reason: "x"),
    ])
    for _ in 0..<5000 {
      let bytes = mutated(base, &random)
      let compound = RTCPCompound(parsing: bytes)
      #expect(compound.entries.count <= bytes.count / 4)
      _ = RTCPPacket.compound(compound.packets)
      _ = try? RTPHeader(parsing: bytes)
    }
  }
}

@Suite struct SequenceTrackerTests {
  func run(_ numbers: [Int]) -> (SequenceTracker, [SequenceTracker.Outcome]) {
    var tracker = SequenceTracker()
    let outcomes = numbers.map { tracker.receive(UInt16(truncatingIfNeeded: $0)) }
    return (tracker, outcomes)
  }

  @Test func wrapIsNoFinding() {
    let (tracker, outcomes) = run(Array(65530...65540))
    #expect(outcomes.dropFirst().allSatisfy { $0 == .inOrder })
    #expect(tracker.wraps == 1)
    #expect(tracker.lost == 0)
  }

  @Test func zeroSkippedAtWrap() {
    let (tracker, outcomes) = run([65534, 65535, 1, 2])
    #expect(outcomes[2] == .gap(missing: 1, acrossWrap: true))
    #expect(tracker.lost == 1)
  }

  @Test func duplicatesDoNotHideLoss() {
    let (tracker, _) = run([1, 2, 2, 2, 5, 5, 6])
    #expect(tracker.lost == 2)
    #expect(tracker.duplicates == 3)
    #expect(tracker.received == 4)
    #expect(tracker.expected == 6)
  }

  @Test func lateFillsTheGap() {
    let (tracker, outcomes) = run([10, 13, 11, 12, 14, 11])
    #expect(
      outcomes == [
        .first, .gap(missing: 2, acrossWrap: false), .late(behind: 2), .late(behind: 1), .inOrder, .duplicate,
      ])
    #expect(tracker.lost == 0)
    #expect(tracker.late == 2)
  }

  /// A late number is no duplicate of the one that had its place in the window before.
  @Test func windowIsReused() {
    let (tracker, outcomes) = run(Array(0..<2000) + [2100, 2050, 2050])
    #expect(outcomes.suffix(2) == [.late(behind: 50), .duplicate])
    #expect(tracker.lost == 99)
  }

  @Test func startsReordered() {
    let (tracker, outcomes) = run([0, 65535, 1])
    #expect(outcomes[1] == .late(behind: 1))
    #expect(tracker.lost == 0)
    #expect(tracker.received == 3)
  }

  @Test func restartForward() {
    let (tracker, outcomes) = run([0x9C40, 0x0A, 0x0B, 0x0C])
    #expect(outcomes == [.first, .suspect(jump: 25546), .restart(first: 10), .inOrder])
    #expect(tracker.restarts == 1)
    #expect(tracker.lost == 0)
    #expect(tracker.received == 4)
    #expect(tracker.strays == 0)
  }

  @Test func strayIsNoRestart() {
    let (tracker, _) = run([100, 101, 50_000, 102, 103])
    #expect(tracker.restarts == 0)
    #expect(tracker.strays == 1)
    #expect(tracker.lost == 0)
  }

  @Test func restartInsideTheWindow() {
    let (tracker, outcomes) = run(Array(0...200) + Array(0...300))
    #expect(outcomes.filter { $0 == .restart(first: 0) }.count == 1)
    #expect(tracker.received == 502)
    #expect(tracker.duplicates == 0)
    #expect(tracker.lost == 0)
  }

  @Test func everyPacketTwice() {
    let (tracker, _) = run((0..<500).flatMap { [$0, $0] })
    #expect(tracker.restarts == 0)
    #expect(tracker.duplicates == 500)
    #expect(tracker.received == 500)
  }

  @Test func lossBeforeRestartIsKept() {
    let (tracker, _) = run([1, 2, 5, 40_000, 40_001, 40_003])
    #expect(tracker.lost == 3)
    #expect(tracker.restarts == 1)
  }

  @Test func jitter() {
    var steady = JitterEstimator(clockRate: 90_000)
    var uneven = JitterEstimator(clockRate: 90_000)
    for index in 0..<200 {
      let time = UInt32(truncatingIfNeeded: Int(UInt32.max) - 9000 + index * 3000)
      steady.receive(timestamp: time, arrival: Int64(index) * 33_333_333)
      uneven.receive(timestamp: time, arrival: Int64(index) * 33_333_333 + (index % 2 == 0 ? 0 : 10_000_000))
    }
    #expect(steady.units == 0)
    // 10 ms to and fro is 900 units at 90 kHz.
    #expect((895...900).contains(uneven.jitter))
  }
}
