import Foundation

/// A capture file with one TCP conversation between 10.0.0.2 and an RTSP server, made byte by byte.
struct TestCapture {
  private var file: [UInt8] = []
  private var next: [UInt32] = [1000, 5000]
  private var seconds: UInt32 = 1_700_000_000

  init() {
    // pcap 2.4, little-endian, Ethernet.
    file += Self.little(0xa1b2_c3d4) + [2, 0, 4, 0] + Self.little(0) + Self.little(0) + Self.little(262_144)
    file += Self.little(1)
    segment([], fromServer: false, flags: 2)
    segment([], fromServer: true, flags: 0x12)
  }

  private static func little(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private static func big(_ value: UInt32) -> [UInt8] { little(value).reversed() }
  private static func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

  private mutating func segment(_ bytes: [UInt8], fromServer: Bool, flags: UInt8 = 0x18) {
    let side = fromServer ? 1 : 0
    let ports = fromServer ? Self.big16(554) + Self.big16(40_000) : Self.big16(40_000) + Self.big16(554)
    let numbers = Self.big(next[side]) + Self.big(next[1 - side])
    next[side] &+= UInt32(bytes.count) + (flags & 3 != 0 ? 1 : 0)
    let tcp = ports + numbers + [0x50, flags, 0xff, 0xff, 0, 0, 0, 0] + bytes
    let addresses: [UInt8] = fromServer ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1]
    let ip = [0x45, 0] + Self.big16(20 + tcp.count) + [0, 1, 0, 0, 64, 6, 0, 0] + addresses
    let frame = [UInt8](repeating: 2, count: 12) + [8, 0] + ip + tcp
    file += Self.little(seconds) + Self.little(0) + Self.little(UInt32(frame.count)) + Self.little(UInt32(frame.count))
    file += frame
    seconds += 1
  }

  /// In segments that a datagram holds.
  private mutating func send(_ text: String, fromServer: Bool) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      segment(Array(rest.prefix(60_000)), fromServer: fromServer)
      rest = rest.dropFirst(60_000)
    }
  }

  mutating func client(_ text: String) { send(text, fromServer: false) }
  mutating func server(_ text: String) { send(text, fromServer: true) }

  /// - Returns: the path.
  func write(to folder: Folder, _ name: String) throws -> String {
    let url = folder.url.appending(path: name)
    try Data(file).write(to: url)
    return url.path
  }

  /// A dialogue that breaks many rules, with what could steer a terminal, break XML, or fill a log.
  static func hostile() -> TestCapture {
    let steer = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}"
    let markup = "<testsuite name=\"x\">&evil;]]></testsuite><!--"
    let junk = "\(steer)\(markup)\u{0}\u{1}\u{8}\u{fffe}\r"
    let url = "rtsp://user:secret\(steer)@10.0.0.1/\(markup)"
    var capture = TestCapture()
    capture.client("OPTIONS \(url) RTSP/1.0\r\nCSeq: 1\r\nX: \(junk)\r\n\r\n")
    capture.server("RTSP/1.0 200 \(junk)\r\nCSeq: \(junk)\r\nPublic: \(markup)\n\r\n")
    let long = String(repeating: "A\u{1b}[31m<", count: 1 << 18)
    capture.client("DESCRIBE \(url) RTSP/1.0\r\nCSeq: 2\r\nX-Long: \(long)\r\n\r\n")
    let sdp =
      "v=0\r\no=\(junk)\r\ns=\(steer)\r\nc=\(markup)\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\n"
      + "a=rtpmap:96 \(steer)\(markup)/90000\r\na=control:\(junk)\r\n"
    capture.server(
      "RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Base: \(junk)\r\nContent-Type: application/sdp\r\n"
        + "Content-Length: \(sdp.utf8.count)\r\n\r\n\(sdp)")
    capture.client("SETUP \(url)/\(steer) RTSP/1.0\r\nCSeq: 3\r\nTransport: \(junk)\r\n\r\n")
    capture.server("RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: \(junk)\r\nTransport: \(junk)\r\n\r\n")
    capture.client("\(steer)\(markup) x RTSP/1.0\r\nCSeq: 4\r\n\r\n")
    capture.server("RTSP/1.0 999 \(markup)\r\nCSeq: 4\r\nWWW-Authenticate: \(junk)\r\nLocation: \(junk)\r\n\r\n")
    return capture
  }
}
