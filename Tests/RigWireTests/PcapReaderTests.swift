import RigWire
import Testing

@Suite struct PcapReaderTests {
  private func read(_ file: [UInt8], chunk: Int) -> (packets: [(CapturedPacket, [UInt8])], error: CaptureError?) {
    var reader = CaptureReader()
    var packets: [(CapturedPacket, [UInt8])] = []
    do throws(CaptureError) {
      var at = 0
      while at < file.count {
        let end = min(at + chunk, file.count)
        reader.push(file[at..<end])
        at = end
        while let packet = try reader.next() { packets.append((packet, Array(reader.buffer[packet.range]))) }
      }
      try reader.finish()
    } catch { return (packets, error) }
    return (packets, nil)
  }

  private func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  private func big(_ value: UInt32) -> [UInt8] { little(value).reversed() }

  private func pcap(magic: UInt32, order: (UInt32) -> [UInt8], fraction: UInt32) -> [UInt8] {
    let version: [UInt8] = order(1).first == 0 ? [0, 2, 0, 4] : [2, 0, 4, 0]
    let head = order(magic) + version + order(0) + order(0) + order(262_144)
    return head + order(1) + order(1_700_000_000) + order(fraction) + order(3) + order(60) + [1, 2, 3]
      + order(1_700_000_001) + order(0) + order(0) + order(0)
  }

  @Test func classicPcapInBothOrdersAndUnits() {
    for (magic, fraction) in [(UInt32(0xa1b2_c3d4), UInt32(5)), (0xa1b2_3c4d, 5_000)] {
      for order in [little, big] {
        let file = pcap(magic: magic, order: order, fraction: fraction)
        for chunk in [1, 7, file.count] {
          let (packets, error) = read(file, chunk: chunk)
          #expect(error == nil)
          #expect(packets.map(\.0.number) == [1, 2])
          #expect(packets.first?.0.time == 1_700_000_000_000_005_000)
          #expect(packets.first?.0.originalLength == 60)
          #expect(packets.first?.0.linkType == .ethernet)
          #expect(packets.first?.1 == [1, 2, 3])
        }
      }
    }
  }

  @Test func truncatedTailKeepsWhatWasRead() {
    let file = Array(pcap(magic: 0xa1b2_c3d4, order: little, fraction: 0).dropLast(4))
    let (packets, error) = read(file, chunk: 5)
    #expect(packets.count == 1)
    #expect(error == CaptureError(.truncated, at: 43))
  }

  @Test func notACapture() {
    #expect(read(Array("plan: x\n".utf8), chunk: 3).error?.reason == .notACapture)
    #expect(read([], chunk: 1).error?.reason == .notACapture)
  }

  @Test func nonsenseLengthIsAnErrorNotAnAllocation() {
    var file = pcap(magic: 0xa1b2_c3d4, order: little, fraction: 0)
    file.replaceSubrange(32..<36, with: little(0xffff_fff0))
    #expect(read(file, chunk: 64).error == CaptureError(.badLength(0xffff_fff0), at: 24))
  }

  private func writerFile() -> [UInt8] {
    var writer = PcapngWriter()
    var file = writer.sectionHeader(hardware: "rig", os: "Linux", application: "streamrig")
    file += writer.interface(name: "lo", linkType: .ethernet, snapLength: 262_144, description: "loopback")
    file += writer.interface(name: PcapngWriter.rigInterfaceName, linkType: .user0)
    file += writer.packet(
      interface: 0, time: 1_700_000_000_123_456_789, bytes: ([1, 2, 3, 4, 5] as [UInt8]).span.bytes)
    file += writer.packet(interface: 1, time: 7, bytes: [UInt8]().span.bytes, comment: "stage play begins")
    file += writer.packet(interface: 0, time: 8, bytes: ([9] as [UInt8]).span.bytes, originalLength: 1500)
    file += writer.statistics(interface: 0, time: 9, received: 3, dropped: 2)
    return file
  }

  @Test func pcapngRoundTripInAnyChunking() {
    let file = writerFile()
    #expect(file.count % 4 == 0)
    for chunk in [1, 3, 16, 4096] {
      let (packets, error) = read(file, chunk: chunk)
      #expect(error == nil)
      #expect(packets.map(\.1) == [[1, 2, 3, 4, 5], [], [9]])
      #expect(packets.map(\.0.time) == [1_700_000_000_123_456_789, 7, 8])
      #expect(packets.map(\.0.linkType) == [.ethernet, .user0, .ethernet])
      #expect(packets.map(\.0.originalLength) == [5, 0, 1500])
      #expect(packets[1].0.comment == "stage play begins")
    }
    var reader = CaptureReader()
    reader.push(file)
    while (try? reader.next()) != nil {}
    #expect(reader.interfaces.map(\.name) == ["lo", "rig"])
    #expect(reader.interfaces.first?.received == 3)
    #expect(reader.reportedDrops == 2)
  }

  @Test func secondSectionMayHaveTheOtherByteOrder() {
    // SHB, IDB (link type 101, tsresol 10^-3), SPB-less EPB; all big-endian.
    let section: [UInt8] =
      [0x0a, 0x0d, 0x0d, 0x0a] + big(28) + big(0x1a2b_3c4d) + [0, 1, 0, 0] + big(0xffff_ffff) + big(0xffff_ffff)
      + big(28)
    let interface: [UInt8] =
      big(1) + big(32) + [0, 101, 0, 0] + big(96) + [0, 9, 0, 1, 3, 0, 0, 0] + [0, 0, 0, 0] + big(32)
    let packet: [UInt8] = big(6) + big(36) + big(0) + big(0) + big(1500) + big(2) + big(2) + [7, 8, 0, 0] + big(36)
    let simple: [UInt8] = big(3) + big(20) + big(1) + [5, 0, 0, 0] + big(20)
    let old: [UInt8] = big(2) + big(36) + [0, 0, 0, 0] + big(0) + big(1) + big(1) + big(1) + [6, 0, 0, 0] + big(36)
    let (packets, error) = read(writerFile() + section + interface + packet + simple + old, chunk: 11)
    #expect(error == nil)
    #expect(packets.map(\.0.number) == [1, 2, 3, 4, 5, 6])
    #expect(packets[3].0.time == 1_500_000_000)
    #expect(packets[3].0.linkType == .raw)
    #expect(packets[4].1 == [5])
    #expect(packets[5].1 == [6])
    #expect(packets[5].0.time == 1_000_000)
  }

  @Test func damageIsLocated() {
    let file = writerFile()
    var trailer = file
    trailer[trailer.count - 1] ^= 1
    let (packets, error) = read(trailer, chunk: 4096)
    #expect(packets.count == 3)
    #expect(error.map { $0.offset > 0 } == true)

    var unknown = PcapngWriter()
    _ = unknown.interface(name: "x", linkType: .ethernet)
    let stray =
      PcapngWriter().sectionHeader() + unknown.packet(interface: 0, time: 0, bytes: ([1] as [UInt8]).span.bytes)
    #expect(read(stray, chunk: 4096).error == CaptureError(.unknownInterface(0), at: 28))
  }

  @Test func noBentByteTraps() {
    let file = writerFile()
    for position in file.indices {
      for value in [UInt8(0), 0x7f, 0xff] {
        var bent = file
        bent[position] = value
        _ = read(bent, chunk: 64)
      }
    }
  }

  @Test func fillReadsStraightIntoTheBuffer() throws {
    let file = writerFile()
    var reader = CaptureReader()
    var at = 0
    var count = 0
    while true {
      let got = reader.fill(upTo: 50) { target in
        let part = min(target.count, file.count - at)
        target.copyBytes(from: file[at..<at + part])
        at += part
        return part
      }
      if got == 0 { break }
      while try reader.next() != nil { count += 1 }
    }
    try reader.finish()
    #expect(count == 3)
  }
}
