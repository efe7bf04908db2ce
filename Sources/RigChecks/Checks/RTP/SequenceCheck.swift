public import RigModel

/// `rtp.seq`
///
/// Loss is an error only where it is proven: in interleaved streams without a hole in the TCP bytes, and in
/// datagrams when the capture is known to have dropped none. What arrives late is not lost.
public struct SequenceCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtp.seq", rule: "Sequence numbers go up by one, each once, in order.", reference: "RFC 3550 A.1, A.3",
    severity: .error)
  public static let interest = WireInterest(notes: [.gap, .duplicate, .reordered, .restart])

  private struct Hole: Sendable {
    var end: UInt16
    var missing: Int
    var evidence: Evidence
  }
  /// Holes that late packets may still fill, by stream.
  private var holes: [Int: [Hole]] = [:]
  /// How many numbers later a hole counts as loss.
  private static let reach: Int16 = 1024

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    settle(packet.stream, before: packet.sequence, world, &log)
    if packet.notes.contains(.gap) {
      if holes[packet.stream, default: []].count >= 64 { settle(packet.stream, before: nil, world, &log) }
      holes[packet.stream, default: []].append(
        Hole(end: packet.sequence, missing: packet.missing, evidence: packet.evidence))
    } else if packet.notes.contains(.duplicate) {
      log.note(
        Self.info, "duplicate", subject: packet.stream, at: packet.evidence, severity: .warning,
        message: "packets of \(Hex8(packet.ssrc)) came twice")
    } else if packet.notes.contains(.reordered) {
      fill(packet)
      log.note(
        Self.info, "late", subject: packet.stream, at: packet.evidence, severity: .warning,
        message: "packets of \(Hex8(packet.ssrc)) came after later ones, the first by \(packet.missing) numbers")
    } else if packet.notes.contains(.restart) {
      settle(packet.stream, before: nil, world, &log)
      log.note(
        Self.info, "restart", subject: packet.stream, at: packet.evidence,
        message: "the numbering of \(Hex8(packet.ssrc)) restarted elsewhere")
    }
  }

  private mutating func fill(_ packet: RTPEvent) {
    guard var open = holes[packet.stream] else { return }
    let index = open.firstIndex { hole in
      let distance = hole.end &- packet.sequence
      return distance > 0 && Int(distance) <= 3001
    }
    guard let index else { return }
    open[index].missing -= 1
    if open[index].missing <= 0 { open.remove(at: index) }
    holes[packet.stream] = open
  }

  private mutating func settle(
    _ stream: Int, before sequence: UInt16?, _ world: borrowing WireWorld, _ log: inout FindingLog
  ) {
    guard let open = holes[stream], !open.isEmpty else { return }
    var kept: [Hole] = []
    for hole in open {
      if let sequence, Int16(bitPattern: sequence &- hole.end) < Self.reach {
        kept.append(hole)
      } else {
        report(hole, stream, world, &log)
      }
    }
    holes[stream] = kept
  }

  private func report(_ hole: Hole, _ stream: Int, _ world: borrowing WireWorld, _ log: inout FindingLog) {
    let isProven = world.lossIsProven(stream: stream)
    log.note(
      Self.info, "loss", subject: stream, at: hole.evidence, severity: isProven ? nil : .warning,
      message:
        "packets of \(Hex8(world.streams[stream].ssrc)) are missing, the first time \(hole.missing) before number \(hole.end)\(isProven ? "" : "; the capture itself may have lost them")"
    )
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for stream in holes.keys.sorted() { settle(stream, before: nil, world, &log) }
  }
}
