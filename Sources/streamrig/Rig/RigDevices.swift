import RigDevice
import RigDrivers
import RigLinks
import RigLoop
import RigModel
import RigPlan
import RigReport
import RigRunner
import RigWire

/// The devices of a rig as they are now: reached, looked at by the preflight, leased, set aside.
enum RigDevices {
  private struct Finding: Sendable {
    let device: Rig.Device
    /// `nil`: it was not asked.
    var report: DevicePreflight.Report?
    /// Why it could not even be tried.
    var failure: String?
    var held: DeviceLease.Held?
    var quarantine: QuarantineNote?

    /// One that somebody uses, and one that is emulated for each run, was not.
    var isAsked: Bool { report != nil || failure != nil }

    var isUsable: Bool { failure == nil && (report?.isHealthy ?? true) }

    /// In one word, and why.
    var health: (word: String, why: String) {
      if let failure { return ("unusable", failure) }
      if let report { return report.problem.map { ("unhealthy", "\($0)") } ?? ("healthy", "") }
      if let held { return ("in use", "\(held)") }
      return ("emulated", "")
    }
  }

  /// Asks all of them at once, and prints what they are.
  /// - Returns: 3 where one is not well.
  /// - Throws: `LeaseTarget.Twins` where two are the same device: the second would find it used by the first.
  static func list(_ rig: Rig, json: Bool) throws -> Int32 {
    try LeaseTarget.refuseTwins(rig.devices.map { LeaseTarget($0) })
    let loop = try EpollLoop()
    let findings = try loop.run {
      await withTaskGroup(of: (Int, Finding).self) { group in
        for (index, device) in rig.devices.enumerated() {
          group.addTask(executorPreference: loop) { (index, await examine(loop, device)) }
        }
        var all: [(Int, Finding)] = []
        for await one in group { all.append(one) }
        return all.sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
    if json {
      for finding in findings { Output.print(self.json(finding).text) }
    } else {
      Output.raw(ColumnText.table(findings.map(row), left: 6, indent: 0))
      for finding in findings {
        let why = finding.health.why
        if !why.isEmpty { Output.print("\(finding.device.name): \(TerminalText.line(why, columns: 400))") }
        if let note = finding.quarantine { Output.print("\(finding.device.name): \(LeaseText.line(note))") }
      }
    }
    return findings.allSatisfy(\.isUsable) ? 0 : ExitStatus.rig
  }

  /// A device that somebody uses is left alone; one that is free is leased while it is asked.
  private static func examine(_ loop: EpollLoop, _ device: Rig.Device) async -> Finding {
    var finding = Finding(device: device)
    let target = LeaseTarget(device)
    do {
      finding.quarantine = try QuarantineNote.read(target.names, clock: .current)
      guard let opener = try device.opener(loop) else { return finding }
      let lease = try RunLeases.take([target], for: "devices", patience: nil)
      defer { lease.release() }
      let preflight = DevicePreflight(loop, link: LoopbackLink(loop), expectation: device.expectation) {
        StageLinkDriver(loop, opener) { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
      }
      finding.report = await preflight.run()
      await opener.close()
    } catch let held as DeviceLease.Held {
      finding.held = held
    } catch {
      finding.failure = "\(error)"
    }
    return finding
  }

  private static func row(_ finding: Finding) -> [String] {
    func cell(_ text: String) -> String { TerminalText.line(text.isEmpty ? "-" : text, columns: 40) }
    let hello = finding.report?.hello
    return [
      finding.device.name, cell(hello?.model ?? finding.device.model),
      cell(hello?.serial ?? finding.device.serial ?? ""), cell(hello?.firmware ?? ""),
      cell(finding.device.control.text), finding.health.word,
    ]
  }

  private static func json(_ finding: Finding) -> JSONValue {
    let hello = finding.report?.hello
    return [
      "device": .string(finding.device.name), "control": .string(finding.device.control.text),
      "link": .string(finding.device.link.text), "model": .string(hello?.model ?? finding.device.model),
      "serial": (hello?.serial ?? finding.device.serial).map { .string($0) } ?? .null,
      "firmware": hello.map { .string($0.firmware) } ?? .null,
      "reachable": finding.isAsked ? .bool(hello != nil) : .null,
      "health": .string(finding.health.word),
      "problem": finding.isUsable ? .null : .string(finding.health.why),
      "passed": .list(finding.report?.passed ?? []),
      "leased": finding.held.map { LeaseText.json($0) } ?? .null,
      "quarantine": finding.quarantine.map { LeaseText.json($0) } ?? .null,
    ]
  }
}
