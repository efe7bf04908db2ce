public import RigModel

/// One rule of the catalogue as a reducer: it sees dissected events in capture order and notes what breaks the rule.
///
/// A new check is a new file with a type that conforms, and one line in `CheckCatalog.wire`.
/// State must stay bounded, whatever the capture holds: per track, session or stream, never per packet.
public protocol WireCheck: Sendable {
  static var info: CheckInfo { get }
  /// What `see` is called for; everything else passes by.
  static var interest: WireInterest { get }
  init(_ context: AnalysisContext)
  /// An event of a kind named in `interest`.
  mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog)
  /// An RTP packet, of any stream or with one of the notes named in `interest`. `payload` has no padding.
  mutating func see(rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog)
  /// The capture is over; nothing follows.
  mutating func finish(in world: borrowing WireWorld, log: inout FindingLog)
}

extension WireCheck {
  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {}
  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {}
  public mutating func finish(in world: borrowing WireWorld, log: inout FindingLog) {}
}

/// What a check wants to see.
public struct WireInterest: Sendable {
  public struct Kinds: OptionSet, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let requests = Kinds(rawValue: 1)
    public static let responses = Kinds(rawValue: 2)
    public static let descriptions = Kinds(rawValue: 4)
    public static let tracks = Kinds(rawValue: 8)
    public static let sessions = Kinds(rawValue: 16)
    public static let framing = Kinds(rawValue: 32)
    public static let rtcp = Kinds(rawValue: 64)
    public static let accessUnits = Kinds(rawValue: 128)
    public static let connections = Kinds(rawValue: 256)
    public static let silence = Kinds(rawValue: 512)
  }

  public var kinds: Kinds
  /// RTP packets with any of these notes.
  public var notes: RTPNotes
  /// Every RTP packet: for checks that must read payloads.
  public var everyPacket: Bool

  public init(_ kinds: Kinds = [], notes: RTPNotes = [], everyPacket: Bool = false) {
    self.kinds = kinds
    self.notes = notes
    self.everyPacket = everyPacket
  }
}
