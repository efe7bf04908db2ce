import RigBytes

/// Takes H.265 out of RTP payloads (RFC 7798): NAL units as summaries, and what is wrong.
public struct H265Depacketizer: Sendable {
  /// `sprop-max-don-diff` is above 0: decoding order numbers stand in every packet (4.4).
  public let hasDON: Bool
  private var fragments: NALAssembly?
  private var fragmentTime: UInt32 = 0

  public init(hasDON: Bool = false) { self.hasDON = hasDON }

  /// Takes the payload of one packet, in order of sequence numbers, and appends what it gives to `events`.
  ///
  /// - Parameter lostBefore: numbers are missing just before this packet.
  public mutating func receive(
    _ payload: RawSpan, timestamp: UInt32, lostBefore: Bool = false, into events: inout [NALEvent]
  ) {
    guard payload.byteCount > 0 else {
      events.append(.problem(.emptyPayload))
      return
    }
    guard let header = payload.u16(at: 0), payload.byteCount > 2 else {
      events.append(.problem(.tooShort))
      return
    }
    let type = UInt8(truncatingIfNeeded: header >> 9) & 63
    if fragments != nil {
      if lostBefore {
        close(complete: false, into: &events)
      } else if type != 49 {
        events.append(.problem(timestamp == fragmentTime ? .fuInterrupted(by: type) : .fuMissingEnd))
        close(complete: false, into: &events)
      }
    }
    if header & 0x8000 != 0 { events.append(.problem(.forbiddenBit)) }
    switch type {
    case 0...47: receiveSingle(payload, into: &events)
    case 48: receiveAggregate(payload, into: &events)
    case 49: receiveFragment(payload, header, timestamp, lostBefore: lostBefore, into: &events)
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

  private static func assembly(_ header: UInt16, _ carrier: NALUnit.Carrier) -> NALAssembly {
    let type = UInt8(truncatingIfNeeded: header >> 9) & 63
    return NALAssembly(
      type: type, reference: UInt8(truncatingIfNeeded: header) & 7, carrier: carrier,
      keepsBytes: (32...34).contains(type))
  }

  private func finish(_ unit: NALAssembly, into events: inout [NALEvent]) {
    if unit.hasStartCode { events.append(.problem(.startCode)) }
    events.append(.unit(unit.finished()))
  }

  private func receiveSingle(_ payload: RawSpan, into events: inout [NALEvent]) {
    let skipped = hasDON ? 4 : 2
    guard payload.byteCount > skipped else {
      events.append(.problem(.tooShort))
      return
    }
    var unit = Self.assembly(payload.u16(at: 0) ?? 0, .single)
    unit.countPacket()
    unit.take(payload.u8(at: 0) ?? 0)
    unit.take(payload.u8(at: 1) ?? 0)
    unit.take(payload.clamped(to: skipped..<payload.byteCount))
    finish(unit, into: &events)
  }

  private func receiveAggregate(_ payload: RawSpan, into events: inout [NALEvent]) {
    var reader = ByteReader(payload)
    guard reader.skip(2), !reader.isAtEnd else {
      events.append(.problem(.aggregateEmpty))
      return
    }
    var isFirst = true
    while !reader.isAtEnd {
      // DONL before the first unit, DOND before the others (4.4.2).
      guard !hasDON || reader.skip(isFirst ? 2 : 1), let size = reader.u16(), let bytes = reader.take(Int(size)) else {
        events.append(.problem(.aggregateOverrun))
        return
      }
      isFirst = false
      guard let header = bytes.u16(at: 0) else {
        events.append(.problem(.aggregateEmpty))
        continue
      }
      let type = UInt8(truncatingIfNeeded: header >> 9) & 63
      guard type < 48 else {
        events.append(.problem(.reservedType(type)))
        continue
      }
      var unit = Self.assembly(header, .aggregate)
      unit.countPacket()
      unit.take(bytes)
      finish(unit, into: &events)
    }
  }

  private mutating func receiveFragment(
    _ payload: RawSpan, _ header: UInt16, _ timestamp: UInt32, lostBefore: Bool, into events: inout [NALEvent]
  ) {
    let field = payload.u8(at: 2) ?? 0
    let isStart = field & 0x80 != 0
    let isEnd = field & 0x40 != 0
    let bodyStart = 3 + (isStart && hasDON ? 2 : 0)
    guard payload.byteCount > bodyStart else {
      events.append(.problem(.tooShort))
      return
    }
    let nalHeader = header & 0x81FF | UInt16(field & 63) << 9
    if isStart {
      if fragments != nil {
        events.append(.problem(.fuMissingEnd))
        close(complete: false, into: &events)
      }
      if isEnd { events.append(.problem(.fuSinglePacket)) }
      var unit = Self.assembly(nalHeader, .fragments)
      unit.take(UInt8(truncatingIfNeeded: nalHeader >> 8))
      unit.take(UInt8(truncatingIfNeeded: nalHeader))
      fragments = unit
      fragmentTime = timestamp
    } else if let unit = fragments?.unit {
      if timestamp != fragmentTime {
        events.append(.problem(.fuMissingEnd))
        close(complete: false, into: &events)
        events.append(.problem(.fuMissingStart))
        return
      }
      if unit.type != field & 63 { events.append(.problem(.fuTypeChanged)) }
    } else {
      // After a loss the missing start is the loss's doing.
      if !lostBefore { events.append(.problem(.fuMissingStart)) }
      return
    }
    fragments?.countPacket()
    fragments?.take(payload.clamped(to: bodyStart..<payload.byteCount))
    if isEnd { close(complete: true, into: &events) }
  }

  private mutating func close(complete: Bool, into events: inout [NALEvent]) {
    guard var unit = fragments else { return }
    fragments = nil
    if !complete { unit.markIncomplete() }
    finish(unit, into: &events)
  }
}
