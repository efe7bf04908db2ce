import RigBytes

/// `a=fmtp:96 packetization-mode=1;profile-level-id=42001f` (RFC 4566 6): parameters in order, names without case.
public struct SDPFormatParameters: Hashable, Sendable {
  public struct Parameter: Hashable, Sendable {
    public var name: String
    public var value: String?
    public init(_ name: String, _ value: String? = nil) {
      self.name = name
      self.value = value
    }
  }

  public var payloadType: UInt8
  public var parameters: [Parameter]

  public init(payloadType: UInt8, _ parameters: [Parameter]) {
    self.payloadType = payloadType
    self.parameters = parameters
  }

  /// `nil` without a payload type. Only the first `=` of a parameter separates, since base64 ends in `=`.
  public init?(parsing value: String) {
    let (head, tail) = ASCII.cut(ASCII.trimmed(value), at: " ")
    guard let type = ASCII.decimal(head, limit: 127) else { return nil }
    payloadType = UInt8(type)
    parameters = ASCII.split(tail ?? "", on: ";").compactMap { piece in
      let (name, text) = ASCII.cut(ASCII.trimmed(piece), at: "=")
      let clean = ASCII.trimmed(name)
      return clean.isEmpty ? nil : Parameter(clean, text.map { ASCII.trimmed($0) })
    }
  }

  public subscript(name: String) -> String? {
    parameters.first { ASCII.equal($0.name, name) }.map { $0.value ?? "" }
  }

  public func integer(_ name: String) -> Int? {
    self[name].flatMap { ASCII.decimal($0, limit: UInt64(UInt32.max)) }.map { Int($0) }
  }

  /// The value of the attribute: `96 packetization-mode=1;…`.
  public var text: String {
    "\(payloadType) " + parameters.map { p in p.value.map { "\(p.name)=\($0)" } ?? p.name }.joined(separator: ";")
  }
}

/// The parameters of H.264 (RFC 6184 8.1).
public struct H264FormatParameters: Hashable, Sendable {
  /// 0 where not stated (section 6.2).
  public var packetizationMode: Int
  /// profile_idc, constraint flags, level_idc as one 24-bit number.
  public var profileLevelID: UInt32?
  /// NAL units of `sprop-parameter-sets` that decode, without start codes; `nil` where the parameter is missing.
  public var parameterSets: [[UInt8]]?
  /// Entries of `sprop-parameter-sets` that are empty or no base64.
  public var undecodable: [String]

  public init(_ parameters: SDPFormatParameters) {
    packetizationMode = parameters.integer("packetization-mode") ?? 0
    profileLevelID = parameters["profile-level-id"].flatMap { $0.utf8.count == 6 ? ASCII.hex32($0) : nil }
    (parameterSets, undecodable) = decodedSets(parameters["sprop-parameter-sets"])
  }

  public var sequenceParameterSets: [[UInt8]] { (parameterSets ?? []).filter { ($0.first ?? 0) & 31 == 7 } }
  public var pictureParameterSets: [[UInt8]] { (parameterSets ?? []).filter { ($0.first ?? 0) & 31 == 8 } }
}

/// The parameters of H.265 (RFC 7798 7.1).
public struct H265FormatParameters: Hashable, Sendable {
  public var videoParameterSets: [[UInt8]]?
  public var sequenceParameterSets: [[UInt8]]?
  public var pictureParameterSets: [[UInt8]]?
  public var undecodable: [String]
  /// `sprop-max-don-diff`; above 0, DONL fields stand in every packet.
  public var maxDONDiff: Int

  public init(_ parameters: SDPFormatParameters) {
    var bad: [String] = []
    func sets(_ name: String) -> [[UInt8]]? {
      let (good, rest) = decodedSets(parameters[name])
      bad += rest
      return good
    }
    videoParameterSets = sets("sprop-vps")
    sequenceParameterSets = sets("sprop-sps")
    pictureParameterSets = sets("sprop-pps")
    undecodable = bad
    maxDONDiff = parameters.integer("sprop-max-don-diff") ?? 0
  }
}

/// The parameters of MPEG-4 audio (RFC 3640 4.1).
public struct AACFormatParameters: Hashable, Sendable {
  public var mode: String?
  /// The AudioSpecificConfig, if `config` is hexadecimal.
  public var config: [UInt8]?
  /// Bits of AU-size; 0 where not stated.
  public var sizeLength: Int
  public var indexLength: Int
  public var indexDeltaLength: Int

  /// Lengths above 32 bits are taken as not stated.
  public init(_ parameters: SDPFormatParameters) {
    func bits(_ name: String) -> Int { parameters.integer(name).flatMap { $0 <= 32 ? $0 : nil } ?? 0 }
    mode = parameters["mode"]
    config = parameters["config"].flatMap { $0.isEmpty ? nil : ASCII.bytes(hex: $0) }
    sizeLength = bits("sizeLength")
    indexLength = bits("indexLength")
    indexDeltaLength = bits("indexDeltaLength")
  }

  /// AAC-hbr as RFC 3640 3.3.6 fixes it: 13, 3 and 3 bits.
  public var isHighBitRate: Bool { mode.map { ASCII.equal($0, "AAC-hbr") } ?? false }
}

private func decodedSets(_ value: String?) -> (sets: [[UInt8]]?, undecodable: [String]) {
  guard let value else { return (nil, []) }
  var sets: [[UInt8]] = []
  var bad: [String] = []
  for entry in ASCII.split(value, on: ",").map({ ASCII.trimmed($0) }) {
    if let set = Base64.decode(entry), !set.isEmpty { sets.append(set) } else { bad.append(entry) }
  }
  return (sets, bad)
}
