import RigModel
import RigWire

@testable import RigChecks

/// A capture of a phone, made of scripted sessions, and the times that the harness has of the session in question.
///
/// The harness's clock and the wall clock of its machine differ by `wallOffset`. The session's address is received at
/// `received`; its stop is asked for six seconds later, it is finished 50 ms after that, and fetched two seconds later.
struct PhoneCapture {
  static let wallOffset: Int64 = 1_699_999_900_000_000_000
  static let received = HostTime.zero + .seconds(100)
  static let url = ScriptedCamera.url

  private(set) var frames: [(time: Int64, bytes: [UInt8])] = []
  /// The phone's clock minus the machine's.
  var clockError: Duration
  /// How much faster the phone's clock runs, millionths.
  var drift = 0.0
  private var port = 40_000

  init(clockError: Duration = .zero) { self.clockError = clockError }

  /// Adds a session whose player asks `after` the time at which the address is received.
  mutating func session(
    after: Duration = .milliseconds(150), _ script: (inout ScriptedCamera) -> Void = PhoneCapture.healthy
  ) {
    var camera = ScriptedCamera()
    // The handshake was scripted already, with its own port and time.
    camera.script = WireScript()
    camera.script.clientPort = port
    port += 1
    camera.script.time = PhoneCapture.wallOffset + (PhoneCapture.received + after).nanoseconds
    camera.script.open()
    script(&camera)
    let start = camera.script.frames.first?.time ?? 0
    frames += camera.script.frames.map { time, bytes in
      let fast = Int64(Double(time - start) * drift / 1e6)
      return (time + fast + clockError.nanoseconds, bytes)
    }
  }

  static let healthy: @Sendable (inout ScriptedCamera) -> Void = { camera in
    camera.start()
    camera.video(147)
    camera.teardown()
    camera.script.close()
  }

  /// Leaves out what comes after a time from when the address was received.
  mutating func cut(at time: Duration) {
    let end = PhoneCapture.wallOffset + (PhoneCapture.received + time).nanoseconds + clockError.nanoseconds
    frames.removeAll { $0.time > end }
  }

  var scan: PhoneScan {
    var scan = PhoneScan(address: PhoneCapture.url)
    for (index, frame) in frames.enumerated() {
      scan.see(frame: frame.bytes.span.bytes, number: index + 1, time: frame.time, link: .ethernet)
    }
    return scan
  }

  static func question(words: [Duration] = [], seenBefore: Int64? = nil) -> PhoneSession {
    let ended = received + .seconds(6)
    return PhoneSession(
      address: url, received: received, receivedError: .milliseconds(2), ended: ended,
      finished: ended + .milliseconds(50), fetched: ended + .seconds(2),
      clockWords: words.enumerated().map { i, error in
        let host = i == 0 ? received : ended
        return .init(
          host: host, error: .milliseconds(3), wall: host.nanoseconds + wallOffset + error.nanoseconds)
      }, wallOffset: wallOffset, seenBefore: seenBefore)
  }

  func align(_ session: PhoneSession = question()) -> Result<PhoneClock, PhoneAlignment.Refusal> {
    do throws(PhoneAlignment.Refusal) { return .success(try PhoneAlignment.align(session, with: scan)) } catch {
      return .failure(error)
    }
  }

  /// Judges the session; a picture counts as decoded when an IDR stands in it behind parameter sets.
  func judge(_ clock: PhoneClock, _ session: PhoneSession = question()) -> (
    result: AnalysisResult, facts: PhoneFacts, pictures: [CodedPicture]
  ) {
    var tape = PhoneTape(clock, AnalysisContext(captureDropped: 0))
    var number = 0
    var coded: [CodedPicture] = []
    for frame in frames where tape.wants(frame.bytes.span.bytes, time: frame.time, link: .ethernet) {
      number += 1
      tape.see(
        frame: frame.bytes.span.bytes, number: number, time: clock.placed(frame.time), link: .ethernet)
      coded += tape.takePictures()
    }
    let result = tape.finish(dropped: 0)
    var played = PlayedPictures()
    for picture in coded {
      played.see(
        picture.time, isKey: picture.nalTypes.contains(5), width: 640, height: 360, limit: 2_000_000_000)
    }
    let facts = PhoneFacts(
      clock, result, played, reach: clock.placed(scan.last), ended: session.ended,
      keyFrameDue: session.received + .seconds(5), gap: .seconds(2))
    return (result, facts, coded)
  }
}

extension CodedPicture {
  /// The types of its NAL units.
  var nalTypes: [UInt8] {
    H264Packetizer.units(annexB: bytes).compactMap { $0.first.map { $0 & 31 } }
  }
}
