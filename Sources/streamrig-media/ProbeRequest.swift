import RigModel

/// What an `open` command asks for.
struct ProbeRequest {
  enum Transport: String { case tcp, udp }

  /// As received; never repaired.
  let url: String
  /// The same URL with the scheme in lower case (RFC 3986 section 3.1: no difference): libav knows no other.
  var urlForLibav: String { "rtsp" + url.dropFirst(4) }
  let transport: Transport
  /// From the command until the server has answered PLAY.
  let openTimeout: Duration
  /// From the command until somebody has taken the TCP connection.
  let connectTimeout: Duration
  /// The longest silence afterwards; zero = any.
  let idleTimeout: Duration
  /// A pause between two decoded video frames that is reported.
  let gap: Duration
  let readsCounter: Bool
  let counterModulus: Int?

  /// Why a command is refused.
  struct Refusal: Error {
    let problem: String
    init(_ problem: String) { self.problem = problem }
  }

  private static let fields: Set<String> = [
    "cmd", "url", "transport", "timeout-ms", "connect-timeout-ms", "idle-timeout-ms", "gap-ms", "counter",
    "counter-modulus",
  ]

  init(_ command: JSONValue) throws(Refusal) {
    for member in command.members ?? [] where !Self.fields.contains(member.key) {
      throw Refusal("unknown member \(member.key)")
    }
    guard let url = command["url"]?.string else { throw Refusal("url is missing") }
    try Self.validate(url)
    self.url = url
    guard let transport = Transport(rawValue: (command["transport"] ?? "tcp").string ?? "") else {
      throw Refusal("transport must be tcp or udp")
    }
    self.transport = transport
    let timeout = try Self.integer(command["timeout-ms"], "timeout-ms", 1...600_000) ?? 5_000
    openTimeout = .milliseconds(timeout)
    connectTimeout = .milliseconds(
      try Self.integer(command["connect-timeout-ms"], "connect-timeout-ms", 1...600_000) ?? timeout)
    idleTimeout = .milliseconds(
      try Self.integer(command["idle-timeout-ms"], "idle-timeout-ms", 0...600_000) ?? timeout)
    gap = .milliseconds(try Self.integer(command["gap-ms"], "gap-ms", 1...600_000) ?? 2_000)
    guard let readsCounter = (command["counter"] ?? false).bool else { throw Refusal("counter must be true or false") }
    self.readsCounter = readsCounter
    counterModulus = try Self.integer(command["counter-modulus"], "counter-modulus", 1...16_777_216).map(Int.init)
  }

  private static func integer(
    _ value: JSONValue?, _ name: String, _ range: ClosedRange<Int64>
  ) throws(Refusal) -> Int64? {
    guard let value else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw Refusal("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Only `rtsp://host…` is ever opened: RFC 2326 section 3.2, and no byte that a request line could not carry.
  private static func validate(_ url: String) throws(Refusal) {
    guard url.utf8.count <= 2048 else { throw Refusal("the URL is longer than 2048 bytes") }
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Refusal("the URL has a space, a control byte or a byte that is not ASCII")
    }
    let prefix = "rtsp://"
    guard url.utf8.count > prefix.utf8.count, url.prefix(prefix.count).lowercased() == prefix else {
      throw Refusal("only rtsp URLs are opened")
    }
    guard let authority = authority(of: url), let host = authority.split(separator: "@").last, host.first != ":",
      !authority.hasSuffix("@")
    else { throw Refusal("the URL has no host") }
  }

  private static func authority(of url: String) -> Substring? {
    let rest = url.dropFirst("rtsp://".count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return authority.isEmpty ? nil : authority
  }

  /// `user:password` of a URL.
  static func credentials(in url: String) -> String? {
    guard let authority = authority(of: url), let at = authority.lastIndex(of: "@") else { return nil }
    let text = authority[..<at]
    return text.isEmpty ? nil : String(text)
  }

  /// The URL as it may be shown: without credentials.
  static func shown(_ url: String) -> String {
    credentials(in: url).map { url.replacing($0 + "@", with: "***@") } ?? url
  }
}
