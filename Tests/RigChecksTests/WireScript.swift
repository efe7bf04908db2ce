import RigChecks
import RigModel
import RigWire

/// Frames of a made-up conversation between a client (10.0.0.2) and a server (10.0.0.1), in capture order.
struct WireScript {
  static let clientAddress: [UInt8] = [10, 0, 0, 2]
  static let serverAddress: [UInt8] = [10, 0, 0, 1]

  var time: Int64 = 1_700_000_000_000_000_000
  private(set) var frames: [(time: Int64, bytes: [UInt8])] = []
  /// The sequence numbers that come next.
  var clientNext: UInt32 = 1000
  private(set) var serverNext: UInt32 = 0xffff_ff00
  /// What a side acknowledges from now on; `nil`: all that the other one sent.
  var clientAcknowledges: UInt32?
  var serverAcknowledges: UInt32?
  var clientPort = 40_000
  var serverPort = 554

  private func be16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
  private func be32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  mutating func wait(_ seconds: Double) { time += Int64(seconds * 1e9) }

  private mutating func ethernet(_ transport: [UInt8], protocol number: UInt8, fromServer: Bool) {
    let source = fromServer ? Self.serverAddress : Self.clientAddress
    let destination = fromServer ? Self.clientAddress : Self.serverAddress
    let head: [UInt8] = Array(repeating: 2, count: 12) + [8, 0, 0x45, 0] + be16(20 + transport.count)
    frames.append((time, head + [0, 1, 0, 0, 64, number, 0, 0] + source + destination + transport))
    time += 100_000
  }

  /// One TCP segment, or several where it exceeds an IP datagram.
  /// - Parameters:
  ///   - lost: sent, and not in the capture.
  ///   - sequence: sent again: the number that it had before.
  ///   - sack: what it acknowledges beyond (RFC 2018).
  mutating func segment(
    _ bytes: [UInt8], fromServer: Bool, flags: UInt8 = 0x18, lost: Bool = false, sequence: UInt32? = nil,
    sack: [(from: UInt32, to: UInt32)] = []
  ) {
    guard bytes.count <= 60_000 else {
      segment(Array(bytes[..<60_000]), fromServer: fromServer, flags: flags, lost: lost)
      segment(Array(bytes[60_000...]), fromServer: fromServer, flags: flags, lost: lost)
      return
    }
    let ports = fromServer ? be16(serverPort) + be16(clientPort) : be16(clientPort) + be16(serverPort)
    let numbers =
      fromServer
      ? be32(sequence ?? serverNext) + be32(serverAcknowledges ?? clientNext)
      : be32(sequence ?? clientNext) + be32(clientAcknowledges ?? serverNext)
    let step = sequence == nil ? UInt32(bytes.count) + (flags & 3 != 0 ? 1 : 0) : 0
    if fromServer { serverNext &+= step } else { clientNext &+= step }
    if lost { return }
    var options: [UInt8] = []
    if !sack.isEmpty {
      options = [1, 1, 5, UInt8(2 + 8 * sack.count)] + sack.flatMap { be32($0.from) + be32($0.to) }
    }
    let length = UInt8((20 + options.count) / 4) << 4
    let head = ports + numbers + [length, flags, 0xff, 0xff, 0, 0, 0, 0]
    ethernet(head + options + bytes, protocol: 6, fromServer: fromServer)
  }

  mutating func open() {
    segment([], fromServer: false, flags: 2)
    segment([], fromServer: true, flags: 0x12)
    segment([], fromServer: false, flags: 0x10)
  }

  mutating func close(fromServer: Bool = false) {
    segment([], fromServer: fromServer, flags: 0x11)
    segment([], fromServer: !fromServer, flags: 0x11)
  }

  /// Text with LF for CR LF.
  static func text(_ text: String) -> [UInt8] {
    Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
  }

  mutating func client(_ text: String) { segment(Self.text(text), fromServer: false) }
  mutating func server(_ text: String) { segment(Self.text(text), fromServer: true) }

  mutating func udp(_ payload: [UInt8], fromServer: Bool, serverPort: Int, clientPort: Int) {
    let ports = fromServer ? be16(serverPort) + be16(clientPort) : be16(clientPort) + be16(serverPort)
    ethernet(ports + be16(8 + payload.count) + [0, 0] + payload, protocol: 17, fromServer: fromServer)
  }

  func analyze(
    _ context: AnalysisContext = AnalysisContext(captureDropped: 0), checks: [any WireCheck.Type] = CheckCatalog.wire
  ) -> AnalysisResult {
    var analyzer = CaptureAnalyzer(context, checks: checks)
    for (index, frame) in frames.enumerated() {
      analyzer.see(frame: frame.bytes.span.bytes, number: index + 1, time: frame.time, link: .ethernet)
    }
    return analyzer.finish()
  }
}
