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
  private struct Loss: Sendable {
    var first: Hole
    var last: Evidence
    var places: Int
    var packets: Int
  }
  private var losses: [Int: Loss] = [:]
  /// By stream: wraps at which number 0 alone was missing, and the first of them.
  private var skippedZeros: [Int: (count: Int, first: Evidence)] = [:]
  /// Holes that late packets may still fill, by stream.
  private var holes: [Int: [Hole]] = [:]
  /// How many numbers later a hole counts as loss.
  private static let reach: Int16 = 1024

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    settle(packet.stream, before: packet.sequence)
    if packet.notes.contains(.gap) {
      if holes[packet.stream, default: []].count >= 64 { settle(packet.stream, before: nil) }
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
      settle(packet.stream, before: nil)
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

  private mutating func settle(_ stream: Int, before sequence: UInt16?) {
    guard let open = holes[stream], !open.isEmpty else { return }
    var kept: [Hole] = []
    for hole in open {
      if let sequence, Int16(bitPattern: sequence &- hole.end) < Self.reach {
        kept.append(hole)
      } else {
        count(hole, stream)
      }
    }
    holes[stream] = kept
  }

  private mutating func count(_ hole: Hole, _ stream: Int) {
    if hole.end == 1, hole.missing == 1 {
      let before = skippedZeros[stream] ?? (0, hole.evidence)
      skippedZeros[stream] = (before.count + 1, before.first)
    }
    guard var loss = losses[stream] else {
      losses[stream] = Loss(first: hole, last: hole.evidence, places: 1, packets: hole.missing)
      return
    }
    loss.last = hole.evidence
    loss.places += 1
    loss.packets += hole.missing
    losses[stream] = loss
  }

  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {
    for stream in holes.keys.sorted() { settle(stream, before: nil) }
    // Only the end tells whether the capture itself lost packets.
    for (stream, loss) in losses.sorted(by: { $0.key < $1.key }) {
      let isProven = world.lossIsProven(stream: stream)
      if let zeros = skippedZeros[stream], zeros.count > 1, zeros.count == loss.packets {
        log.note(
          Self.info, "wrap", subject: stream, at: zeros.first, count: zeros.count,
          last: loss.places > 1 ? loss.last : nil, severity: isProven ? nil : .warning,
          message: "\(Hex8(world.streams[stream].ssrc)) leaves out number 0 at each of \(zeros.count) wraps")
        continue
      }
      let fragments = world.streams[stream].isInterleaved ? 0 : world.incompleteDatagrams
      log.note(
        Self.info, "loss", subject: stream, at: loss.first.evidence, count: loss.places,
        last: loss.places > 1 ? loss.last : nil, severity: isProven ? nil : .warning,
        message:
          "\(loss.packets) packets of \(Hex8(world.streams[stream].ssrc)) are missing in \(loss.places) places, "
          + "the first before number \(loss.first.end)"
          + "\(isProven ? "" : "; the capture itself may have lost them")"
          + "\(fragments == 0 ? "" : "; \(fragments) datagrams lack an IP fragment")"
      )
    }
  }
}
