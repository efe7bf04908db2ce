import RigBytes

extension TransportHeader {
  /// The transports of a header value, in order of preference; never fails, reports in `deviations`.
  ///
  /// A comma separates transports only where one begins after it (`RTP/…`); otherwise it stands for a semicolon.
  public static func parse(_ value: String) -> [TransportHeader] {
    var transports: [TransportHeader] = []
    for piece in ASCII.split(value, on: ",") {
      var parts = ASCII.split(piece, on: ";").map { ASCII.trimmed($0) }
      let first = parts[0]
      if transports.isEmpty || ASCII.hasPrefix(first, "RTP/") || ASCII.hasPrefix(first, "RAW/") {
        transports.append(TransportHeader(protocolText: parts.removeFirst()))
      } else {
        transports[transports.count - 1].note(.badSeparator, piece)
      }
      let last = transports.count - 1
      for (index, part) in parts.enumerated() {
        if part.isEmpty {
          transports[last].note(index == parts.count - 1 ? .trailingSeparator : .badElement, piece)
        } else {
          transports[last].take(part)
        }
      }
    }
    for index in transports.indices where transports[index].delivery == nil && transports[index].lower == .udp {
      transports[index].note(.missingDelivery)
    }
    return transports
  }

  private init(protocolText: String) {
    self.init(delivery: nil)
    let words = ASCII.split(protocolText, on: "/")
    profile = words.prefix(2).joined(separator: "/")
    if !ASCII.hasPrefix(protocolText, "RTP/") || words.count > 3 { note(.badElement, protocolText) }
    guard words.count > 2 else { return }
    if ASCII.equal(words[2], "TCP") {
      lower = .tcp
    } else if !ASCII.equal(words[2], "UDP") {
      note(.badElement, protocolText)
    }
  }

  private mutating func note(_ kind: RTSPDeviation.Kind, _ detail: String = "") {
    deviations.append(RTSPDeviation(kind, detail))
  }

  private mutating func take(_ part: String) {
    let (rawName, rawText) = ASCII.cut(part, at: "=")
    let name = ASCII.lowercased(ASCII.trimmed(rawName))
    let text = ASCII.trimmed(rawText ?? "")
    switch name {
    case "unicast": delivery = .unicast
    case "multicast": delivery = .multicast
    case "client_port": clientPorts = pair(text, in: part)
    case "server_port": serverPorts = pair(text, in: part)
    case "port": ports = pair(text, in: part)
    case "interleaved": interleaved = pair(text, in: part)
    case "ssrc":
      ssrc = ASCII.hex32(text)
      if ssrc == nil { note(.badElement, part) }
    case "ttl":
      ttl = ASCII.decimal(text, limit: 255).map { UInt8($0) }
      if ttl == nil { note(.badElement, part) }
    case "source": source = text
    case "destination": destination = text.isEmpty ? nil : text
    case "mode": mode = String(decoding: text.utf8.filter { $0 != 0x22 }, as: UTF8.self)
    default: others.append(part)
    }
  }

  private mutating func pair(_ text: String, in part: String) -> Pair? {
    let (head, tail) = ASCII.cut(text, at: "-")
    guard let first = ASCII.decimal(ASCII.trimmed(head), limit: 65535).map({ UInt16($0) }) else {
      note(.badElement, part)
      return nil
    }
    guard let tail else { return Pair(first) }
    guard let second = ASCII.decimal(ASCII.trimmed(tail), limit: 65535).map({ UInt16($0) }) else {
      note(.badElement, part)
      return Pair(first)
    }
    if Int(second) != Int(first) + 1 { note(.badPair, part) }
    return Pair(first, second)
  }
}
