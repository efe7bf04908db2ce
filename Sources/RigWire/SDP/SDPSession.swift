import RigBytes

/// A session description (RFC 4566), as far as RTSP needs it.
public struct SDPSession: Hashable, Sendable {
  /// `o=` (section 5.2). Ids are digit strings: some devices exceed 64 bits.
  public struct Origin: Hashable, Sendable {
    public var username: String
    public var sessionID: String
    public var sessionVersion: String
    public var networkType: String
    public var addressType: String
    public var address: String
    public init(
      username: String = "-", sessionID: String, sessionVersion: String = "1", networkType: String = "IN",
      addressType: String = "IP4", address: String
    ) {
      self.username = username
      self.sessionID = sessionID
      self.sessionVersion = sessionVersion
      self.networkType = networkType
      self.addressType = addressType
      self.address = address
    }
    public var text: String {
      [username, sessionID, sessionVersion, networkType, addressType, address].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
  }

  /// `c=` (section 5.7), the address with its `/ttl/count` if it has one.
  public struct Connection: Hashable, Sendable {
    public var networkType: String
    public var addressType: String
    public var address: String
    public init(networkType: String = "IN", addressType: String = "IP4", address: String) {
      self.networkType = networkType
      self.addressType = addressType
      self.address = address
    }
    public var text: String {
      [networkType, addressType, address].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// `b=` (section 5.8): `AS` counts kilobits per second.
  public struct Bandwidth: Hashable, Sendable {
    public var type: String
    public var value: Int
    public init(type: String, value: Int) {
      self.type = type
      self.value = value
    }
  }

  /// `a=` (section 5.13): `value` is `nil` for a property such as `a=recvonly`.
  public struct Attribute: Hashable, Sendable {
    public var name: String
    public var value: String?
    public init(_ name: String, _ value: String? = nil) {
      self.name = name
      self.value = value
    }
    public var text: String { value.map { "\(name):\($0)" } ?? name }
  }

  /// `v=`; `nil` where the line is missing, -1 where it is no number.
  public var version: Int?
  public var origin: Origin?
  /// `s=`; `nil` where the line is missing.
  public var name: String?
  public var information: String?
  public var connection: Connection?
  public var bandwidths: [Bandwidth]
  /// The values of the `t=` lines.
  public var times: [String]
  public var attributes: [Attribute]
  public var media: [SDPMedia]
  /// Lines of other types at session level, whole (`e=…`, `r=…`).
  public var otherLines: [String]
  /// What the parser put up with, in order of lines.
  public var deviations: [SDPDeviation]

  public init(
    origin: Origin? = nil, name: String? = "-", connection: Connection? = nil, times: [String] = ["0 0"],
    attributes: [Attribute] = [], media: [SDPMedia] = []
  ) {
    version = 0
    self.origin = origin
    self.name = name
    self.connection = connection
    self.times = times
    self.attributes = attributes
    self.media = media
    bandwidths = []
    otherLines = []
    deviations = []
  }

  /// The value of the first attribute of that name; an empty text for a property.
  public func attribute(_ name: String) -> String? {
    attributes.first { $0.name == name }.map { $0.value ?? "" }
  }

  /// The session-level `a=control` (RFC 2326 C.1.1).
  public var control: String? { attribute("control") }

  /// The description with CR LF line ends, lines in the order of section 5.
  public var text: String {
    var lines: [String] = []
    if let version { lines.append("v=\(version)") }
    if let origin { lines.append("o=\(origin.text)") }
    if let name { lines.append("s=\(name)") }
    if let information { lines.append("i=\(information)") }
    if let connection { lines.append("c=\(connection.text)") }
    lines += bandwidths.map { "b=\($0.type):\($0.value)" }
    lines += times.map { "t=\($0)" }
    lines += attributes.map { "a=\($0.text)" }
    for item in media { lines += item.lines }
    return lines.map { $0 + "\r\n" }.joined()
  }

  public var bytes: [UInt8] { Array(text.utf8) }
}
