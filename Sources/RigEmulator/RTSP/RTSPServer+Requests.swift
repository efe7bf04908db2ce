import RigBytes
import RigLoop
import RigModel
import RigWire

/// The dialogue: what is read from a connection, and the rules that hold for each request.
extension RTSPServer {
  static let methods = [
    "OPTIONS", "DESCRIBE", "SETUP", "PLAY", "PAUSE", "GET_PARAMETER", "SET_PARAMETER", "TEARDOWN",
  ]

  /// Reads a connection until it ends or breaks the protocol.
  func serve(_ key: Int) async {
    guard let connection = connections[key] else { return }
    while connections[key] != nil {
      guard let bytes = try? await connection.stream.read(), !bytes.isEmpty else { break }
      connection.parser.push(bytes)
      while connections[key] != nil, let item = connection.parser.next() { take(item, from: connection) }
    }
    close(connection)
  }

  private func take(_ item: RTSPParser.Item, from connection: RTSPConnection) {
    switch item {
    case .message(let message, _, _):
      // A response to a request that was never sent means nothing.
      if message.isRequest { take(message, from: connection) }
    case .interleaved:
      counters.reportsReceived += 1
      for id in connection.carried { sessions[id]?.lastActivity = loop.now }
    case .damagedFrame: break
    case .garbage: refuse(400, connection)
    case .oversized(let part, _, _): refuse(part == .body ? 413 : 400, connection)
    }
  }

  /// Framing is lost: nothing that follows can be trusted.
  private func refuse(_ status: Int, _ connection: RTSPConnection) {
    answer(RTSPMessage.response(status, headers: baseHeaders).bytes, to: connection)
    close(connection)
  }

  private var baseHeaders: RTSPHeaders {
    options.serverName.isEmpty ? [:] : ["Server": options.serverName]
  }

  private func take(_ request: RTSPMessage, from connection: RTSPConnection) {
    let method = request.method ?? ""
    let url = request.url ?? ""
    counters.requests += 1
    observer(.request(method: method, url: url))
    for fault in faults.list {
      switch fault {
      case .noReply(at: method): return acted(fault, "no answer to \(method)")
      case .close(at: method):
        acted(fault, "connection closed at \(method)")
        return close(connection)
      default: break
      }
    }
    var reply =
      unauthorized(request, method) ?? replacedByFault(method, url) ?? reply(to: request, method, url, connection)
    reply.headers.lines.insert(contentsOf: baseHeaders.lines, at: 0)
    if let cseq = request.headers["CSeq"] { reply.headers.lines.insert(cseqLine(cseq), at: 0) }
    deform(&reply, method)
    let (bytes, closes) = wire(
      RTSPMessage.response(reply.status, headers: reply.headers, body: reply.body), method)
    // The answer goes first, then the media that it announces.
    answer(bytes, to: connection)
    observer(.answered(method: method, status: reply.status))
    reply.then?()
    if closes { close(connection) }
  }

  private func cseqLine(_ value: String) -> RTSPHeaders.Line {
    guard faults.contains(.badCSeq), let number = ASCII.decimal(value) else {
      return RTSPHeaders.Line(name: "CSeq", value: value)
    }
    acted(.badCSeq, "CSeq \(number) answered as \(number &+ 1)")
    return RTSPHeaders.Line(name: "CSeq", value: "\(number &+ 1)")
  }

  private func reply(
    to request: RTSPMessage, _ method: String, _ url: String, _ connection: RTSPConnection
  ) -> RTSPReply {
    guard request.cseq != nil else { return RTSPReply(400) }
    guard request.version == "RTSP/1.0" else { return RTSPReply(505) }
    guard RTSPServer.methods.contains(method) else {
      return RTSPReply(501, ["Public": RTSPServer.methods.joined(separator: ", ")])
    }
    // No option of RFC 2326 12.32 is known here.
    if let option = request.headers["Require"] ?? request.headers["Proxy-Require"] {
      return RTSPReply(551, ["Unsupported": option])
    }
    guard let target = target(of: url) else { return RTSPReply(404) }
    let session: RTSPSession?
    switch named(request) {
    case .none: session = nil
    case .known(let found):
      session = found
      found.lastActivity = loop.now
    case .unknown: return RTSPReply(454)
    }
    switch method {
    case "OPTIONS": return RTSPReply(200, ["Public": RTSPServer.methods.joined(separator: ", ")], session)
    case "DESCRIBE": return describe(request, url, target, connection)
    case "SETUP": return setUp(request, target, session, connection)
    case "GET_PARAMETER", "SET_PARAMETER": return parameter(request, session)
    default: break
    }
    guard let session else { return RTSPReply(454) }
    switch method {
    case "PLAY": return play(request, url, target, session)
    case "PAUSE": return pause(target, session)
    default: return tearDown(target, session)
    }
  }

  private enum NamedSession {
    case none
    case known(RTSPSession)
    case unknown
  }

  private func named(_ request: RTSPMessage) -> NamedSession {
    guard let header = request.session else { return .none }
    return sessions[header.id].map { .known($0) } ?? .unknown
  }

  /// What a request URL names; `nil`: nothing that is here.
  private func target(of url: String) -> RTSPTarget? {
    if url == "*" { return .server }
    guard let parsed = try? RTSPURL(parsing: url) else { return nil }
    var path = ASCII.cut(parsed.pathAndQuery, at: "?").head
    if path.utf8.last == 0x2F { path.removeLast() }
    if path == mount { return .presentation }
    return prepared.tracks.first { path == "\(mount)/\($0.control)" }.map { .track($0.index) }
  }

  private func parameter(_ request: RTSPMessage, _ session: RTSPSession?) -> RTSPReply {
    // With no parameters it is a ping (RFC 2326 10.8); none are known.
    let isEmpty = request.body.allSatisfy { $0 == 0x0D || $0 == 0x0A || ASCII.isBlank($0) }
    return isEmpty ? RTSPReply(200, [:], session) : RTSPReply(451, [:], session)
  }
}

/// What a request URL names.
enum RTSPTarget: Equatable {
  case server
  case presentation
  case track(Int)
}

/// An answer, before CSeq and Server are put in front.
struct RTSPReply {
  var status: Int
  var headers: RTSPHeaders
  var body: [UInt8] = []
  /// Done once the answer is queued.
  var then: (() -> Void)?

  init(_ status: Int, _ headers: RTSPHeaders = [:], _ session: RTSPSession? = nil) {
    self.status = status
    self.headers = headers
    if let session { self.headers.add("Session", SessionHeader(id: session.id, timeout: session.timeout).text) }
  }
}
