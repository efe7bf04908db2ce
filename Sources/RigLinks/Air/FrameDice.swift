import RigModel

/// The decisions about frames: the same for the same seed, kind of frame and number, whatever came between.
///
/// Each kind of traffic has a count of its own, so that an ARP request or an acknowledgement more or less does not change
/// which RTP packets are lost. Each question has a stream of its own, so that asking for corruption does not change which
/// frames are lost, and a higher loss loses the frames that a lower one loses, and more.
struct FrameDice: Sendable {
  enum Question: UInt64 { case loss = 1, jitter, reorder, overtakers, duplicate, corrupt, position, bit }

  /// Kinds of traffic.
  enum Lane: UInt64, CaseIterable { case other = 1, udp, tcp, icmp }

  let seed: UInt64

  func roll(_ question: Question, _ lane: Lane, _ number: Int) -> UInt64 {
    SplitMix64.number(number, from: SplitMix64.mix(seed ^ SplitMix64.mix(question.rawValue << 8 | lane.rawValue)))
  }

  /// In 0..<1.
  func share(_ question: Question, _ lane: Lane, _ number: Int) -> Double {
    Double(roll(question, lane, number) >> 11) * 0x1p-53
  }
}

extension FrameDice.Lane {
  private static let etherHeader = 14

  /// By EtherType and, for IPv4, protocol number.
  init(of frame: [UInt8]) {
    guard Self.isIP(frame), frame.count > Self.etherHeader + 9, frame[12] == 0x08 else {
      self = .other
      return
    }
    switch frame[Self.etherHeader + 9] {
    case 1: self = .icmp
    case 6: self = .tcp
    case 17: self = .udp
    default: self = .other
    }
  }

  /// EtherType 0x0800 or 0x86DD.
  static func isIP(_ frame: [UInt8]) -> Bool {
    guard frame.count > etherHeader else { return false }
    return (frame[12] == 0x08 && frame[13] == 0x00) || (frame[12] == 0x86 && frame[13] == 0xDD)
  }
}
