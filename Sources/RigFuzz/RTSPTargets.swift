import RigFlow
import RigWire

enum RTSPTargets {
  /// A byte stream. Its cuts never change the items, and a message that is written is read as the same.
  static func parser(_ input: UnsafeRawBufferPointer) throws {
    let stream = [UInt8](input)
    let whole = items(stream, pieces: max(1, stream.count))
    for size in [1, 2 + Int(stream.last ?? 0) % 61] {
      try requireSame(items(stream, pieces: size), whole, "in pieces of \(size) bytes")
    }
    for case .message(let message, _, _) in whole {
      guard let once = reread(message), let twice = reread(once) else { continue }
      try require(once == twice, "written and read again: \(once) became \(twice)")
    }
  }

  private static func items(_ stream: [UInt8], pieces size: Int) -> [RTSPParser.Item] {
    var parser = RTSPParser()
    var items: [RTSPParser.Item] = []
    forEachPiece(of: stream, size: size) { piece in
      parser.push(piece)
      while let item = parser.next() { items.append(item) }
    }
    parser.finish()
    while let item = parser.next() { items.append(item) }
    return items
  }

  private static func reread(_ message: RTSPMessage) -> RTSPMessage? {
    let bytes = message.bytes
    guard case .message(let read, _, _)? = items(bytes, pieces: max(1, bytes.count)).first else { return nil }
    return read
  }

  /// A header value. What is read of it, written and read again, stays as it is.
  static func headers(_ input: UnsafeRawBufferPointer) throws {
    let value = String(decoding: input, as: UTF8.self)
    let transports = TransportHeader.parse(value)
    try require(!transports.isEmpty, "a Transport header without a transport")
    try requireStable(value, "Transport") { TransportHeader.text(TransportHeader.parse($0)) }
    try requireStable(value, "Session") { SessionHeader(parsing: $0).text }
    try requireStable(value, "RTP-Info") { RTPInfoHeader(parsing: $0).text }
    let headers: RTSPHeaders = ["CSeq": value, "Content-Length": value, "Public": value, "Content-Base": value]
    let message = RTSPMessage.response(200, headers: headers)
    _ = (message.cseq, message.contentLength, message.publicMethods)
    _ = RTSPURL.controlBase(response: headers, requestURL: value)
  }

  private static func requireStable(_ value: String, _ name: String, _ rewrite: (String) -> String) throws {
    let once = rewrite(value)
    let twice = rewrite(once)
    try require(
      rewrite(twice) == twice,
      "\(name): \(once.debugDescription), then \(twice.debugDescription), then \(rewrite(twice).debugDescription)")
  }

  /// A URL from a device. Where the address rule and the URL parser both take it, they mean the same host and port.
  static func url(_ input: UnsafeRawBufferPointer) throws {
    let text = String(decoding: input, as: UTF8.self)
    _ = RTSPURL.resolve(control: text, base: text, .append)
    _ = RTSPURL.resolve(control: String(text.dropFirst(text.count / 2)), base: text, .strict)
    if let address = IPAddress(text) {
      try require(IPAddress("\(address)") == address, "\(text) is read as \(address), which is another address")
    }
    guard let url = try? RTSPURL(parsing: text) else { return }
    let clean = url.credentialsRemoved
    let again = try? RTSPURL(parsing: clean)
    try require(again != nil, "\(clean.debugDescription) is no URL, \(text.debugDescription) is")
    if let again {
      try require(
        again.host == url.host && again.port == url.port && again.zone == url.zone && again.user == nil,
        "\(text.debugDescription) and \(clean.debugDescription) are different places")
    }
    guard case .success(let endpoint) = AddressRule.check(text) else { return }
    // The rule leaves an IPv6 zone on the host, with or without its percent encoding.
    let zone = url.zone.map { ["%\($0)", "%25\($0)"] } ?? [""]
    let hosts = zone.map { url.host + $0 }
    try require(
      endpoint.port == url.port && hosts.contains(endpoint.host),
      "the rule checked \(endpoint.host):\(endpoint.port), the player goes to \(hosts[0]):\(url.port)")
  }
}
