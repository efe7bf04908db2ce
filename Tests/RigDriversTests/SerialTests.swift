import Foundation
import Glibc
import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

@Suite struct SerialTests {
  private static let flow = [
    "configureHotspotStarting", "hotspotConfigureCompletion", "enterLiveStreamingModeStarting",
    "enterLiveStreamingModeCompleted", "waitingForHotspotOpen", "connectDeviceHotspotStarting",
    "deviceHotspotConnectCompletion", "rtspAddressReceived", "sessionStartCompletion", "sessionFinish",
  ]

  @Test func theLineIsRawAndStaysUp() throws {
    let loop = try EpollLoop()
    try loop.run {
      let line = try PseudoTerminal(loop)
      let channel = try await SerialOpener(loop, path: line.path, baud: 230_400).open()
      let settings = line.settings
      #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
      #expect(settings.c_cflag & tcflag_t(PARENB | CSTOPB | HUPCL) == 0)
      #expect(settings.c_cflag & tcflag_t(CREAD | CLOCAL) == tcflag_t(CREAD | CLOCAL))
      #expect(settings.c_iflag == 0 && settings.c_oflag == 0 && settings.c_lflag == 0)
      // Every byte passes, in both directions.
      let all = (0...255).map { UInt8($0) }
      try await channel.write(all)
      var got: [UInt8] = []
      while got.count < 256 { got += try await line.far.read() }
      #expect(got == all)
      try await line.far.write(all)
      got = []
      while got.count < 256 { got += try await channel.read() }
      #expect(got == all)
      channel.close()
    }
  }

  /// The rig names something else: no reset of the device helps.
  @Test(arguments: ["/dev/null", "/"]) func whatIsNoLineIsTheMachinesOwn(_ path: String) throws {
    let loop = try EpollLoop()
    try loop.run {
      let error = await #expect(throws: DriverError.self) {
        _ = try await StageLinkDriver(loop, SerialOpener(loop, path: path), nonces: { "n" }).open { _ in }
      }
      #expect(error?.isOfHost == true)
      #expect(error?.description == "serial \(path): \(path) is no serial line")
    }
  }

  @Test func oneProcessHasTheLine() throws {
    let loop = try EpollLoop()
    try loop.run {
      let line = try PseudoTerminal(loop)
      let opener = SerialOpener(loop, path: line.path)
      #expect(opener.isGuarded && opener.name == "serial \(line.path)")
      let first = try await opener.open()
      let error = await #expect(throws: DriverError.self) {
        _ = try await StageLinkDriver(loop, opener, nonces: { "n" }).open { _ in }
      }
      #expect(error?.description == "serial \(line.path): another process has the line")
      #expect(error?.isOfHost == true)
      first.close()
      let again = try await opener.open()
      again.close()
    }
  }

  @Test(arguments: ["/dev/null", "/dev/no-such-line"]) func whatIsNoLine(_ path: String) throws {
    let loop = try EpollLoop()
    try loop.run {
      do {
        _ = try await StageLinkDriver(loop, SerialOpener(loop, path: path)) { "n" }.open { _ in }
        Issue.record("\(path) was opened")
      } catch { #expect("\(error)".hasPrefix("serial \(path): ")) }
    }
  }

  /// Log text between and inside of records, cut and flipped ones: every event comes once, in order.
  @Test func aLineThatIsSharedWithALogAndLosesBytes() throws {
    let loop = try EpollLoop()
    try loop.run {
      let noise = Noise()
      let wire = try SerialWire(loop) { noise.disturb($0) }
      defer { wire.end() }
      let agent = try ChildProcess(
        loop, program: AgentDemo.program, arguments: ["--tty", wire.far.path, "--guarded"])
      let log = SignalLog(loop)
      let driver = StageLinkDriver(loop, SerialOpener(loop, path: wire.near.path)) { "n" }
      let hello = try await driver.open { log.take($0) }
      #expect(hello.model == "c-demo")
      _ = try await driver.call("start", ["run": "r1", "flow": "rtsp-hotspot"], timeout: .seconds(5))
      // The first look may be early: the last event may have to be asked for.
      #expect(await log.event("sessionStartCompletion") != nil)
      _ = try await driver.call("stop", ["run": "r1"], timeout: .seconds(5))
      #expect(await log.event("sessionFinish")?.data["userStopped"] == true)
      #expect(log.eventNames == SerialTests.flow)
      #expect(await driver.damagedCount() > 2)
      let texts = log.signals.compactMap { signal in
        if case .deviceLog(let text) = signal { String(decoding: text, as: UTF8.self) } else { nil }
      }
      #expect(texts.contains("[  12.345] camera: frame"))
      #expect(!log.signals.contains { if case .eventsLost = $0 { true } else { false } })
      await driver.close()
      _ = try await agent.end()
    }
  }

  /// What a console does to the records of events; replies pass, so that no call has to wait for its limit.
  // Unchecked: touched only on the loop's thread.
  private final class Noise: @unchecked Sendable {
    private var count = 0
    func disturb(_ line: [UInt8]) -> [UInt8] {
      let log = Array("[  12.345] camera: frame\r\n".utf8)
      guard String(decoding: line, as: UTF8.self).contains("\"method\":\"event\"") else { return line + log }
      count += 1
      var bent = line
      switch count % 5 {
      case 1: bent[line.count / 2] ^= 0x10
      case 2: bent = Array(line.prefix(line.count / 3))
      case 3: bent = Array(line.prefix(20)) + log + Array(line.dropFirst(20))
      default: break
      }
      return log + bent
    }
  }

  /// A UART's bridge has power of its own: the line stays up while the device boots.
  @Test func aBootBehindALineThatStaysUpIsSeen() throws {
    let loop = try EpollLoop()
    try loop.run {
      let wire = try SerialWire(loop)
      defer { wire.end() }
      let agent = try ChildProcess(
        loop, program: AgentDemo.program, arguments: ["--tty", wire.far.path, "--guarded"])
      let log = SignalLog(loop)
      let driver = StageLinkDriver(loop, SerialOpener(loop, path: wire.near.path)) { "n" }
      let hello = try await driver.open { log.take($0) }
      _ = try await driver.call("reset", ["level": "device"], timeout: .seconds(5))
      let rebooted = await log.first { if case .rebooted = $0 { true } else { false } }
      guard case .rebooted(let from, let to)? = rebooted else {
        Issue.record("no reboot was seen")
        return
      }
      #expect(from == hello.boot && to != from)
      await driver.close()
      _ = try await agent.end()
    }
  }

  /// The device is unplugged, and comes back under another name that the same path leads to.
  @Test func aLineThatHangsUpIsOpenedAgainByItsPath() throws {
    let loop = try EpollLoop()
    try loop.run {
      let folder = FileManager.default.temporaryDirectory.appending(path: "serial-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let byID = folder.appending(path: "usb-Camera_0001-if00").path
      let world = SimulatedWorld(loop)
      let device = EmulatedDevice(
        loop, profile: .flagship, serial: "T1", seed: 1, hotspot: SimulatedHotspot(world),
        media: SimulatedMedia(world), guarded: true)
      let life = loop.spawn { try await device.live() }
      defer { life.cancel() }
      let first = try PseudoTerminal(loop)
      try FileManager.default.createSymbolicLink(atPath: byID, withDestinationPath: first.path)
      _ = await device.accept(first.far)
      let log = SignalLog(loop)
      let driver = StageLinkDriver(loop, SerialOpener(loop, path: byID)) { "n" }
      _ = try await driver.open { log.take($0) }
      _ = try await driver.call("start", ["run": "r1", "flow": "rtsp-hotspot"], timeout: .seconds(5))
      _ = await log.event("configureHotspotStarting")
      try FileManager.default.removeItem(atPath: byID)
      first.hangUp()
      let lost = await log.first { if case .controlLost = $0 { true } else { false } }
      #expect(lost != nil)
      let second = try PseudoTerminal(loop)
      _ = await device.accept(second.far)
      try FileManager.default.createSymbolicLink(atPath: byID, withDestinationPath: second.path)
      let back = await log.first { if case .controlBack = $0 { true } else { false } }
      #expect(back != nil)
      #expect(await log.event("sessionStartCompletion") != nil)
      #expect(log.eventNames.count == 9 && Set(log.eventNames).count == 9)
      await driver.close()
    }
  }
}
