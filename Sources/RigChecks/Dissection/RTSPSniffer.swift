/// Tells from the first bytes of a chunk whether a TCP stream speaks RTSP, on whatever port.
enum RTSPSniffer {
  enum Answer { case request, response, interleaved, undecided, no }

  private static let methods: [[UInt8]] = [
    "OPTIONS", "DESCRIBE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "ANNOUNCE", "RECORD", "GET_PARAMETER",
    "SET_PARAMETER", "REDIRECT",
  ].map { Array(($0 + " ").utf8) }
  private static let response = Array("RTSP/1.0 ".utf8)
  private static let scheme = Array("rtsp".utf8)

  /// - Parameter bytes: the first bytes of a chunk; 32 are enough.
  static func answer(_ bytes: [UInt8]) -> Answer {
    guard let first = bytes.first else { return .undecided }
    if first == 0x24 {
      guard bytes.count >= 6 else { return .undecided }
      let length = Int(bytes[2]) << 8 | Int(bytes[3])
      // Version 2, and RTP below or RTCP at 200–204: enough for the middle of a dialogue.
      return bytes[4] >> 6 == 2 && length >= 8 ? .interleaved : .no
    }
    if matches(response, bytes) { return bytes.count >= response.count ? .response : .undecided }
    for method in methods where matches(method, bytes) {
      guard bytes.count > method.count else { return .undecided }
      let target = bytes[method.count...].prefix(4).map { $0 | 0x20 }
      if bytes[method.count] == 0x2a || bytes[method.count] == 0x2f {
        // "*" and absolute paths are common to HTTP and RTSP: the version decides.
        let line = bytes.prefix { $0 != 0x0d && $0 != 0x0a }
        let text = String(decoding: line, as: UTF8.self)
        return text.contains(" RTSP/") ? .request : bytes.count < 64 && line.count == bytes.count ? .undecided : .no
      }
      guard target.count == 4 else { return scheme.starts(with: target) ? .undecided : .no }
      return target == scheme ? .request : .no
    }
    return .no
  }

  /// Whether one is a prefix of the other.
  private static func matches(_ pattern: [UInt8], _ bytes: [UInt8]) -> Bool {
    zip(pattern, bytes).allSatisfy { $0 == $1 }
  }
}
