import Glibc
import RigModel
import RigPlan
import RigReport
import RigRunner

enum LeaseCommand: Command {
  static let name = "lease"
  static let summary = "Show who uses a device, keep it for yourself for a while, or give it back."
  static let usage = "status [DEVICE…] | hold DEVICE [--for TIME] [-- COMMAND…] | release DEVICE"
  static let options = [
    Option.value("--rig", "FILE", "the rig file that names DEVICE; default: $STREAMRIG_RIG"),
    Option.value(
      "--for", "TIME", "how long to hold it, such as \"30 min\" (the default without COMMAND); at most 24 h"),
    RunLeases.wait,
    Option.flag("--force", "release what another user holds; a running process is never robbed of its device"),
    Option.flag("--json", "status as one JSON object a line"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let rig = try RigFiles.given(arguments)
    let words = arguments.operands.dropFirst()
    switch arguments.operands.first {
    case "status": return try status(try targets(Array(words), rig), json: arguments.has("--json"))
    case "hold":
      guard let device = words.first else { throw UsageError(description: "hold needs a DEVICE") }
      let target = try physical(device, rig)
      let time = try arguments.duration("--for")
      guard time ?? .zero <= .seconds(LeaseClock.longestHold) else {
        throw UsageError(description: "--for takes at most 24 h")
      }
      let command = Array(words.dropFirst())
      let patience = try arguments.duration("--wait")
      return command.isEmpty
        ? try hold(target, for: time ?? .seconds(1_800), patience)
        : try hold(target, for: time, patience, during: command)
    case "release":
      guard words.count == 1, let device = words.first else {
        throw UsageError(description: "release needs one DEVICE")
      }
      return try release(try physical(device, rig), force: arguments.has("--force"))
    default: throw UsageError(description: "expected status, hold or release")
    }
  }

  private static func targets(_ names: [String], _ rig: Rig?) throws(UsageError) -> [LeaseTarget] {
    if names.isEmpty {
      guard let rig else {
        throw UsageError(description: "expected a DEVICE (\(DeviceTarget.forms)), or --rig FILE for all of a rig")
      }
      return rig.devices.map { LeaseTarget($0) }
    }
    return try names.map { name throws(UsageError) in try LeaseTarget(name, rig: rig) }
  }

  private static func physical(_ name: String, _ rig: Rig?) throws(UsageError) -> LeaseTarget {
    let target = try LeaseTarget(name, rig: rig)
    guard !target.names.isEmpty else {
      throw UsageError(description: "\(name) is emulated: everybody has one of his own, and it needs no lease")
    }
    return target
  }

  // MARK: Status

  private static func status(_ targets: [LeaseTarget], json: Bool) throws -> Int32 {
    let clock = LeaseClock.current
    for target in targets {
      let held = try DeviceLease.holder(target.device, names: target.names, clock: clock)
      let quarantine = try QuarantineNote.read(target.names, clock: clock)
      if json {
        Output.print(LeaseText.json(target, held, quarantine).text)
        continue
      }
      let free = target.names.isEmpty ? "is emulated, and needs no lease" : "is free"
      Output.print(held?.line ?? "\(target.device) \(free)")
      if let quarantine { Output.print("  " + LeaseText.line(quarantine)) }
    }
    return 0
  }

  // MARK: Hold

  /// Leaves a record that holds until a time, and ends.
  private static func hold(_ target: LeaseTarget, for time: Duration, _ patience: Duration?) throws -> Int32 {
    guard let lease = try take(target, patience) else { return ExitStatus.rig }
    let clock = LeaseClock.current
    let seconds = max(1, time.components.seconds)
    let token = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    var record = LeaseRecord(LeaseRecord.holdPurpose, device: target.device, clock: clock)
    record.hold = LeaseRecord.Hold(
      token: token, boot: clock.boot, untilUptime: clock.uptime + seconds, until: clock.now + seconds)
    do { try lease.hold(record) } catch {
      Output.complain("\(target.device) is not held: \(error)")
      return ExitStatus.rig
    }
    Output.diagnose("\(target.device) is yours until \(UTCTime.text(clock.now + seconds)); runs of yours need this:")
    // What the shell has of other devices goes on.
    Output.print("export STREAMRIG_LEASE=\((RunLeases.tokens + [token]).joined(separator: ","))")
    return 0
  }

  /// Holds it while a command runs.
  /// - Returns: the command's exit status.
  private static func hold(
    _ target: LeaseTarget, for time: Duration?, _ patience: Duration?, during command: [String]
  ) throws -> Int32 {
    guard let lease = try take(target, patience) else { return ExitStatus.rig }
    // Whoever ends this process with the command still at work has not given the device back.
    lease.pass()
    let ending: ForegroundCommand.Ending
    do {
      defer { lease.release() }
      ending = try ForegroundCommand.run(command, limit: time) {
        Output.complain("the time for which \(target.device) was held is over: ending \(command[0])")
      }
    }
    return ending.follow()
  }

  private static func take(_ target: LeaseTarget, _ patience: Duration?) throws -> RunLeases? {
    do { return try RunLeases.take([target], for: LeaseRecord.holdPurpose, patience: patience) } catch let held
      as DeviceLease.Held
    {
      Output.complain(held.line)
      return nil
    }
  }

  // MARK: Release

  private static func release(_ target: LeaseTarget, force: Bool) throws -> Int32 {
    let clock = LeaseClock.current
    guard let held = try DeviceLease.holder(target.device, names: target.names, clock: clock) else {
      Output.print("\(target.device) is free")
      return 0
    }
    guard !held.isProcess, let record = held.record, let hold = record.hold else {
      Output.complain("\(held.line); it is given back when that \(held.isLeft ? "command" : "process") ends")
      return ExitStatus.rig
    }
    guard force || record.uid == getuid() || getuid() == 0 else {
      Output.complain("\(held.line); --force takes it away")
      return ExitStatus.rig
    }
    let lease: DeviceLease
    do {
      lease = try DeviceLease.take(
        target.device, names: target.names,
        record: LeaseRecord("release", device: target.device, clock: clock), tokens: [hold.token], clock: clock)
    } catch let held as DeviceLease.Held {
      Output.complain(held.line)
      return ExitStatus.rig
    }
    try lease.free()
    Output.print("\(target.device) is free")
    return 0
  }
}

/// Leases for output.
enum LeaseText {
  static func line(_ note: QuarantineNote) -> String {
    TerminalText.line(
      "quarantined by run \(note.run) since \(UTCTime.text(note.since)), noted until \(UTCTime.text(note.until)): "
        + note.reason, columns: 400)
  }

  static func json(_ note: QuarantineNote) -> JSONValue {
    [
      "reason": .string(note.reason), "run": .string(note.run), "since": .string(UTCTime.text(note.since)),
      "until": .string(UTCTime.text(note.until)),
    ]
  }

  static func json(_ held: DeviceLease.Held) -> JSONValue {
    [
      "by": .string(held.isProcess ? "process" : "hold"), "pid": held.record.map { .integer(Int64($0.pid)) },
      "user": held.record.map { .string($0.user) }, "host": held.record.map { .string($0.host) },
      "since": held.record.map { .string(UTCTime.text($0.since)) }, "for": held.record.map { .string($0.purpose) },
      "until": held.record?.hold.map { .string(UTCTime.text($0.until)) },
    ]
  }

  static func json(_ target: LeaseTarget, _ held: DeviceLease.Held?, _ note: QuarantineNote?) -> JSONValue {
    [
      "device": .string(target.device), "leased": held.map { json($0) } ?? .null,
      "quarantine": note.map { json($0) } ?? .null,
    ]
  }
}
