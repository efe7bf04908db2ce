public import RigDevice
public import RigLoop
import RigModel
import RigWire

/// A fixed conversation with a device over stage-link/1, printed as lines that do not depend on time, ids or transport.
///
/// The device must be idle, know the flow `rtsp-hotspot` and be able to inject faults. The lines of a conforming one are
/// `expected`.
public struct StageLinkConformance: Sendable {
  private let loop: Loop
  private let connect: @Sendable () -> any DeviceDriver
  private let waits: Bool

  /// - Parameters:
  ///   - connect: gives a new driver for the same device.
  ///   - waits: whether to include what takes seconds of waiting (the owner's time-out).
  public init(_ loop: Loop, waits: Bool = true, connect: @escaping @Sendable () -> any DeviceDriver) {
    self.loop = loop
    self.connect = connect
    self.waits = waits
  }

  public func run() async -> [String] {
    let script = ConformanceScript(loop, connect)
    await script.greeting()
    await script.requests()
    await script.faults()
    await script.starting()
    await script.replay()
    await script.refusal()
    await script.reconnecting()
    if waits { await script.ownerTimeout() }
    await script.reset()
    return script.lines
  }

  /// What a conforming device prints.
  public static func expected(waits: Bool = true) -> [String] {
    greeting + requests + faults + runs + (waits ? ownerTimeout : []) + reset
  }

  private static let greeting = [
    "hello: stage-link/1, flow rtsp-hotspot, ready", "hello v 2: -32010", "hello without nonce: -32602",
    "state: idle, run none",
  ]
  private static let requests = [
    "echo 0: 0 bytes", "echo 511: 511 bytes", "echo 512: 512 bytes", "echo 513: 513 bytes", "echo 1024: 1024 bytes",
    "echo 5000: -32009", "echo -1: -32602", "echo: -32602", "ping: the clock goes forward", "unknown method: -32601",
    "log: at most 3 lines", "log goes on: at most 3 lines", "events since -1: -32602",
  ]
  private static let faults = [
    "fault list: paged, none twice", "inject of nothing: -32602", "inject unknown fault: -32005",
    "inject at a wrong stage: -32005", "inject nowhere: -32004", "inject: id", "clear it: ok", "clear it again: -32005",
    "clear all: ok",
  ]
  private static let runs = [
    "start without run: -32602", "start of an unknown flow: -32003", "start with a wrong bitrate: -32004 range",
    "stop before any start: -32002", "start: accepted", "start again: accepted",
    "start of another run: -32001 owner r1",
    "stop of another run: -32002",
    "configureHotspotStarting, hotspotConfigureCompletion, enterLiveStreamingModeStarting, "
      + "enterLiveStreamingModeCompleted, waitingForHotspotOpen, connectDeviceHotspotStarting, "
      + "deviceHotspotConnectCompletion, rtspAddressReceived and sessionStartCompletion",
    "state: streaming, run r1", "stop: accepted", "stop again: accepted", "sessionFinish: userStopped true",
    "stop after the end: accepted", "state: idle, run none",
    "replay: every event once, in order", "replay since the last: nothing",
    "refuse at enter-live-mode: success false, error device 77", "sessionFinish: userStopped false, error device 77",
    "reconnect: same boot, run r3", "the run goes on: sessionStartCompletion", "sessionFinish: userStopped true",
  ]
  private static let ownerTimeout = [
    "owner silent: state idle, run none", "owner silent: sessionFinish userStopped false",
  ]
  private static let reset = [
    "reset to nowhere: -32004", "reset: accepted", "link lost", "after the reset: another boot, idle, no events",
  ]
}
