import RigModel

@testable import RigLinks

/// Ethernet frames as bytes: destination, source, EtherType, and what the impairments look at behind it.
enum Frames {
  static let ethernet: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]

  /// An IPv4 packet of `size` bytes with the protocol number; `mark` stands in its last four bytes.
  static func ip(_ proto: UInt8, size: Int = 100, mark: UInt32 = 0) -> [UInt8] {
    var packet: [UInt8] = [0x45, 0, 0, 0, 0, 0, 0, 0, 64, proto]
    packet += [UInt8](repeating: 0, count: size - packet.count)
    for i in 0..<4 { packet[size - 4 + i] = UInt8(truncatingIfNeeded: mark >> (24 - 8 * UInt32(i))) }
    return ethernet + [0x08, 0x00] + packet
  }

  static func udp(_ mark: Int, size: Int = 100) -> [UInt8] { ip(17, size: size, mark: UInt32(mark)) }
  static func tcp(_ mark: Int) -> [UInt8] { ip(6, mark: UInt32(mark)) }
  static let arp: [UInt8] = ethernet + [0x08, 0x06] + [UInt8](repeating: 1, count: 28)

  static func mark(_ frame: [UInt8]) -> Int { Int(frame.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) }
}

extension Percent {
  static func of(_ percent: Double) -> Percent { Percent(fraction: percent / 100) }
}

extension HostTime {
  static func ms(_ milliseconds: Double) -> HostTime { HostTime(nanoseconds: Int64(milliseconds * 1e6)) }
}

extension AirPath {
  init(_ impairment: Impairment, seed: UInt64 = 1) {
    self.init(seed: seed)
    self.impairment = impairment
  }

  /// Everything that leaves until `time`, with the moment at which it was due.
  mutating func drain(until time: HostTime) -> [(frame: [UInt8], at: HostTime)] {
    var out: [(frame: [UInt8], at: HostTime)] = []
    while let next, next <= time { while let frame = pop(at: next) { out.append((frame, next)) } }
    return out
  }

  /// UDP frames numbered from 0, one each `spacing`, and what comes out of them.
  mutating func send(_ count: Int, each spacing: Duration = .milliseconds(1)) -> [Int] {
    var out: [Int] = []
    var now = HostTime.zero
    for i in 0..<count {
      out += drain(until: now).map { Frames.mark($0.frame) }
      admit(Frames.udp(i), at: now)
      now = now + spacing
    }
    return out + drain(until: now + .seconds(100)).map { Frames.mark($0.frame) }
  }
}
