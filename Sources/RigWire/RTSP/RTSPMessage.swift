import RigBytes

/// An RTSP/1.0 request or response (RFC 2326 4, 6, 7).
public struct RTSPMessage: Hashable, Sendable {
  public enum Start: Hashable, Sendable {
    /// `url` is kept byte for byte; `*` where the request speaks of the server as a whole.
    case request(method: String, url: String)
    case response(status: Int, reason: String)
  }

  public var start: Start
  /// As in the start line: `RTSP/1.0`.
  public var version: String
  public var headers: RTSPHeaders
  public var body: [UInt8]

  public init(_ start: Start, version: String = "RTSP/1.0", headers: RTSPHeaders = [:], body: [UInt8] = []) {
    self.start = start
    self.version = version
    self.headers = headers
    self.body = body
  }

  public static func request(
    _ method: String, _ url: String, headers: RTSPHeaders = [:], body: [UInt8] = []
  ) -> RTSPMessage {
    RTSPMessage(.request(method: method, url: url), headers: headers, body: body)
  }

  /// With the reason phrase that the RFC gives where none is passed.
  public static func response(
    _ status: Int, reason: String? = nil, headers: RTSPHeaders = [:], body: [UInt8] = []
  ) -> RTSPMessage {
    RTSPMessage(.response(status: status, reason: reason ?? Self.reason(of: status)), headers: headers, body: body)
  }

  public var method: String? { if case .request(let method, _) = start { method } else { nil } }
  public var url: String? { if case .request(_, let url) = start { url } else { nil } }
  public var status: Int? { if case .response(let status, _) = start { status } else { nil } }
  public var reason: String? { if case .response(_, let reason) = start { reason } else { nil } }
  public var isRequest: Bool { method != nil }

  /// The number of the CSeq header (RFC 2326 12.17); `nil` where it is missing or no decimal number.
  public var cseq: UInt32? {
    headers["CSeq"].flatMap { ASCII.decimal($0, limit: UInt64(UInt32.max)) }.map { UInt32($0) }
  }

  /// The Content-Length header as a number of bytes; `nil` where it is missing or malformed.
  public var contentLength: Int? {
    headers["Content-Length"].flatMap { ASCII.decimal($0, limit: 1 << 40) }.map { Int($0) }
  }

  /// The Session header (RFC 2326 12.37).
  public var session: SessionHeader? { headers["Session"].map { SessionHeader(parsing: $0) } }

  /// The start line without its end.
  public var startLine: String {
    switch start {
    case .request(let method, let url): "\(method) \(url) \(version)"
    case .response(let status, let reason): reason.isEmpty ? "\(version) \(status)" : "\(version) \(status) \(reason)"
    }
  }

  /// The message as it goes on the wire.
  ///
  /// Where there is a body and no Content-Length header, one is added; a header that is there is written as it
  /// stands, so that a wrong one can be sent on purpose. Line breaks inside names and values become spaces.
  public var bytes: [UInt8] {
    var out = ByteWriter(reserving: 256 + body.count)
    func clean(_ text: String) -> [UInt8] { text.utf8.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 } }
    out.append(clean(startLine))
    out.append("\r\n")
    for line in headers.lines {
      out.append(clean(line.name))
      out.append(": ")
      out.append(clean(line.value))
      out.append("\r\n")
    }
    if !body.isEmpty, headers["Content-Length"] == nil { out.append("Content-Length: \(body.count)\r\n") }
    out.append("\r\n")
    out.append(body)
    return out.bytes
  }

  /// An interleaved binary frame (RFC 2326 10.12); `nil` above 65,535 bytes.
  public static func interleaved(channel: UInt8, _ payload: [UInt8]) -> [UInt8]? {
    guard let length = UInt16(exactly: payload.count) else { return nil }
    var out = ByteWriter(reserving: payload.count + 4)
    out.u8(0x24)
    out.u8(channel)
    out.u16(length)
    out.append(payload)
    return out.bytes
  }

  /// The methods that the Public header (RFC 2326 12.28) lists, upper-cased; `nil` without the header.
  public var publicMethods: [String]? {
    let values = headers.all("Public")
    guard !values.isEmpty else { return nil }
    return values.flatMap { ASCII.split($0, on: ",") }.map { ASCII.trimmed($0).uppercased() }.filter { !$0.isEmpty }
  }

  /// The standard reason phrase of a status (RFC 2326 7.1.1); `Unknown` for others.
  public static func reason(of status: Int) -> String { reasons[status] ?? "Unknown" }

  private static let reasons: [Int: String] = [
    100: "Continue", 200: "OK", 201: "Created", 250: "Low on Storage Space", 300: "Multiple Choices",
    301: "Moved Permanently", 302: "Moved Temporarily", 303: "See Other", 304: "Not Modified", 305: "Use Proxy",
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Time-out",
    410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Request Entity Too Large",
    414: "Request-URI Too Large", 415: "Unsupported Media Type", 451: "Parameter Not Understood",
    452: "Conference Not Found", 453: "Not Enough Bandwidth", 454: "Session Not Found",
    455: "Method Not Valid in This State", 456: "Header Field Not Valid for Resource", 457: "Invalid Range",
    458: "Parameter Is Read-Only", 459: "Aggregate Operation Not Allowed", 460: "Only Aggregate Operation Allowed",
    461: "Unsupported Transport", 462: "Destination Unreachable", 500: "Internal Server Error",
    501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Time-out",
    505: "RTSP Version Not Supported", 551: "Option Not Supported",
  ]
}
