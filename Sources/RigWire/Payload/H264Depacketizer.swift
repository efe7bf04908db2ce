import RigBytes

/// Takes H.264 out of RTP payloads (RFC 6184, modes 0 and 1): NAL units as summaries, and what is wrong.
public struct H264Depacketizer: Sendable {
  private var fragments: NALAssembly?
  private var fragmentTime: UInt32 = 0

  public init() {}

  /// Whether a unit's fragments are still coming.
  public var isInsideUnit: Bool { fragments != nil }

  /// Takes the payload of one packet, in order of sequence numbers, and appends what it gives to `events`.
  ///
  /// - Parameter lostBefore: numbers are missing just before this packet.
  public mutating func receive(
    _ payload: RawSpan, timestamp: UInt32, lostBefore: Bool = false, into events: inout [NALEvent]
  ) {
    guard let first = payload.u8(at: 0) else {
      events.append(.problem(.emptyPayload))
      return
    }
    let type = first & 31
    if fragments != nil {
      if lostBefore {
        close(complete: false, into: &events)
      } else if type != 28 {
        events.append(.problem(timestamp == fragmentTime ? .fuInterrupted(by: type) : .fuMissingEnd))
        close(complete: false, into: &events)
      }
    }
    if first & 0x80 != 0 { events.append(.problem(.forbiddenBit)) }
    switch type {
    case 1...23: emit(payload, .single, into: &events)
    case 24: receiveAggregate(payload, into: &events)
    case 28: receiveFragment(payload, first, timestamp, lostBefore: lostBefore, into: &events)
    default: events.append(.problem(.reservedType(type)))
    }
  }

  public mutating func receive(
    _ payload: [UInt8], timestamp: UInt32, lostBefore: Bool = false
  ) -> [NALEvent] {
    var events: [NALEvent] = []
    receive(payload.span.bytes, timestamp: timestamp, lostBefore: lostBefore, into: &events)
    return events
  }

  /// At the end of the stream: a unit whose end never came.
  public mutating func finish() -> [NALEvent] {
    var events: [NALEvent] = []
    if fragments != nil {
      events.append(.problem(.fuMissingEnd))
      close(complete: false, into: &events)
    }
    return events
  }

  private static func assembly(_ header: UInt8, _ carrier: NALUnit.Carrier) -> NALAssembly {
    let type = header & 31
    return NALAssembly(
      type: type, reference: header >> 5 & 3, carrier: carrier, keepsBytes: type == 7 || type == 8)
  }

  private func emit(_ bytes: RawSpan, _ carrier: NALUnit.Carrier, into events: inout [NALEvent]) {
    var unit = Self.assembly(bytes.u8(at: 0) ?? 0, carrier)
    unit.countPacket()
    unit.take(bytes)
    if unit.hasStartCode { events.append(.problem(.startCode)) }
    events.append(.unit(unit.finished()))
  }

  private func receiveAggregate(_ payload: RawSpan, into events: inout [NALEvent]) {
    var reader = ByteReader(payload)
    guard reader.skip(1), !reader.isAtEnd else {
      events.append(.problem(.aggregateEmpty))
      return
    }
    while !reader.isAtEnd {
      guard let size = reader.u16(), let bytes = reader.take(Int(size)) else {
        events.append(.problem(.aggregateOverrun))
        return
      }
      guard let header = bytes.u8(at: 0) else {
        events.append(.problem(.aggregateEmpty))
        continue
      }
      if header & 31 == 0 || header & 31 > 23 {
        events.append(.problem(.reservedType(header & 31)))
      } else {
        emit(bytes, .aggregate, into: &events)
      }
    }
  }

  private mutating func receiveFragment(
    _ payload: RawSpan, _ indicator: UInt8, _ timestamp: UInt32, lostBefore: Bool, into events: inout [NALEvent]
  ) {
    guard let header = payload.u8(at: 1), payload.byteCount > 2 else {
      events.append(.problem(.tooShort))
      return
    }
    let isStart = header & 0x80 != 0
    let isEnd = header & 0x40 != 0
    let nalHeader = indicator & 0xE0 | header & 31
    let body = payload.clamped(to: 2..<payload.byteCount)
    if isStart {
      if fragments != nil {
        events.append(.problem(.fuMissingEnd))
        close(complete: false, into: &events)
      }
      if isEnd { events.append(.problem(.fuSinglePacket)) }
      var unit = Self.assembly(nalHeader, .fragments)
      unit.take(nalHeader)
      fragments = unit
      fragmentTime = timestamp
    } else if let unit = fragments?.unit {
      if timestamp != fragmentTime {
        events.append(.problem(.fuMissingEnd))
        close(complete: false, into: &events)
        events.append(.problem(.fuMissingStart))
        return
      }
      if unit.type != header & 31 { events.append(.problem(.fuTypeChanged)) }
    } else {
      // After a loss the missing start is the loss's doing.
      if !lostBefore { events.append(.problem(.fuMissingStart)) }
      return
    }
    fragments?.countPacket()
    fragments?.take(body)
    if isEnd { close(complete: true, into: &events) }
  }

  private mutating func close(complete: Bool, into events: inout [NALEvent]) {
    guard var unit = fragments else { return }
    fragments = nil
    if !complete { unit.markIncomplete() }
    if unit.hasStartCode { events.append(.problem(.startCode)) }
    events.append(.unit(unit.finished()))
  }
}
