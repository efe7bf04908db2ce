/// One packet of an RTCP compound (RFC 3550 6.4–6.7).
public enum RTCPPacket: Hashable, Sendable {
  case senderReport(SenderReport)
  case receiverReport(ReceiverReport)
  case sourceDescription([Chunk])
  case bye(ssrcs: [UInt32], reason: String?)
  case app(subtype: UInt8, ssrc: UInt32, name: String, data: [UInt8])
  /// A type that is not parsed (feedback 205 and 206, XR 207, …): `count` is the 5-bit field, `body` follows the head.
  case unknown(type: UInt8, count: UInt8, body: [UInt8])

  /// SR (6.4.1).
  public struct SenderReport: Hashable, Sendable {
    public var ssrc: UInt32
    public var ntp: NTPTime
    /// The media time of `ntp`, in units of the payload's clock.
    public var rtpTime: UInt32
    public var packetCount: UInt32
    /// Payload bytes, without headers and padding.
    public var octetCount: UInt32
    public var reports: [ReportBlock]
    public init(
      ssrc: UInt32, ntp: NTPTime, rtpTime: UInt32, packetCount: UInt32, octetCount: UInt32,
      reports: [ReportBlock] = []
    ) {
      self.ssrc = ssrc
      self.ntp = ntp
      self.rtpTime = rtpTime
      self.packetCount = packetCount
      self.octetCount = octetCount
      self.reports = reports
    }
  }

  /// RR (6.4.2).
  public struct ReceiverReport: Hashable, Sendable {
    public var ssrc: UInt32
    public var reports: [ReportBlock]
    public init(ssrc: UInt32, reports: [ReportBlock] = []) {
      self.ssrc = ssrc
      self.reports = reports
    }
  }

  /// The 24 bytes about one source (6.4.1).
  public struct ReportBlock: Hashable, Sendable {
    public var ssrc: UInt32
    /// In 1/256.
    public var fractionLost: UInt8
    /// Signed 24 bits; duplicates can make it negative.
    public var cumulativeLost: Int32
    public var highestSequence: UInt32
    /// In units of the payload's clock.
    public var jitter: UInt32
    public var lastSR: UInt32
    /// In units of 1/65536 s.
    public var delaySinceLastSR: UInt32
    public init(
      ssrc: UInt32, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0, highestSequence: UInt32 = 0,
      jitter: UInt32 = 0, lastSR: UInt32 = 0, delaySinceLastSR: UInt32 = 0
    ) {
      self.ssrc = ssrc
      self.fractionLost = fractionLost
      self.cumulativeLost = cumulativeLost
      self.highestSequence = highestSequence
      self.jitter = jitter
      self.lastSR = lastSR
      self.delaySinceLastSR = delaySinceLastSR
    }
  }

  /// The SDES items of one source (6.5).
  public struct Chunk: Hashable, Sendable {
    public struct Item: Hashable, Sendable {
      /// 1 = CNAME, 2 = NAME, …, 8 = PRIV.
      public var type: UInt8
      public var text: String
      public init(type: UInt8, text: String) {
        self.type = type
        self.text = text
      }
    }
    public var ssrc: UInt32
    public var items: [Item]
    public init(ssrc: UInt32, items: [Item]) {
      self.ssrc = ssrc
      self.items = items
    }
    public init(ssrc: UInt32, cname: String) { self.init(ssrc: ssrc, items: [Item(type: 1, text: cname)]) }
    public var cname: String? { items.first { $0.type == 1 }?.text }
  }

  /// The packet type field: 200 SR, 201 RR, 202 SDES, 203 BYE, 204 APP.
  public var type: UInt8 {
    switch self {
    case .senderReport: 200
    case .receiverReport: 201
    case .sourceDescription: 202
    case .bye: 203
    case .app: 204
    case .unknown(let type, _, _): type
    }
  }
}
