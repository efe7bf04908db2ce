import RigLoop
import RigModel
import RigWire
import Testing

/// A plain RTSP client for the tests: one request at a time, interleaved frames put aside as they come.
// Unchecked: touched only on the loop's thread.
final class RTSPTestClient: @unchecked Sendable {
  struct Ended: Error {}
  struct Frame { var channel: UInt8, bytes: [UInt8] }

  let loop: EpollLoop
  let stream: ByteStream
  private var parser = RTSPParser()
  private var frames: [Frame] = []
  private var answers: [RTSPMessage] = []
  /// Garbage and damaged frames seen.
  private(set) var damage: [RTSPParser.Item] = []
  /// What the parser put up with in answers.
  private(set) var deviations: [RTSPDeviation] = []
  private(set) var cseq = 0
  var session: String?

  init(_ loop: EpollLoop, _ stream: ByteStream) {
    self.loop = loop
    self.stream = stream
    // A test whose server does not answer ends instead of hanging.
    _ = loop.schedule(at: loop.now + .seconds(10)) { stream.close() }
  }

  static func connect(_ loop: EpollLoop, to address: SocketAddress) async throws -> RTSPTestClient {
    RTSPTestClient(loop, try await ByteStream.connect(loop, to: address, timeout: .seconds(5)))
  }

  /// Sends a request and gives its answer; a session id that comes with it is kept and sent from then on.
  @discardableResult
  func send(_ method: String, _ url: String, _ headers: RTSPHeaders = [:], body: String = "") async throws
    -> RTSPMessage
  {
    try await write(method, url, headers, body: body)
    let answer = try await answer()
    if let id = answer.session?.id { session = id }
    return answer
  }

  func write(_ method: String, _ url: String, _ headers: RTSPHeaders = [:], body: String = "") async throws {
    cseq += 1
    var all: RTSPHeaders = ["CSeq": "\(cseq)"]
    if let session, headers["Session"] == nil { all.add("Session", session) }
    all.lines += headers.lines
    try await stream.write(RTSPMessage.request(method, url, headers: all, body: Array(body.utf8)).bytes)
  }

  func answer() async throws -> RTSPMessage {
    while answers.isEmpty { try await readMore() }
    return answers.removeFirst()
  }

  /// The next interleaved frame on `channel`; those of other channels stay where they are.
  func frame(_ channel: UInt8) async throws -> [UInt8] {
    while true {
      if let place = frames.firstIndex(where: { $0.channel == channel }) { return frames.remove(at: place).bytes }
      try await readMore()
    }
  }

  /// Reads until the server closes; true if it did so before the test's deadline.
  func isClosedByServer() async -> Bool {
    while true {
      do { try await readMore() } catch { return !stream.isClosed }
    }
  }

  private func readMore() async throws {
    let bytes = try await stream.read()
    if bytes.isEmpty {
      parser.finish()
      drain()
      throw Ended()
    }
    parser.push(bytes)
    drain()
  }

  private func drain() {
    while let item = parser.next() {
      switch item {
      case .message(let message, _, let found):
        answers.append(message)
        deviations += found
      case .interleaved(let channel, let payload, _): frames.append(Frame(channel: channel, bytes: payload))
      default: damage.append(item)
      }
    }
  }
}
