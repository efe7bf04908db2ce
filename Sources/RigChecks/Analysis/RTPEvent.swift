public import RigModel

/// What dissection already noticed of an RTP packet. A healthy packet has none of these but
/// `firstPacket` and `parameterSet`.
public struct RTPNotes: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first packet of its stream.
  public static let firstPacket = RTPNotes(rawValue: 1 << 0)
  /// On an RTP port or channel, and the version is not 2.
  public static let badVersion = RTPNotes(rawValue: 1 << 1)
  /// Padding longer than the payload, or of length 0.
  public static let badPadding = RTPNotes(rawValue: 1 << 2)
  /// A header extension or CSRC list that goes beyond the packet.
  public static let badExtension = RTPNotes(rawValue: 1 << 3)
  public static let emptyPayload = RTPNotes(rawValue: 1 << 4)
  /// A payload type that the track's description does not list.
  public static let unknownPayloadType = RTPNotes(rawValue: 1 << 5)
  /// Sequence numbers are missing before this packet (`RTPEvent.missing`).
  public static let gap = RTPNotes(rawValue: 1 << 6)
  public static let duplicate = RTPNotes(rawValue: 1 << 7)
  /// Arrived after a later one.
  public static let reordered = RTPNotes(rawValue: 1 << 8)
  /// Numbering went on elsewhere (RFC 3550 A.1).
  public static let restart = RTPNotes(rawValue: 1 << 9)
  /// The timestamp changed although the packet before had no marker, and nothing was lost between.
  public static let markerMissing = RTPNotes(rawValue: 1 << 10)
  /// The packet before had the marker, and this one has its timestamp.
  public static let markerEarly = RTPNotes(rawValue: 1 << 11)
  /// The timestamp went back (`RTPEvent.timestampStep`), in order of sequence numbers.
  public static let timestampBack = RTPNotes(rawValue: 1 << 12)
  /// The timestamp moved away from the arrival clock by more than ten seconds at once.
  public static let timestampJump = RTPNotes(rawValue: 1 << 13)
  /// A fragmentation unit that breaks RFC 6184 5.8: start and end at once, no start, a second start, a bad type.
  public static let badFragment = RTPNotes(rawValue: 1 << 14)
  /// A NAL unit type or aggregation that cannot be read (RFC 6184 5.2, 5.7.1).
  public static let badPacketization = RTPNotes(rawValue: 1 << 15)
  /// The track had another SSRC before.
  public static let newSSRC = RTPNotes(rawValue: 1 << 16)
  /// The session was over when it arrived.
  public static let afterEnd = RTPNotes(rawValue: 1 << 17)
  /// AU headers that break RFC 3640 3.2.1.
  public static let badAUHeaders = RTPNotes(rawValue: 1 << 18)
  /// Fewer than 12 bytes where RTP was agreed on.
  public static let tooShort = RTPNotes(rawValue: 1 << 19)
  /// The datagram came in IP fragments.
  public static let fragmented = RTPNotes(rawValue: 1 << 20)
  /// A datagram of more than 1,472 bytes, what Ethernet carries after IPv4 and UDP headers; or an interleaved frame of
  /// more than 2,048.
  public static let oversize = RTPNotes(rawValue: 1 << 21)
  /// A payload structure that the packetization mode of the description does not have (RFC 6184 5.4).
  public static let offMode = RTPNotes(rawValue: 1 << 22)
  /// Brings a sequence parameter set: no fault.
  public static let parameterSet = RTPNotes(rawValue: 1 << 23)

  /// What only a packet that was captured whole can show.
  static let needWholePacket: RTPNotes = [
    .badPadding, .badExtension, .emptyPayload, .badPacketization, .badFragment, .badAUHeaders, .parameterSet,
  ]
}

/// An RTP packet on its way past the checks.
public struct RTPEvent: Sendable {
  public var place: WirePlace
  /// Index into `WireWorld.streams`.
  public var stream: Int
  /// Index into `WireWorld.tracks`; -1 where no SETUP was seen.
  public var track: Int
  public var ssrc: UInt32
  public var sequence: UInt16
  public var timestamp: UInt32
  public var payloadType: UInt8
  public var marker: Bool
  public var notes: RTPNotes
  /// Missing numbers before this packet (`.gap`), or how many numbers it is late (`.reordered`).
  public var missing: Int
  /// Change of the timestamp against the packet before, ticks.
  public var timestampStep: Int64

  public var evidence: Evidence { place.evidence(ssrc: ssrc, sequence: Int64(sequence)) }
}

/// The pictures or audio frames of one timestamp, as far as packets tell.
public struct AccessUnitEvent: Sendable {
  public var stream: Int
  public var track: Int
  public var ssrc: UInt32
  public var timestamp: UInt32
  public var packets: Int
  /// Payload bytes, padding not counted.
  public var bytes: Int
  public var hasMarker: Bool
  /// A key picture: IDR of H.264, IRAP of H.265.
  public var isKey: Bool
  public var hasPicture: Bool
  public var hasSPS: Bool
  public var hasPPS: Bool
  /// No packet was lost inside or right before it.
  public var isWhole: Bool
  public var first: WirePlace
  public var last: WirePlace
}
