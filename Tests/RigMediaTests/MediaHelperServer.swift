import Foundation
import RigModel

/// The least RTSP server there can be: one client, media inside the RTSP connection (RFC 2326 section 10.12), the
/// pictures of a clip as fast as they are taken, then the end of the connection.
final class MediaHelperServer: Sendable {
  private let connection: Int32
  private let clip: MediaHelperClip
  /// The frames that are not sent.
  private let dropped: Set<Int>
  /// The frames of which only the first half is sent.
  private let truncated: Set<Int>

  /// Serves the first client of the listener on a thread of its own.
  static func serve(
    _ clip: MediaHelperClip, on listener: MediaHelperListener, dropping dropped: Set<Int> = [],
    truncating truncated: Set<Int> = []
  ) {
    let descriptor = listener.descriptor
    Thread.detachNewThread {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      MediaHelperServer(connection: connection, clip: clip, dropped: dropped, truncated: truncated).run()
      close(connection)
    }
  }

  private init(connection: Int32, clip: MediaHelperClip, dropped: Set<Int>, truncated: Set<Int>) {
    self.connection = connection
    self.clip = clip
    self.dropped = dropped
    self.truncated = truncated
  }

  private func run() {
    var text = ""
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      while let end = text.range(of: "\r\n\r\n") {
        let request = String(text[..<end.lowerBound])
        text.removeSubrange(..<end.upperBound)
        guard answer(request) else { return }
      }
      let count = read(connection, &chunk, chunk.count)
      guard count > 0 else { return }
      text += String(decoding: chunk[..<count], as: UTF8.self)
    }
  }

  /// Answers a request; false when the session is over.
  private func answer(_ request: String) -> Bool {
    let lines = request.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    let sequence = lines.first { $0.lowercased().hasPrefix("cseq:") }.map { $0.dropFirst(5) } ?? " 0"
    let head = "RTSP/1.0 200 OK\r\nCSeq:\(sequence)\r\n"
    switch words.first {
    case "DESCRIBE":
      let body = """
        v=0\r
        o=- 1 1 IN IP4 127.0.0.1\r
        s=clip\r
        t=0 0\r
        m=video 0 RTP/AVP 96\r
        a=rtpmap:96 H264/90000\r
        a=fmtp:96 packetization-mode=1;sprop-parameter-sets=\(clip.parameterSets)\r
        a=control:track\r

        """
      let type = "Content-Type: application/sdp\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      return send(Array((head + "Content-Base: \(words[1])/\r\n" + type + body).utf8))
    case "SETUP":
      return send(Array((head + "Session: 7\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n").utf8))
    case "PLAY":
      guard send(Array((head + "Session: 7\r\n\r\n").utf8)) else { return false }
      sendPictures()
      return false
    default: return send(Array((head + "Public: DESCRIBE, SETUP, PLAY\r\n\r\n").utf8))
    }
  }

  private func sendPictures() {
    var sequence: UInt16 = 100
    for (number, picture) in clip.pictures.enumerated() where !dropped.contains(number) {
      let unit = truncated.contains(number) ? Array(picture.prefix(picture.count / 2)) : picture
      // FU-A fragments (RFC 6184 section 5.8) of at most 1200 bytes.
      var rest = unit.dropFirst()
      let header = unit.first ?? 0
      while !rest.isEmpty {
        let piece = rest.prefix(1200)
        let isFirst = rest.count == unit.count - 1
        rest = rest.dropFirst(piece.count)
        let flags: UInt8 = (isFirst ? 0x80 : 0) | (rest.isEmpty ? 0x40 : 0)
        let time = UInt32(50_000 + number * 90_000 / clip.framesPerSecond)
        var packet: [UInt8] = [0x80, 96 | (rest.isEmpty ? 0x80 : 0)]
        packet += withUnsafeBytes(of: sequence.bigEndian, Array.init)
        packet += withUnsafeBytes(of: time.bigEndian, Array.init)
        packet += [0, 0, 0, 9, header & 0x60 | 28, flags | header & 0x1F]
        packet += piece
        sequence += 1
        guard send([0x24, 0] + withUnsafeBytes(of: UInt16(packet.count).bigEndian, Array.init) + packet) else { return }
      }
    }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// A clip file read by its documented form, apart from the helper's own reader.
struct MediaHelperClip: Sendable {
  let header: JSONValue
  let parameterSets: String
  let framesPerSecond: Int
  /// The one NAL unit of each picture.
  var pictures: [[UInt8]] = []
  /// The pictures that are flagged key.
  var keys: [Int] = []
  var audioUnits = 0
  var videoBytes = 0

  struct Broken: Error { let reason: String }

  init(_ file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    let magic = Array("streamrig-clip/1\n".utf8)
    guard bytes.starts(with: magic), let end = bytes[magic.count...].firstIndex(of: 0x0A) else {
      throw Broken(reason: "head")
    }
    header = try JSONParser.parse(bytes[magic.count..<end])
    let video = header["video"]
    parameterSets = (video?["sps"]?.string ?? "") + "," + (video?["pps"]?.string ?? "")
    framesPerSecond = Int(video?["fps"]?.integer ?? 1)
    var at = end + 1
    while at + 16 <= bytes.count {
      let size = bytes[at + 4..<at + 8].reduce(0) { $0 << 8 | Int($1) }
      let body = at + 16
      guard body + size <= bytes.count else { throw Broken(reason: "unit size") }
      if bytes[at] == 0 {
        if bytes[at + 1] & 1 == 1 { keys.append(pictures.count) }
        pictures.append(Array(bytes[body + 4..<body + size]))
        videoBytes += size
      } else {
        audioUnits += 1
      }
      at = body + size
    }
    guard at == bytes.count else { throw Broken(reason: "trailing bytes") }
  }
}
