import RigDevice
import RigDrivers
import RigLinks
import RigLoop
import RigModel
import RigPlan
import RigReport
import RigRunner
import RigUSB
import RigWire

/// The bench of a rig file: each device is a worker, with a `DeviceBench` that has it alone.
///
/// A device is looked at before its first case, and again after it was brought back. One that is not well and cannot be
/// brought back is quarantined for the run: its cases go to other devices, or end as errors.
actor RigBench: CaseBench {
  private struct Unit {
    let device: Rig.Device
    let bench: DeviceBench
    /// How its control link is opened; `nil`: it is emulated.
    let opener: (any ChannelOpener)?
    let lease: LeaseTarget
    /// The preflight was passed, and nothing was done to the device since.
    var isProven = false
    /// Why it runs no more cases.
    var quarantine: String?
    /// What was done to it since the last case began.
    var treatments: [RunRecord.Property] = []
  }

  private let loop: EpollLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let rig: Rig
  private let settings: RunSettings
  private let run: String
  private let captureThread: LoopThread?
  /// Indices of the devices that the run may need.
  private let used: Set<Int>
  private var units: [Int: Unit] = [:]
  /// Devices of which nothing could even be made, each with the reason.
  private var broken: [Int: String] = [:]
  private let attendant = RigAttendant()
  private var isInterrupted = false

  /// How long a quarantine is noted for people to see.
  private static let quarantineNoted: Int64 = 3_600
  /// How long a physical device may take to come back.
  private static let patience: Duration = .seconds(60)

  init(
    _ loop: EpollLoop, _ rig: Rig, _ settings: RunSettings, run: String, captureThread: LoopThread?, used: Set<Int>
  ) {
    self.loop = loop
    self.rig = rig
    self.settings = settings
    self.run = run
    self.captureThread = captureThread
    self.used = used
  }

  /// The devices that some case may run on.
  static func used(_ rig: Rig, by cases: [ScheduledCase]) -> Set<Int> {
    var used: Set<Int> = []
    for scheduled in cases where scheduled.skipped == nil { used.formUnion(scheduled.workers ?? []) }
    return used
  }

  /// Makes what takes its time, before any case runs.
  func prepare() async throws {
    for index in used.sorted() {
      let device = rig.devices[index]
      do {
        let opener = try device.opener(loop)
        let bench = try makeBench(device, opener, worker: index)
        if device.link == .namespace { try await bench.prepareAir(index) }
        try await bench.prepareRadio()
        units[index] = Unit(device: device, bench: bench, opener: opener, lease: LeaseTarget(device))
      } catch {
        // The others can run all the same.
        broken[index] = "\(device.name) cannot be used: \(error)"
        Output.complain(PrintableText.cut("\(device.name) cannot be used: \(error)", to: 400))
      }
    }
  }

  private func makeBench(
    _ device: Rig.Device, _ opener: (any ChannelOpener)?, worker: Int
  ) throws -> DeviceBench {
    let interface: String
    var radio: RadioChoice?
    switch device.link {
    case .interface(let name): interface = device.capture ?? name
    case .loopback, .namespace, .away: interface = device.capture ?? "lo"
    case .wifi(let name), .networkManager(let name):
      interface = ""
      radio = RadioChoice(
        name: name, isManaged: device.link == .networkManager(radio: name), country: device.country,
        key: try device.keyFile.map { try RadioChoice.key(in: $0, for: "key-file") })
    }
    return DeviceBench(
      loop, reports: settings.reports, captureThread: captureThread, captureSkipped: "--no-capture",
      seed: settings.seed &+ UInt64(worker) &* 7_919, device: nil, deviceHost: device.host ?? "", interface: interface,
      link: device.link.choice,
      only: BenchDevice(
        name: device.name, model: device.model, host: device.host ?? "", opener: opener,
        phone: device.phone.map { PhoneRecorder(loop, device, $0, isStopped: isStopped) }, isAway: device.link == .away),
      radio: radio)
  }

  func environment(for item: ScheduledCase, worker: Int) async throws -> CaseEnvironment {
    guard let unit = units[worker] else {
      throw WorkerUnfit(broken[worker] ?? "there is no device for worker \(worker)")
    }
    if let reason = unit.quarantine { throw WorkerUnfit(reason) }
    let access = try await unit.bench.access(for: item.item, worker: worker)
    let ladder = RecoveryLadder(
      loop,
      RigRecovery.steps(
        loop, unit.device, attendant: settings.json ? nil : attendant, isStopped: isStopped, opener: unit.opener,
        access.driver),
      patience: unit.device.isEmulated ? .seconds(20) : RigBench.patience, driver: access.driver, isStopped: isStopped
    ) { [weak self] text in self?.assumeIsolated { $0.treated(worker, text) } }
    if !unit.isProven { try await prove(worker, access.driver, access.link, ladder) }
    var environment = try await unit.bench.environment(for: item, worker: worker)
    environment.nextStart = NextStart(
      device: unit.device.name, driver: access.driver, recovery: ladder, recoversLostControl: true)
    environment.preparations = units[worker]?.treatments ?? []
    units[worker]?.treatments = []
    return environment
  }

  func interrupt() async {
    isInterrupted = true
    for unit in units.values { await unit.bench.interrupt() }
  }

  /// For the loop's thread.
  private var isStopped: @Sendable () -> Bool {
    { [weak self] in self?.assumeIsolated { $0.isInterrupted } ?? true }
  }

  func close() async {
    for unit in units.values { await unit.bench.close() }
    units = [:]
  }

  // MARK: Preflight

  private func treated(_ worker: Int, _ text: String) {
    units[worker]?.isProven = false
    units[worker]?.treatments.append(.init("recovery.step", text))
  }

  /// - Throws: `WorkerUnfit` where the device is not well and cannot be brought back.
  private func prove(
    _ worker: Int, _ driver: @escaping @Sendable () -> any DeviceDriver, _ link: any Link, _ ladder: RecoveryLadder
  ) async throws {
    guard let unit = units[worker] else { return }
    let preflight = DevicePreflight(
      loop, link: link, expectation: unit.device.expectation, driver: driver, isStopped: isStopped)
    var report = await preflight.run()
    if let problem = report.problem {
      units[worker]?.treatments.append(.init("preflight", "failed: \(problem)"))
      if isInterrupted { throw RunInterrupted(after: ["\(problem)"]) }
      guard problem.isCurable else { throw quarantine(worker, "\(problem)") }
      let last = LastReport()
      do {
        _ = try await ladder.climb(from: report.hello?.boot) {
          last.report = await preflight.run()
          return last.report?.isHealthy ?? false
        }
      } catch let interrupted as RunInterrupted {
        // Whether it could have been brought back is not known.
        throw interrupted
      } catch {
        throw quarantine(worker, "\(last.report?.problem ?? problem); \(error)")
      }
      report = last.report ?? report
    }
    units[worker]?.treatments.append(.init("preflight", report.passed.joined(separator: "; ")))
    units[worker]?.isProven = true
    // As it was named when it was leased, and as it is now: the line of a device that booted may be another file.
    let names = Set(unit.lease.names + LeaseTarget(unit.device).names)
    do { try QuarantineNote.clear(names.sorted()) } catch { Output.complain("\(error)") }
  }

  private func quarantine(_ worker: Int, _ why: String) -> WorkerUnfit {
    guard let unit = units[worker] else { return WorkerUnfit(why) }
    let reason = "\(unit.device.name) is quarantined for this run: \(why)"
    units[worker]?.quarantine = reason
    let redactor = Redactor(secrets: settings.secrets)
    Output.complain(PrintableText.cut(redactor.redact(reason), to: 400))
    guard !unit.lease.names.isEmpty else { return WorkerUnfit(reason) }
    let now = LeaseClock.current.now
    // Everybody who may use the machine's devices may read it.
    let note = QuarantineNote(
      reason: redactor.redact(why), run: run, since: now, until: now + RigBench.quarantineNoted)
    do { try note.write(unit.lease.names) } catch { Output.complain("the quarantine cannot be noted: \(error)") }
    return WorkerUnfit(reason)
  }

  // Unchecked: touched only on the loop's thread.
  private final class LastReport: @unchecked Sendable {
    var report: DevicePreflight.Report?
  }
}

extension Rig.Device {
  /// What the preflight compares with the device's own words.
  var expectation: DevicePreflight.Expectation {
    DevicePreflight.Expectation(
      model: model, serial: isEmulated ? nil : serial, capabilities: capabilities ?? [], flows: flows ?? [])
  }

  /// How its control link is opened; `nil`: it is emulated.
  func opener(_ loop: EpollLoop) throws -> (any ChannelOpener)? {
    switch control {
    case .tcp(let host, let port):
      guard let address = SocketAddress(host: host, port: port) else {
        throw DriverError("\(name): \(control.text) is no numeric address")
      }
      return TCPOpener(loop, address)
    case .serial(let path, let baud):
      return SerialOpener(loop, path: path, baud: baud ?? SerialOpener.standardBaud)
    case .usb(let selector): return USBOpener(loop, USBSelector(selector))
    case .command(let template):
      let (path, arguments) = try program(template)
      return ProcessOpener(loop, program: path, arguments: arguments)
    case .forward(let template):
      let (path, arguments) = try program(template)
      return ForwardOpener(loop, program: path, arguments: arguments, command: template.program)
    case .emulated: return nil
    }
  }
}
