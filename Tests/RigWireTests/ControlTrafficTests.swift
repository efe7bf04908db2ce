import RigWire
import Testing

@Suite struct ControlTrafficTests {
  private let record = Array("\u{1E}{\"jsonrpc\":\"2.0\",\"method\":\"hb\",\"params\":{}}\n".utf8)

  /// - Parameter source: ports from 40,000 on are the harness's, all others the device's.
  private func tcp(_ payload: [UInt8], from source: Int, to destination: Int, flags: UInt8 = 0x18) -> [UInt8] {
    var packet = NetFrames.ipv4(
      NetFrames.tcp(payload, sequence: 1, flags: flags, from: source, to: destination), protocol: 6)
    if source >= 40_000 { packet.replaceSubrange(12..<20, with: packet[16..<20] + packet[12..<16]) }
    return NetFrames.ethernet(packet)
  }

  private func holds(_ traffic: inout ControlTraffic, _ frame: [UInt8]) -> Bool {
    traffic.holds(frame.span.bytes, link: .ethernet)
  }

  @Test func aConnectionIsKnownByItsFirstRecord() {
    var traffic = ControlTraffic()
    // The end of a record that began before the capture did.
    #expect(!holds(&traffic, tcp(Array("\"a\":1}}\n".utf8), from: 7066, to: 40_000)))
    #expect(holds(&traffic, tcp(record, from: 7066, to: 40_000)))
    // From then on both directions, whatever they hold.
    for payload in [[], [0x24, 0, 0, 4, 1, 2, 3, 4], Array("the rest of a record".utf8)] as [[UInt8]] {
      #expect(holds(&traffic, tcp(payload, from: 7066, to: 40_000)))
      #expect(holds(&traffic, tcp(payload, from: 40_000, to: 7066)))
    }
    #expect(!holds(&traffic, tcp(Array("OPTIONS * RTSP/1.0\r\n".utf8), from: 40_001, to: 554)))
  }

  /// As `adb` carries it: behind a header of its own; and with the members in another order.
  @Test(arguments: ["WRTE____\u{1}\u{1E}{\"jsonrpc\":\"2.0\"", "{\"method\":\"event\",\"jsonrpc\":\"2.0\"}"])
  func whereverTheRecordStands(_ text: String) {
    var traffic = ControlTraffic()
    #expect(holds(&traffic, tcp(Array(text.utf8), from: 5555, to: 40_000)))
  }

  @Test func portsThatAreUsedAgainBeginAnew() {
    var traffic = ControlTraffic()
    #expect(holds(&traffic, tcp(record, from: 7066, to: 40_000)))
    #expect(!holds(&traffic, tcp([], from: 40_000, to: 7066, flags: 0x02)))
    #expect(!holds(&traffic, tcp(Array("OPTIONS * RTSP/1.0\r\n".utf8), from: 40_000, to: 7066)))
  }

  @Test func onlyTCPAndOnlyWholeSigns() {
    var traffic = ControlTraffic()
    #expect(!holds(&traffic, NetFrames.ethernet(NetFrames.ipv4(NetFrames.udp(record), protocol: 17))))
    #expect(!holds(&traffic, tcp(Array("\"jsonrp".utf8), from: 1, to: 2)))
    #expect(!holds(&traffic, tcp(Array("\"\"\"jsonrpd\"".utf8), from: 1, to: 2)))
    #expect(!holds(&traffic, []))
  }

  @Test func aFloodOfConnectionsIsBounded() {
    var traffic = ControlTraffic()
    for port in 1...2_000 { #expect(holds(&traffic, tcp(record, from: 7066, to: port))) }
    #expect(holds(&traffic, tcp(record, from: 7066, to: 1)))
  }
}
