import RigLoop
import RigWire

/// Packets of one unit on their way out: datagrams leave at once, interleaved frames are gathered for one write.
struct MediaOutput {
  private let route: SessionTrack.Route
  /// Whole frames `$ channel length payload` (RFC 2326 10.12).
  private(set) var interleaved: [UInt8] = []
  /// Datagrams that the kernel did not take.
  private(set) var refused = 0
  /// A packet that waits to be overtaken by the next one (a fault).
  private var held: [UInt8]?

  /// - Parameter capacity: bytes to expect on an interleaved connection.
  init(_ route: SessionTrack.Route, capacity: Int = 0) {
    self.route = route
    if case .interleaved = route { interleaved.reserveCapacity(capacity) }
  }

  mutating func addRTP(_ header: RTPHeader, _ payload: [UInt8]) {
    switch route {
    case .udp(let udp): if udp.rtp.send(header.packet(payload), to: udp.peerRTP) != 0 { refused += 1 }
    case .interleaved(let channel, _):
      addFrameHead(channel, 12 + payload.count)
      interleaved += header.packet([])
      interleaved += payload
    }
  }

  /// A packet that a fault has changed.
  mutating func addRTP(_ header: RTPHeader, _ payload: [UInt8], _ deviation: PacketDeviation) {
    var packet = header.packet(payload)
    if deviation.padding > 0 {
      // RFC 3550 5.1: the last byte tells how many there are, itself included.
      packet[0] |= 0x20
      packet += [UInt8](repeating: 0, count: Int(deviation.padding) - 1) + [deviation.padding]
    }
    if deviation.isHeld, held == nil {
      held = packet
      return
    }
    emit(packet, channel: deviation.channel)
    addHeld()
    if deviation.comesAgain { held = packet }
  }

  /// Sends what still waits to be overtaken.
  mutating func addHeld() {
    guard let packet = held else { return }
    held = nil
    emit(packet)
  }

  private mutating func emit(_ packet: [UInt8], channel: UInt8? = nil) {
    switch route {
    case .udp(let udp): if udp.rtp.send(packet, to: udp.peerRTP) != 0 { refused += 1 }
    case .interleaved(let own, _):
      addFrameHead(channel ?? own, packet.count)
      interleaved += packet
    }
  }

  mutating func addRTCP(_ compound: [UInt8]) {
    switch route {
    case .udp(let udp): if udp.rtcp.send(compound, to: udp.peerRTCP) != 0 { refused += 1 }
    case .interleaved(_, let channel):
      addFrameHead(channel, compound.count)
      interleaved += compound
    }
  }

  /// Bytes that are no frame (a fault); nothing over UDP.
  mutating func addGarbage(_ bytes: [UInt8]) {
    if case .interleaved = route { interleaved += bytes }
  }

  private mutating func addFrameHead(_ channel: UInt8, _ count: Int) {
    interleaved.append(0x24)
    interleaved.append(channel)
    interleaved.append(UInt8(truncatingIfNeeded: count >> 8))
    interleaved.append(UInt8(truncatingIfNeeded: count))
  }
}
