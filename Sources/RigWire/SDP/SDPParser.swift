import RigBytes

extension SDPSession {
  /// Sizes beyond which the rest of a description is left out (and reported).
  public static let maximumBytes = 1 << 20
  public static let maximumLines = 4096

  /// Parses a description; never fails. What is wrong stands in `deviations`, with its line.
  public init(parsing text: String) { self.init(parsing: Array(text.utf8)) }

  public init(parsing bytes: [UInt8]) {
    var parser = SDPParser()
    parser.run(bytes)
    self = parser.session
  }
}

/// Reads a description line by line.
struct SDPParser {
  var session: SDPSession
  private var line = 0
  /// Rank of the last line type at this level, for the order of RFC 4566 5.
  private var rank = 0

  init() {
    session = SDPSession(name: nil, times: [])
    session.version = nil
  }

  private mutating func note(_ kind: SDPDeviation.Kind, _ detail: String = "") {
    session.deviations.append(SDPDeviation(kind, line: line, detail))
  }

  mutating func run(_ bytes: [UInt8]) {
    var rest = bytes[...]
    if rest.count > SDPSession.maximumBytes {
      note(.tooLarge, "\(rest.count) bytes")
      rest = rest.prefix(SDPSession.maximumBytes)
    }
    // Some devices end the text with a zero byte, as C strings do.
    while rest.last == 0 { rest.removeLast() }
    var bareLF = false
    while !rest.isEmpty {
      line += 1
      guard line <= SDPSession.maximumLines else {
        note(.tooLarge, "more than \(SDPSession.maximumLines) lines")
        break
      }
      let end = rest.firstIndex(of: 0x0A)
      var content = rest[..<(end ?? rest.endIndex)]
      rest = end.map { rest[($0 + 1)...] } ?? []
      if content.last == 0x0D {
        content.removeLast()
      } else if end != nil, !bareLF {
        bareLF = true
        note(.bareLF)
      }
      if end == nil { note(.noFinalLineEnd) }
      take(content, isLast: rest.isEmpty)
    }
    line = 0
    let missing: [(String, Bool)] = [
      ("v=", session.version == nil), ("o=", session.origin == nil), ("s=", session.name == nil),
      ("t=", session.times.isEmpty),
    ]
    for (name, isMissing) in missing where isMissing { note(.missingLine, name) }
  }

  private mutating func take(_ content: ArraySlice<UInt8>, isLast: Bool) {
    guard !content.isEmpty else {
      if !isLast { note(.emptyLine) }
      return
    }
    let value = ASCII.text(content.dropFirst(2))
    let whole = ASCII.text(content)
    if String(validating: content, as: UTF8.self) == nil { note(.notUTF8, whole) }
    if content.contains(where: { ASCII.isControl($0) && $0 != 0x09 }) { note(.controlBytes, whole) }
    guard let type = content.first, content.dropFirst().first == 0x3D, ASCII.isLetter(type) else {
      note(.badLine, whole)
      return
    }
    checkOrder(type, whole)
    if session.media.isEmpty, type != 0x6D {
      takeSession(type, value, whole)
    } else {
      takeMedia(type, value, whole)
    }
  }

  private mutating func checkOrder(_ type: UInt8, _ whole: String) {
    if type == 0x6D {
      rank = 0
      return
    }
    let order = [UInt8]((session.media.isEmpty ? "vosiuepcbtrzka" : "icbka").utf8)
    guard let place = order.firstIndex(of: type) else { return }
    // `t=` and `r=` alternate.
    if place < rank, !(type == 0x74 && order[rank] == 0x72) { note(.order, whole) }
    rank = max(rank, place)
  }

  private mutating func takeSession(_ type: UInt8, _ value: String, _ whole: String) {
    switch type {
    case UInt8(ascii: "v"):
      once(session.version == nil, whole)
      session.version = ASCII.decimal(ASCII.trimmed(value), limit: 1 << 31).map { Int($0) }
      if session.version != 0 { note(.version, whole) }
      if session.version == nil { session.version = -1 }
    case UInt8(ascii: "o"):
      once(session.origin == nil, whole)
      session.origin = origin(value, whole)
    case UInt8(ascii: "s"):
      once(session.name == nil, whole)
      session.name = value
    case UInt8(ascii: "i"): session.information = value
    case UInt8(ascii: "c"): session.connection = connection(value, whole)
    case UInt8(ascii: "b"): if let item = bandwidth(value, whole) { session.bandwidths.append(item) }
    case UInt8(ascii: "t"):
      let numbers = ASCII.words(value)
      if numbers.count != 2 || numbers.contains(where: { ASCII.decimal($0) == nil }) { note(.badTime, whole) }
      session.times.append(value)
    case UInt8(ascii: "a"): session.attributes.append(attribute(value))
    default: session.otherLines.append(whole)
    }
  }

  private mutating func takeMedia(_ type: UInt8, _ value: String, _ whole: String) {
    if type == UInt8(ascii: "m") {
      session.media.append(media(value, whole))
      return
    }
    let last = session.media.count - 1
    switch type {
    case UInt8(ascii: "i"): session.media[last].information = value
    case UInt8(ascii: "c"): session.media[last].connection = connection(value, whole)
    case UInt8(ascii: "b"): if let item = bandwidth(value, whole) { session.media[last].bandwidths.append(item) }
    case UInt8(ascii: "a"):
      let item = attribute(value)
      checkFormat(item, in: session.media[last], whole)
      session.media[last].attributes.append(item)
    case UInt8(ascii: "k"): break
    default: note(.order, whole)
    }
  }

  private mutating func once(_ isFirst: Bool, _ whole: String) { if !isFirst { note(.repeatedLine, whole) } }

  private mutating func origin(_ value: String, _ whole: String) -> SDPSession.Origin {
    let words = ASCII.words(value)
    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
    let origin = SDPSession.Origin(
      username: word(0), sessionID: word(1), sessionVersion: word(2), networkType: word(3), addressType: word(4),
      address: word(5))
    let digits = [origin.sessionID, origin.sessionVersion].allSatisfy { text in
      !text.isEmpty && text.utf8.allSatisfy { ASCII.isDigit($0) }
    }
    if words.count != 6 || !digits { note(.badOrigin, whole) }
    checkAddress(origin.addressType, origin.address, whole)
    return origin
  }

  private mutating func connection(_ value: String, _ whole: String) -> SDPSession.Connection {
    let words = ASCII.words(value)
    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
    let connection = SDPSession.Connection(networkType: word(0), addressType: word(1), address: word(2))
    let isText = connection.address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x27 && $0 != 0x26 }
    if words.count != 3 || !isText { note(.badConnection, whole) }
    checkAddress(connection.addressType, connection.address, whole)
    return connection
  }

  private mutating func checkAddress(_ type: String, _ address: String, _ whole: String) {
    let hasColon = address.utf8.contains(0x3A)
    let isDotted = !address.isEmpty && address.utf8.allSatisfy { ASCII.isDigit($0) || $0 == 0x2E || $0 == 0x2F }
    switch type {
    case "IP4" where hasColon, "IP6" where isDotted: note(.addressType, whole)
    case "IP4", "IP6", "": break
    default: note(.addressType, whole)
    }
  }

  private mutating func bandwidth(_ value: String, _ whole: String) -> SDPSession.Bandwidth? {
    let (type, text) = ASCII.cut(value, at: ":")
    guard let number = text.flatMap({ ASCII.decimal(ASCII.trimmed($0), limit: 1 << 53) }) else {
      note(.badBandwidth, whole)
      return nil
    }
    return SDPSession.Bandwidth(type: type, value: Int(number))
  }

  private func attribute(_ value: String) -> SDPSession.Attribute {
    let (name, text) = ASCII.cut(value, at: ":")
    return SDPSession.Attribute(ASCII.trimmed(name), text.map { ASCII.trimmed($0) })
  }

  private mutating func media(_ value: String, _ whole: String) -> SDPMedia {
    let words = ASCII.words(value)
    func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
    let port = ASCII.decimal(ASCII.cut(word(1), at: "/").head, limit: 65535).map { UInt16($0) }
    var formats = Array(words.dropFirst(3))
    if formats.count > 128 {
      note(.tooLarge, "\(formats.count) formats")
      formats.removeLast(formats.count - 128)
    }
    let media = SDPMedia(kind: word(0), port: port, proto: word(2), formats: formats, line: line)
    let isRTP = ASCII.hasPrefix(media.proto, "RTP/")
    let isWellFormed =
      words.count >= 4 && media.kind.utf8.allSatisfy { ASCII.isToken($0) }
      && (!isRTP || media.payloadTypes.count == media.formats.count)
    if !isWellFormed { note(.badMedia, whole) }
    if port == nil { note(.badPort, whole) }
    return media
  }

  private mutating func checkFormat(_ item: SDPSession.Attribute, in media: SDPMedia, _ whole: String) {
    let payloadType: UInt8
    switch item.name {
    case "rtpmap":
      guard let map = item.value.flatMap({ SDPMedia.RTPMap(parsing: $0) }) else { return note(.badRtpmap, whole) }
      payloadType = map.payloadType
    case "fmtp":
      guard let parameters = item.value.flatMap({ SDPFormatParameters(parsing: $0) }) else {
        return note(.badFmtp, whole)
      }
      payloadType = parameters.payloadType
    default: return
    }
    if !media.payloadTypes.contains(payloadType) { note(.foreignPayloadType, whole) }
  }
}
