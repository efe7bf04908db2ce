import RigChecks
import RigFlow
import RigModel
import RigWire
import Testing

/// Bytes of a connection that are not in the capture: those that were acknowledged are the capture's fault, the others
/// were not delivered.
@Suite struct UndeliveredTests {
  private static let frame: [UInt8] = [0x24, 1, 0, 8, 0x80, 201, 0, 1, 0, 0, 0, 9]

  private func playing() -> ScriptedCamera {
    var camera = ScriptedCamera()
    camera.start()
    camera.video(30)
    camera.script.segment([], fromServer: false, flags: 0x10)
    return camera
  }

  /// As a station that the access point threw out: some pictures are lost on the air, those behind them come, and nobody
  /// acknowledges anything.
  private func throwOut(_ camera: inout ScriptedCamera) -> UInt32 {
    let number = camera.script.serverNext
    camera.script.segment([UInt8](repeating: 0x24, count: 4000), fromServer: true, lost: true)
    camera.script.clientAcknowledges = number
    camera.video(3, gop: 100)
    return number
  }

  @Test func whatTheAirLostIsNoGapOfTheCapture() {
    var camera = playing()
    let number = throwOut(&camera)
    camera.script.wait(0.5)
    // The sender tries the first bytes again, in vain.
    camera.script.segment(Array(Self.frame.prefix(4)), fromServer: true, sequence: number)
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == 0)
    #expect(result.undeliveredTCPBytes > 0)
    #expect(result.inconclusive.isEmpty)
    #expect(result.findings.isEmpty, "\(result.findings)")
    #expect(result.streams.map(\.lost) == [0])
  }

  /// The same packets, and the receiver says that it has them all: then the capture lacks them.
  @Test(arguments: [true, false])
  func whatTheReceiverHasTheCaptureLacks(_ selectively: Bool) {
    var camera = playing()
    let number = throwOut(&camera)
    if selectively {
      camera.script.segment([], fromServer: false, flags: 0x10, sack: [(number &+ 100, camera.script.serverNext)])
    } else {
      camera.script.clientAcknowledges = nil
      camera.script.segment([], fromServer: false, flags: 0x10)
    }
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == (selectively ? 3900 : 4000))
    #expect(result.inconclusive["framing"] != nil)
    #expect(result.findings.allSatisfy { $0.severity != .error }, "\(result.findings)")
  }

  /// What is lost on the air and sent again in the end: nothing is missing, and the silence was one.
  @Test func aRetransmissionAfterSecondsHealsAll() {
    var camera = playing()
    let number = camera.script.serverNext
    camera.script.segment(Self.frame, fromServer: true, lost: true)
    camera.script.clientAcknowledges = number
    camera.video(2, gop: 100)
    camera.script.segment([], fromServer: false, flags: 0x10, sack: [(number &+ 12, camera.script.serverNext)])
    camera.script.wait(6)
    camera.script.segment(Self.frame, fromServer: true, sequence: number)
    camera.script.clientAcknowledges = nil
    camera.script.segment([], fromServer: false, flags: 0x10)
    camera.video(20, gop: 100)
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == 0 && result.undeliveredTCPBytes == 0)
    #expect(result.streams.map(\.lost) == [0])
    #expect(result.findings.filter { $0.severity == .error }.map(\.check) == ["media.gap"])
  }

  /// At the server the capture may lack bytes of the client, and these count the same.
  @Test(arguments: [true, false])
  func theOtherDirectionCountsTheSame(_ isAcknowledged: Bool) {
    var camera = playing()
    let number = camera.script.clientNext
    camera.script.segment(Self.frame, fromServer: false, lost: true)
    if !isAcknowledged { camera.script.serverAcknowledges = number }
    camera.script.segment(Self.frame, fromServer: false)
    camera.video(20, gop: 100)
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == (isAcknowledged ? 12 : 0))
    #expect(result.undeliveredTCPBytes == (isAcknowledged ? 0 : 12))
    #expect(result.inconclusive.isEmpty == !isAcknowledged)
    #expect(result.findings.isEmpty, "\(result.findings)")
  }

  /// A failure that is established stays one: the bytes that were on their way when the link went do not unmake it.
  @Test func theVerdictIsTheFailureThatWasExpected() {
    for isAcknowledged in [true, false] {
      var camera = playing()
      _ = throwOut(&camera)
      if isAcknowledged {
        camera.script.clientAcknowledges = nil
        camera.script.segment([], fromServer: false, flags: 0x10)
      }
      var evidence = Judge.Evidence(
        expectation: Expectation(failed: FailurePoint(.running)), flow: .rtspHotspot, reached: .active)
      evidence.failure = JudgeTests.failure(FailurePoint(.running), .subject, doubt: nil)
      evidence.groups = camera.script.analyze().groups
      #expect(Judge.rule(evidence).verdict == (isAcknowledged ? .inconclusive : .pass))
    }
  }

  /// The end of a capture cuts what is in flight; that is no gap.
  @Test func bytesInFlightAtTheEndAreNoGap() {
    var camera = playing()
    camera.video(1, gop: 100)
    camera.script.segment(Self.frame, fromServer: true, lost: true)
    let result = camera.script.analyze()
    #expect(result.missingTCPBytes == 0 && result.undeliveredTCPBytes == 0)
    #expect(result.inconclusive.isEmpty)
  }
}
