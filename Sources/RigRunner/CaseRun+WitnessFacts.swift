import RigChecks
import RigDevice
import RigFlow
import RigModel

/// What capture and decoder measured, as facts: proofs of faults rest on them.
extension CaseRun {
  func measuredFacts(_ capture: CaptureOutcome?, at time: HostTime) -> [Fact] {
    var facts: [Fact] = []
    if let capture {
      facts += capture.result.exchanges.map { fact($0, at: time) }
      facts += capture.result.streams.map { fact($0, at: time) }
    }
    if let summary, summary.frames > 0 { facts.append(fact(summary, at: time)) }
    return facts
  }

  private var packetWitness: Witness { topology.player == .phone ? .phone : .capture }

  private func fact(_ exchange: RTSPExchange, at time: HostTime) -> Fact {
    var detail = exchange.method
    if let status = exchange.status {
      detail += exchange.isCut ? " got a part of an answer (\(status))" : " was answered \(status)"
      if exchange.isDigest { detail += exchange.isStale ? ", digest challenge, stale=true" : ", digest challenge" }
      if let timeout = exchange.timeout { detail += ", session timeout \(timeout) s" }
      if exchange.body > 0 { detail += ", \(exchange.body) bytes of body" }
    } else {
      detail += " was not answered" + (exchange.closedBy.map { ", the \($0) closed the connection" } ?? "")
      detail += exchange.excuse.map { ": \($0)" } ?? ""
    }
    if exchange.isAuthorized { detail += ", with credentials" }
    return Fact(
      .rtspExchange, by: packetWitness, at: time, detail: "\(detail) (frame \(exchange.frame))",
      data: [
        "method": .string(exchange.method), "status": exchange.status.map { .integer(Int64($0)) },
        "cut": .bool(exchange.isCut), "closed-by": exchange.closedBy.map { .string($0) },
        "excused": .bool(exchange.excuse != nil),
        "timeout": exchange.timeout.map { .integer(Int64($0)) }, "body": .integer(Int64(exchange.body)),
        "digest": .bool(exchange.isDigest), "stale": .bool(exchange.isStale),
        "authorized": .bool(exchange.isAuthorized),
      ])
  }

  private func fact(_ stream: StreamStatistics, at time: HostTime) -> Fact {
    var detail = "\(stream.codec ?? "payload type \(stream.payloadType)"): \(stream.packets) packets"
    if stream.padded > 0 { detail += ", \(stream.padded) with padding" }
    if let lead = stream.byeLead, lead > 0.001 { detail += ", BYE \(Decimal3(lead)) s before the end of the session" }
    if let rate = stream.bitRate { detail += ", \(BitRate(bitsPerSecond: Int64(min(rate, 1e15))))" }
    return Fact(
      .streamMeasured, by: packetWitness, at: time, detail: detail,
      data: [
        "video": .bool(stream.isVideo), "packets": .integer(stream.packets), "padded": .integer(stream.padded),
        "bye-lead": stream.byeLead.map { .number($0) }, "bit-rate": stream.bitRate.map { .number($0) },
      ])
  }

  private func fact(_ summary: MediaSummary, at time: HostTime) -> Fact {
    Fact(
      .picturesMeasured, by: topology.player == .phone ? .phone : .media, at: time,
      detail: "\(summary.frames) pictures, \(Decimal3(summary.frameRate)) a second, \(summary.blackFrames) black, "
        + "\(summary.stillFrames) still",
      data: [
        "frames": .integer(Int64(summary.frames)), "black": .integer(Int64(summary.blackFrames)),
        "still": .integer(Int64(summary.stillFrames)), "frame-rate": .number(summary.frameRate),
      ])
  }
}
