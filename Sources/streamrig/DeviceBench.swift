import Glibc
import RigCapture
import RigDevice
import RigDrivers
import RigEmulator
import RigLinks
import RigLoop
import RigMedia
import RigModel
import RigPlan
import RigReport
import RigRunner

/// A device of a rig file, for a bench that has it alone.
struct BenchDevice {
  var name: String
  var model: String
  /// The address that its media comes from.
  var host: String
  /// `nil`: it is emulated.
  var opener: (any ChannelOpener)?
  /// A phone plays what the device sends; `nil`: the harness plays.
  var phone: PhoneRecorder?
  /// The harness is not on the device's network.
  var isAway = false
}

/// The bench without a rig: each worker starts an emulated device as a child process, and keeps it between cases; or
/// the one device that `--device` names.
actor DeviceBench: CaseBench {
  private struct Device {
    /// `nil`: somebody else's.
    let child: ChildProcess?
    let host: String
    let opener: any ChannelOpener
    let name: String
    /// The air in front of it; `nil`: it is reached over loopback, or as `--interface` says.
    var air: NamespaceLink?
  }

  /// A device child that did not come up.
  struct NoDevice: Error, CustomStringConvertible {
    let description: String
  }

  private let loop: EpollLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let reports: String
  private let captureThread: LoopThread?
  private let captureSkipped: String
  private let seed: UInt64
  private let given: Device?
  private let interface: String
  private let link: LinkChoice
  /// The only device that there is, where a rig file names it.
  private let only: BenchDevice?
  private let radio: RadioChoice?
  private var station: (any RadioLink)?
  private var airs: [Int: NamespaceLink] = [:]
  private var devices: [String: Device] = [:]
  private var started = 0
  /// Whether the given device was asked for a run of somebody else.
  private var isLookedAt = false
  private var isInterrupted = false
  /// What was done for the next case of the given device.
  private var preparations: [RunRecord.Property] = []

  /// - Parameters:
  ///   - captureThread: `nil`: no capture.
  ///   - captureSkipped: why there is none.
  ///   - device: how a device is reached that is there already; `nil`: emulated ones are started.
  ///   - deviceHost: the address that its media comes from.
  ///   - interface: where the media comes in, for a device that has no air of its own.
  ///   - link: over which path emulated devices are reached.
  ///   - only: a device of a rig file, in place of `device`; it takes every case.
  ///   - radio: for a link by a radio.
  init(
    _ loop: EpollLoop, reports: String, captureThread: LoopThread?, captureSkipped: String, seed: UInt64,
    device: DeviceTarget?, deviceHost: String, interface: String, link: LinkChoice, only: BenchDevice? = nil,
    radio: RadioChoice? = nil
  ) {
    self.loop = loop
    self.reports = reports
    self.captureThread = captureThread
    self.captureSkipped = captureSkipped
    self.seed = seed
    given =
      device.map { Device(child: nil, host: deviceHost, opener: $0.opener(loop), name: $0.deviceName) }
      ?? only.flatMap { only in
        only.opener.map { Device(child: nil, host: only.host, opener: $0, name: only.name) }
      }
    self.only = only
    self.interface = interface
    self.link = link
    self.radio = radio
  }

  func environment(for scheduled: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    let item = scheduled.item
    let device = try await device(for: item, worker: worker)
    let folder = try CaseFolder(
      reports: reports,
      relative: "cases/\(FileName.caseFolder(caseID: item.id, device: device.name, attempt: scheduled.attempt))"
    ) { [secrets = radio?.secrets ?? []] in Redactor(secrets: secrets).redact($0) }
    await station?.restart()
    let loop = loop
    let phone = only?.phone.map { PhoneImport(loop, $0, folder, item) }
    let capture = phone != nil ? nil : try captureThread.map { try self.capture(on: $0, device, folder, item) }
    let gap = item.plan.limits["media-gap"] ?? .seconds(2)
    // Whether anybody answers must be known before the limit of the first key frame.
    let play = item.plan.limits[StageID.play.rawValue] ?? .seconds(5)
    await device.air?.restart(seed: item.seed)
    let driver = driver(device)
    defer { preparations = [] }
    var environment = CaseEnvironment(
      deviceName: device.name, host: device.host,
      driver: driver(),
      link: link(to: device),
      player: HelperProbe(
        loop, program: HelperProgram.media, gap: gap, connectLimit: play * 0.9, start: station?.start(loop)
      ) { folder.openLog("media-helper.log") },
      capture: capture,
      captureSkipped: phone != nil ? "a phone plays, and the harness captures nothing" : captureSkipped,
      files: folder,
      lag: { loop.worstLag(since: $0) },
      nextStart: NextStart(
        device: device.name, driver: driver,
        recovery: RecoveryLadder(
          loop, [RecoveryLadder.agentReset(driver)], driver: driver, isStopped: isStopped)))
    environment.preparations = preparations
    environment.phone = phone
    return environment
  }

  func interrupt() { isInterrupted = true }

  /// For the loop's thread.
  private var isStopped: @Sendable () -> Bool {
    { [weak self] in self?.assumeIsolated { $0.isInterrupted } ?? true }
  }

  private func driver(_ device: Device) -> @Sendable () -> any DeviceDriver {
    { [loop, opener = device.opener] in
      StageLinkDriver(loop, opener) { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
    }
  }

  /// The device that a case would get: how it is spoken to, and what sees its hotspot.
  func access(for item: Case, worker: Int) async throws -> (driver: @Sendable () -> any DeviceDriver, link: any Link) {
    let device = try await device(for: item, worker: worker)
    return (driver(device), link(to: device))
  }

  private func link(to device: Device) -> any Link {
    if let station { return station }
    if let air = device.air { return air }
    if only?.isAway == true { return AwayLink(loop) }
    return LoopbackLink(loop)
  }

  private func capture(
    on thread: LoopThread, _ device: Device, _ folder: CaseFolder, _ item: Case
  ) throws -> JudgedCapture {
    guard let station else {
      return try JudgedCapture(
        thread, interface: device.air?.interface ?? interface, host: device.host, except: device.opener.endOnWire,
        folder: folder, item: item)
    }
    // The socket of a capture belongs to the namespace in which it was opened.
    return try station.inStation {
      try JudgedCapture(
        thread, interface: station.interface, host: device.host, except: device.opener.endOnWire, folder: folder,
        item: item)
    }
  }

  private func device(for item: Case, worker: Int) async throws -> Device {
    if let given {
      try await wait(for: given)
      return given
    }
    if let only { return try await emulated(only.model, worker: worker, behindAir: link.usesAir(item.plan)) }
    guard let profile = DeviceProfile.all.first(where: { NameGlob(item.plan.deviceModel).matches($0.model) }) else {
      throw NoDevice(description: "no emulated device matches the model \(item.plan.deviceModel)")
    }
    return try await emulated(profile.model, worker: worker, behindAir: link.usesAir(item.plan))
  }

  /// A device that is there already may still serve a run of a harness that is gone. In a rig the preflight looks.
  private func wait(for device: Device) async throws {
    guard only == nil, !isLookedAt else { return }
    isLookedAt = true
    do {
      let ended = try await LeftRun.waitOut(loop, driver(device), isStopped: isStopped) {
        Output.complain(PrintableText.cut($0, to: 400))
      }
      if let ended { preparations.append(RunRecord.Property("preflight", ended)) }
    } catch let problem as DevicePreflight.Problem {
      throw WorkerUnfit("\(device.name): \(problem)")
    } catch let interrupted as RunInterrupted {
      throw interrupted
    } catch {
      // Whether it answers at all is for the case to say.
    }
  }

  private func emulated(_ model: String, worker: Int, behindAir: Bool) async throws -> Device {
    let key = "\(worker) \(model) \(behindAir)"
    if let device = devices[key] {
      if device.child?.isRunning == true { return device }
      devices[key] = nil
    }
    started += 1
    let name = only?.name ?? "emu-\(started)"
    let arguments = [
      "emulate", "--json", "--until-eof", "--model", model, "--serial", name, "--seed",
      "\(seed &+ UInt64(worker) &* 977)",
    ]
    let air = behindAir ? try await air(worker, for: key) : nil
    let child: ChildProcess
    if let air {
      child = try await air.spawn(program: HelperProgram.own, arguments: arguments + ["--host", air.deviceHost])
    } else {
      child = try ChildProcess(loop, program: HelperProgram.own, arguments: arguments)
    }
    var text: [UInt8] = []
    while !text.contains(0x0A), case let bytes = try await child.io.read(), !bytes.isEmpty { text += bytes }
    guard let json = try? JSONParser.parse(String(decoding: text, as: UTF8.self)), let host = json["host"]?.string,
      let port = json["control"]?.integer.flatMap({ UInt16(exactly: $0) }),
      let control = SocketAddress(host: host, port: port)
    else {
      let exit = try await child.end()
      throw NoDevice(description: "the emulated device \(model) did not start: \(exit)")
    }
    let device = Device(
      child: child, host: host, opener: air?.opener(control) ?? TCPOpener(loop, control), name: name, air: air)
    devices[key] = device
    return device
  }

  /// Makes the airs of all workers before any case runs: the kernel takes its time, and a case's limits would not stand
  /// still meanwhile.
  func prepareAirs(_ workers: Int) throws {
    for worker in 0..<workers { _ = try makeAir(worker) }
  }

  /// The air of one worker.
  func prepareAir(_ worker: Int) throws { _ = try makeAir(worker) }

  /// Takes the radio before any case runs. Does nothing for another link.
  func prepareRadio() async throws {
    guard let radio else { return }
    station = try await radio.take(loop)
  }

  private func makeAir(_ worker: Int) throws -> NamespaceLink {
    if let air = airs[worker] { return air }
    guard let number = UInt8(exactly: worker) else { throw NoDevice(description: "too many devices for one machine") }
    let air = try NamespaceLink(loop, number: number, seed: seed)
    airs[worker] = air
    return air
  }

  /// One air a worker. A device of another model that still stands behind it makes room.
  private func air(_ worker: Int, for key: String) async throws -> NamespaceLink {
    let air = try makeAir(worker)
    for (other, device) in devices where device.air === air && other != key {
      _ = try await device.child?.end()
      devices[other] = nil
    }
    return air
  }

  func close() async {
    for device in devices.values { _ = try? await device.child?.end() }
    devices = [:]
    await given?.opener.close()
    for air in airs.values { await air.close() }
    airs = [:]
    await station?.close()
    station = nil
  }
}
