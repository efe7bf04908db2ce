import RigBytes

/// A request line or status line (RFC 2326 6.1, 7.1).
struct StartLine {
  var start: RTSPMessage.Start
  var version: String
  var deviations: [RTSPDeviation.Kind] = []

  /// Parses a line without its LF; a CR at the end is taken off. `nil` where it is no start line of RTSP.
  init?(parsing line: ArraySlice<UInt8>) {
    var text = line
    while let last = text.last, last == 0x0D || ASCII.isBlank(last) { text.removeLast() }
    let words = text.split(whereSeparator: { ASCII.isBlank($0) })
    guard let first = words.first, let last = words.last, words.count >= 2 else { return nil }
    if Self.isVersion(first) {
      version = ASCII.text(first)
      guard words[1].count == 3, let status = ASCII.decimal(words[1], limit: 999), status >= 100 else { return nil }
      let reason = words.count > 2 ? text[words[2].startIndex...] : []
      start = .response(status: Int(status), reason: ASCII.text(reason))
      let isTight = words[1].startIndex == first.endIndex + 1
      if !isTight || (words.count > 2 && words[2].startIndex != words[1].endIndex + 1) {
        deviations.append(.startLineBlanks)
      }
    } else {
      guard words.count >= 3, Self.isVersion(last), first.allSatisfy({ ASCII.isToken($0) }),
        first.startIndex == text.startIndex
      else { return nil }
      version = ASCII.text(last)
      let url = text[words[1].startIndex..<words[words.count - 2].endIndex]
      start = .request(method: ASCII.text(first), url: ASCII.text(url))
      let isTight = words[1].startIndex == first.endIndex + 1 && last.startIndex == url.endIndex + 1
      if !isTight || words.count > 3 { deviations.append(.startLineBlanks) }
    }
    if version != "RTSP/1.0" { deviations.append(.version) }
  }

  /// `RTSP/1.0`: the name in any case, a digit, a point and a digit.
  private static func isVersion(_ word: ArraySlice<UInt8>) -> Bool {
    guard word.count == 8 else { return false }
    let bytes = word.map { ASCII.lowercased($0) }
    return bytes.starts(with: [0x72, 0x74, 0x73, 0x70, 0x2F]) && ASCII.isDigit(bytes[5]) && bytes[6] == 0x2E
      && ASCII.isDigit(bytes[7])
  }
}
