import CRigShims
import Glibc
import RigLoop
import RigModel
import RigPlan
import RigReport
import RigRunner

enum RunCommand: Command {
  static let name = "run"
  static let summary = "Run plans on devices and write reports."
  static let usage = "[OPTION…] [PATH…]"
  static let options =
    Selection.options + [
      Option.value("--jobs", "N", "cases at a time, each on a device of its own; default 1"),
      Option.value("--reports", "DIR", "where reports go; default Reports"),
      Option.value("--junit", "FILE", "where JUnit goes; default DIR/junit.xml"),
      Option.value("--junit-profile", "P", "strict (default) or rich"),
      Option.flag("--json", "events as JSON lines on standard output"),
      Option.flag("--fail-fast", "start no more cases after one that did not pass"),
      Option.flag(
        "--rerun-failed", "run again what did not pass in the run that left its journal in DIR, and merge the reports"),
      Option.flag("--simulate", "virtual time, without a wire: flow-level plans only"),
      Option.flag("--no-capture", "no packets: says which checks that costs"),
      Option.value(
        "--link", "LINK",
        "auto (default): loopback, and namespace where a case impairs the link; loopback; namespace: real frames and "
          + "a DHCP lease for every case; wifi: a radio joins the hotspot of the device (needs root); networkmanager: "
          + "NetworkManager joins it"),
      Option.value("--radio", "NAME", "for the last two: the interface or the radio, such as wlan0 or phy0"),
      Option.value("--country", "CC", "for --link wifi: the country whose rules the radio keeps, such as DE"),
      Option.value("--key-file", "FILE", "for the last two: the key of a hotspot whose device does not tell it"),
      Option.value(
        "--device", "TARGET", "drive the stage-link/1 device there instead of emulated ones: \(DeviceTarget.forms)"),
      RigFiles.option,
      RunLeases.wait,
      Option.value("--device-host", "ADDRESS", "whose media it sends, where TARGET is no HOST:PORT"),
      Option.value("--interface", "NAME", "where its media comes in, default lo"),
      RunSettings.dateOption,
      Option.flag("--verbose", "a line for each stage"),
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let simulate = arguments.has("--simulate")
    var settings = try RunSettings(arguments)
    var earlier: EarlierRun?
    var lock: ReportsLock?
    if arguments.has("--rerun-failed") {
      // A run that still goes on has not failed yet.
      lock = try ReportsLock(existing: settings.reports, by: LeaseRecord("run", device: "", clock: .current))
      let run = try EarlierRun(reports: settings.reports)
      guard (run.header.time == .virtual) == simulate else {
        throw UsageError(
          description: "--rerun-failed: the earlier run was in \(run.header.time.rawValue) time: "
            + (simulate ? "leave --simulate out" : "add --simulate"))
      }
      if run.isAllPassed {
        Output.raw(ConsoleReport.summary([run.state], reports: settings.reports))
        Output.complain("--rerun-failed: nothing is to be run again")
        return RunSummary(run.state).exitStatus
      }
      if !arguments.has("--seed") { settings.seed = run.header.seed }
      earlier = run
    }
    let named = arguments.operands
    let plans = try PlanFiles.read(named.isEmpty ? earlier?.files ?? [] : named)
    guard PlanFiles.report(plans) else { return ExitStatus.usage }
    // Nothing may have started a thread before this.
    let access = simulate ? nil : NetworkAccess.prepare(settings, plans: plans.plans.map(\.plan))
    let schedule = try Selection.schedule(
      plans, arguments, seed: settings.seed, simulate: simulate, noCapture: settings.noCapture,
      linkClosed: access?.linkClosed, link: settings.link, rig: settings.rig, device: settings.device)
    if settings.noCapture, !simulate { Output.complain(CaptureAccess.cost) }
    if case .denied(let why)? = access?.capture {
      Output.complain("\(why)\n\(CaptureAccess.remedies)")
      return ExitStatus.rig
    }
    if settings.rig != nil, let why = access?.linkClosed {
      Output.complain("link namespace: \(why)")
      return ExitStatus.rig
    }
    if settings.link == .namespace, let why = access?.linkClosed {
      Output.complain("--link namespace: \(why)")
      return ExitStatus.rig
    }
    if !simulate, !HelperProgram.isExecutable(HelperProgram.media) {
      Output.complain(
        "the media helper \(HelperProgram.media) is missing; build it with: swift build --product streamrig-media")
      return ExitStatus.rig
    }
    let planned = schedule.plannedCases(Catalogs.vocabulary)
    var cases = zip(schedule.entries, planned).map {
      ScheduledCase(item: $0.item, planned: $1, skipped: $0.skipped, workers: $0.devices.map(Set.init))
    }
    if let earlier { cases = earlier.narrow(cases) }
    let leases: RunLeases
    do { leases = try lease(settings, cases, simulate: simulate) } catch let held as DeviceLease.Held {
      Output.complain("\(held.line); --wait waits for it")
      return ExitStatus.rig
    }
    defer { leases.release() }
    return try RunSession(
      settings, cases, simulate: simulate, earlier: earlier?.state, lock: lock,
      console: ConsoleSink(settings, earlier: earlier?.state)
    ).run()
  }
}

extension RunCommand {
  /// Takes the devices that some case may run on. Emulated ones need no lease.
  private static func lease(_ settings: RunSettings, _ cases: [ScheduledCase], simulate: Bool) throws -> RunLeases {
    var targets: [LeaseTarget] = []
    if let rig = settings.rig {
      targets = RigBench.used(rig, by: cases).sorted().map { LeaseTarget(rig.devices[$0]) }
    } else if let device = settings.device, !simulate {
      targets = [LeaseTarget(device)]
    }
    return try RunLeases.take(targets, for: "run", patience: settings.patience)
  }
}

/// The options of a run, read once.
struct RunSettings {
  var seed: UInt64
  private(set) var jobs: Int
  let reports: String
  let junit: String
  let profile: JUnitReport.Profile
  let json: Bool
  let failFast: Bool
  let noCapture: Bool
  let verbose: Bool
  /// How a device is reached that is there already.
  let device: DeviceTarget?
  /// Its address on the network that the media takes.
  let deviceHost: String
  let interface: String
  let link: LinkChoice
  let radio: RadioChoice?
  /// Decides which quarantines have run out.
  let today: CalendarDate
  /// The devices of a rig file, in place of emulated ones.
  var rig: Rig?
  /// How long to wait for devices that others hold.
  var patience: Duration?

  init(_ arguments: Arguments) throws(UsageError) {
    seed = try arguments.seed("--seed") ?? UInt64.random(in: 0...0xFFFF_FFFF)
    jobs = try arguments.number("--jobs", 1...64, default: 1)
    reports = arguments.last("--reports") ?? "Reports"
    junit = arguments.last("--junit") ?? "\(reports)/junit.xml"
    guard let profile = JUnitReport.Profile(rawValue: arguments.last("--junit-profile") ?? "strict") else {
      throw UsageError(description: "--junit-profile is strict or rich")
    }
    self.profile = profile
    json = arguments.has("--json")
    failFast = arguments.has("--fail-fast")
    noCapture = arguments.has("--no-capture")
    verbose = arguments.has("--verbose")
    interface = arguments.last("--interface") ?? "lo"
    device = try arguments.last("--device").map { text throws(UsageError) in
      try DeviceTarget(text, option: "--device")
    }
    deviceHost = arguments.last("--device-host") ?? device?.host ?? ""
    guard device == nil || noCapture || SocketAddress(host: deviceHost, port: 1) != nil else {
      throw UsageError(
        description: "--device-host takes the numeric address that the device has on its hotspot: packets from there "
          + "are judged; or go without them, with --no-capture")
    }
    today = try RunSettings.date(arguments)
    guard let link = LinkChoice(rawValue: arguments.last("--link") ?? LinkChoice.automatic.rawValue) else {
      throw UsageError(description: "--link is \(LinkChoice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    self.link = link
    guard device == nil || link != .namespace else {
      throw UsageError(description: "--link namespace starts its devices itself: it goes without --device")
    }
    patience = try arguments.duration("--wait")
    rig = arguments.has("--simulate") ? nil : try RigFiles.given(arguments)
    if let rig {
      for option in ["--device", "--device-host", "--interface", "--link", "--jobs"] where arguments.has(option) {
        throw UsageError(
          description: "\(RigFiles.origin(arguments)) says what each device needs: it goes without \(option)")
      }
      jobs = rig.devices.count
    }
    radio = try RadioChoice(arguments, link: link, hasDevice: device != nil)
    guard device == nil || jobs == 1 else { throw UsageError(description: "--device is one device: --jobs must be 1") }
  }

  /// A run of the harness's own, without options.
  init(seed: UInt64, jobs: Int, reports: String) {
    self.seed = seed
    self.jobs = jobs
    self.reports = reports
    junit = "\(reports)/junit.xml"
    profile = .strict
    json = false
    failFast = false
    noCapture = false
    verbose = false
    device = nil
    deviceHost = ""
    interface = "lo"
    link = .automatic
    radio = nil
    today = RunSettings.currentDate
  }

  static let dateOption = Option.value(
    "--date", "DATE", "the day by which quarantines run out, such as 2027-01-31; default today (UTC)")

  /// The day by which quarantines run out: of `--date`, or today.
  static func date(_ arguments: Arguments) throws(UsageError) -> CalendarDate {
    guard let text = arguments.last("--date") else { return currentDate }
    guard let date = CalendarDate(text) else {
      throw UsageError(description: "--date takes a date such as 2027-01-31, not \(PrintableText.quote(text))")
    }
    return date
  }

  private static var currentDate: CalendarDate {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return CalendarDate(daysSince1970: Int64(now.tv_sec) / 86_400)
  }
}
