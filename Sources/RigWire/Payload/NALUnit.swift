/// What a depacketizer says of a NAL unit, without keeping its bytes.
public struct NALUnit: Hashable, Sendable {
  public enum Carrier: String, Sendable {
    case single
    /// STAP-A of RFC 6184 5.7.1, AP of RFC 7798 4.4.2.
    case aggregate
    /// FU-A of RFC 6184 5.8, FU of RFC 7798 4.4.3.
    case fragments
  }

  /// nal_unit_type: 5 bits in H.264, 6 bits in H.265.
  public var type: UInt8
  /// nal_ref_idc of H.264; nuh_temporal_id_plus1 of H.265.
  public var reference: UInt8
  /// Bytes with the NAL header; of an incomplete unit, those that came.
  public var size: Int
  /// The first 8 bytes with the NAL header, most significant first; 0 beyond `size`.
  public var head: UInt64
  public var carrier: Carrier
  /// Packets that carried it.
  public var packets: Int
  /// No fragment is missing.
  public var isComplete: Bool
  /// The bytes of a parameter set, at most 4,096; empty for other types.
  public var parameterSet: [UInt8]

  public func headByte(_ index: Int) -> UInt8? {
    index >= 0 && index < min(size, 8) ? UInt8(truncatingIfNeeded: head >> UInt64(56 - 8 * index)) : nil
  }
}

/// What a payload does against its RTP payload format.
public enum PayloadProblem: Hashable, Sendable {
  /// An RTP packet without payload.
  case emptyPayload
  /// The payload is shorter than its format's own header.
  case tooShort
  case forbiddenBit
  /// A NAL type that the format reserves (RFC 6184 5.2: 0, 30, 31), or one of the interleaved mode.
  case reservedType(UInt8)
  /// A fragment that goes on with a unit whose start never came.
  case fuMissingStart
  /// The unit's last fragment did not come before the next unit or the next time.
  case fuMissingEnd
  /// Start and end in one fragment: forbidden, the unit belongs in a single packet.
  case fuSinglePacket
  /// A packet of another kind came inside a run of fragments.
  case fuInterrupted(by: UInt8)
  /// A later fragment names another type than the first.
  case fuTypeChanged
  /// 00 00 01 inside a unit: Annex B bytes were sent as one NAL unit.
  case startCode
  /// A size field of an aggregate goes beyond the packet.
  case aggregateOverrun
  /// An aggregate without any unit, or one with an empty unit.
  case aggregateEmpty
}

public enum NALEvent: Hashable, Sendable {
  case unit(NALUnit)
  case problem(PayloadProblem)
}
