public import RigModel

/// `aac.au-headers`
public struct AUHeadersCheck: WireCheck {
  public static let info = CheckInfo(
    id: "aac.au-headers", rule: "AU headers are whole, and their sizes are those of the data behind them.",
    reference: "RFC 3640 3.2.1, 3.3.6", severity: .error)
  public static let interest = WireInterest(notes: .badAUHeaders)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    // An ADTS header where the AU headers should be is the usual mistake.
    let isADTS =
      payload.byteCount >= 2 && payload.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0xff
      && payload.unsafeLoad(fromByteOffset: 1, as: UInt8.self) & 0xf6 == 0xf0
    log.note(
      Self.info, isADTS ? "adts" : "sizes", subject: packet.stream, at: packet.evidence,
      message: isADTS ? "ADTS frames without AU headers" : "the AU headers do not fit the data behind them")
  }
}
