import RigBytes

/// A media section: `m=` and the lines below it (RFC 4566 5.14).
public struct SDPMedia: Hashable, Sendable {
  /// `a=rtpmap:96 H264/90000` (RFC 4566 6).
  public struct RTPMap: Hashable, Sendable {
    public var payloadType: UInt8
    /// As it stands; compare without regard to case.
    public var encoding: String
    /// Hz.
    public var clockRate: UInt32
    /// What follows the second slash: the channel count of audio.
    public var parameters: String?
    public init(payloadType: UInt8, encoding: String, clockRate: UInt32, parameters: String? = nil) {
      self.payloadType = payloadType
      self.encoding = encoding
      self.clockRate = clockRate
      self.parameters = parameters
    }
    public var text: String { "\(payloadType) \(encoding)/\(clockRate)\(parameters.map { "/" + $0 } ?? "")" }
  }

  /// `video`, `audio`, `application`.
  public var kind: String
  /// `nil` where the field is no number up to 65,535.
  public var port: UInt16?
  /// `RTP/AVP`.
  public var proto: String
  /// The formats as they stand.
  public var formats: [String]
  public var information: String?
  public var connection: SDPSession.Connection?
  public var bandwidths: [SDPSession.Bandwidth]
  public var attributes: [SDPSession.Attribute]
  /// 1-based line of the `m=`; 0 for a section that was not parsed.
  public var line: Int

  public init(
    kind: String, port: UInt16? = 0, proto: String = "RTP/AVP", formats: [String],
    attributes: [SDPSession.Attribute] = [], line: Int = 0
  ) {
    self.kind = kind
    self.port = port
    self.proto = proto
    self.formats = formats
    self.attributes = attributes
    self.line = line
    bandwidths = []
  }

  /// The formats that are RTP payload types.
  public var payloadTypes: [UInt8] { formats.compactMap { ASCII.decimal($0, limit: 127).map { UInt8($0) } } }

  public func attribute(_ name: String) -> String? {
    attributes.first { $0.name == name }.map { $0.value ?? "" }
  }

  public var control: String? { attribute("control") }

  /// The mappings of all `a=rtpmap` lines that parse.
  public var rtpmaps: [RTPMap] {
    attributes.compactMap { $0.name == "rtpmap" ? $0.value.flatMap { RTPMap(parsing: $0) } : nil }
  }

  /// The parameters of all `a=fmtp` lines that parse.
  public var formatParameters: [SDPFormatParameters] {
    attributes.compactMap { $0.name == "fmtp" ? $0.value.flatMap { SDPFormatParameters(parsing: $0) } : nil }
  }

  /// The mapping of a payload type; for 0–34 without an `a=rtpmap` that of RFC 3551 6.
  public func rtpmap(_ payloadType: UInt8) -> RTPMap? {
    rtpmaps.first { $0.payloadType == payloadType } ?? RTPMap.wellKnown(payloadType)
  }

  /// The format parameters of a payload type. The only `a=fmtp` of a section with one format is taken although it
  /// names another type: devices get that wrong, and a deviation says so.
  public func fmtp(_ payloadType: UInt8) -> SDPFormatParameters? {
    let all = formatParameters
    if let own = all.first(where: { $0.payloadType == payloadType }) { return own }
    return all.count == 1 && formats.count == 1 && payloadTypes == [payloadType] ? all[0] : nil
  }

  /// The mapping of the first payload type, which is the preferred one.
  public var primary: RTPMap? { payloadTypes.first.flatMap { rtpmap($0) } }

  /// Whether this is video or audio that a player can set up.
  public var isPlayable: Bool { (kind == "video" || kind == "audio") && !payloadTypes.isEmpty }

  var lines: [String] {
    var out = ["m=\(kind) \(port ?? 0) \(proto) \(formats.joined(separator: " "))"]
    if let information { out.append("i=\(information)") }
    if let connection { out.append("c=\(connection.text)") }
    out += bandwidths.map { "b=\($0.type):\($0.value)" }
    out += attributes.map { "a=\($0.text)" }
    return out
  }
}

extension SDPMedia.RTPMap {
  /// Parses `96 H264/90000`; `nil` without a payload type, an encoding and a clock rate above 0.
  public init?(parsing value: String) {
    let (head, tail) = ASCII.cut(ASCII.trimmed(value), at: " ")
    guard let tail, let type = ASCII.decimal(head, limit: 127) else { return nil }
    let parts = ASCII.split(ASCII.trimmed(tail), on: "/")
    guard parts.count >= 2, !parts[0].isEmpty,
      let rate = ASCII.decimal(ASCII.trimmed(parts[1]), limit: UInt64(UInt32.max)), rate > 0
    else { return nil }
    self.init(
      payloadType: UInt8(type), encoding: parts[0], clockRate: UInt32(rate),
      parameters: parts.count > 2 ? parts[2...].joined(separator: "/") : nil)
  }

  public func isEncoding(_ name: String) -> Bool { ASCII.equal(encoding, name) }

  /// Audio channels; 1 where not stated.
  public var channels: Int { parameters.flatMap { ASCII.decimal($0, limit: 255) }.map { Int($0) } ?? 1 }

  /// The static assignments of RFC 3551 6 that are met in the field.
  static func wellKnown(_ payloadType: UInt8) -> Self? {
    let name: (String, UInt32, String?)? =
      switch payloadType {
      case 0: ("PCMU", 8000, nil)
      case 8: ("PCMA", 8000, nil)
      case 9: ("G722", 8000, nil)
      case 10: ("L16", 44100, "2")
      case 11: ("L16", 44100, nil)
      case 14: ("MPA", 90000, nil)
      case 26: ("JPEG", 90000, nil)
      case 32: ("MPV", 90000, nil)
      case 33: ("MP2T", 90000, nil)
      default: nil
      }
    return name.map { Self(payloadType: payloadType, encoding: $0.0, clockRate: $0.1, parameters: $0.2) }
  }
}
