import Foundation
import RigFlow
import RigModel
import Testing

/// Faults that a plan asks for, performed on the emulated bus, and proven by what the driver saw of its transfers.
@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct USBFaultTests {
  private static let unplugged = USBFaultResult.Batch(rows: USBFaultRow.rows("unplug"))
  /// What must be blamed where the agent is what is tested: its stage. Media that comes lets `play` pass without it.
  private static let underTest = USBFaultResult.Batch(
    rows: USBFaultRow.rows("unplug").map { $0.blamed($0.stage == "play" ? "running" : $0.stage) },
    options: ["--under-test"])
  /// Some stages of each; `ci/usb-sweep` plays all of them.
  private static let recovered = [
    USBFaultResult.Batch(
      rows: USBFaultRow.rows("unplug", "for=2s", at: ["preflight", "configure-stream", "connect-hotspot", "finish"])
        + USBFaultRow.rows("usb-timeout", at: ["enter-live-mode", "finish"])
        + USBFaultRow.rows("usb-stall", at: ["preflight", "configure-stream"])
        + USBFaultRow.rows("usb-stall", "way=out", at: ["preflight"])
        + USBFaultRow.rows("usb-stall", "way=both,for=12s", at: ["enter-live-mode"])
        + USBFaultRow.rows("stale-data", at: ["configure-hotspot", "running"])),
    // Many small transfers: the emulated bus is slow where it serves many devices at a time.
    USBFaultResult.Batch(rows: USBFaultRow.rows("short-packet", at: ["configure-hotspot", "finish"])),
  ]
  private static let deaf = USBFaultResult.Batch(
    rows: USBFaultRow.verbs.sorted().flatMap { USBFaultRow.rows($0, at: ["configure-hotspot"]) }, options: ["--deaf"])

  /// All batches and plans at the same time: they do little but wait.
  private static let played: (cells: [[USBFaultRow: USBFaultResult]], plans: [String], rig: String) = {
    let batches = [unplugged, underTest] + recovered + [deaf]
    let scratch = FileManager.default.temporaryDirectory.appending(path: "usb-plans-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let commands = batches.map(\.command) + plans.map { run($0, in: scratch) } + [runRig(in: scratch)]
    let texts = (try? Script.runAll(commands)) ?? []
    let journal = (try? String(contentsOf: scratch.appending(path: "rig/r/journal.jsonl"), encoding: .utf8)) ?? ""
    return (
      zip(batches, texts).map { $0.results($1) }, Array(texts.dropFirst(batches.count).dropLast()),
      (texts.last ?? "") + journal
    )
  }()

  private func result(_ row: USBFaultRow, _ batch: Int) throws -> USBFaultResult {
    let played = USBFaultTests.played.cells
    return try #require(played.indices.contains(batch) ? played[batch][row] : nil)
  }

  /// Each legal pair of stage and fault is in the reviewed table, and the catalog leads to the same.
  @Test func theTableCoversTheCatalog() {
    let definitions = FaultCatalog.all.filter { $0.capability == .usb }
    #expect(Set(definitions.map(\.verb)) == USBFaultRow.verbs)
    for definition in definitions {
      let stages = definition.stages[.rtspHotspot] ?? []
      #expect(Set(USBFaultRow.rows(definition.verb).map(\.stage)) == Set(stages.map(\.rawValue)), "\(definition.verb)")
      for row in USBFaultRow.rows(definition.verb) {
        #expect(definition.blame(at: StageID(rawValue: row.stage))?.name ?? "success" == row.blame, "\(row)")
      }
    }
  }

  /// Unplugged at each stage in which the control link is in use: the failure point is the link, with the stage, and the
  /// device's next case runs.
  @Test func unpluggedAtEachStage() throws {
    #expect(USBFaultTests.unplugged.rows.count == 11)
    for row in USBFaultTests.unplugged.rows {
      let result = try result(row, 0)
      let place = row.stage == "preflight" ? "the preflight" : row.stage
      #expect(result.isWell, "\(row): \(result)")
      #expect(result.line.contains("failed: control-link,"), "\(row): \(result)")
      #expect(result.line.contains("the control link was lost in \(place)"), "\(row): \(result)")
      #expect(result.line.contains("[fired: control.unplugged: "), "\(row): \(result)")
    }
  }

  /// Where the agent is what is tested, losing it is its own failure, at the stage that it broke.
  @Test func anUnpluggedAgentThatIsTheSubjectFailsItsStage() throws {
    for row in USBFaultTests.underTest.rows {
      let result = try result(row, 1)
      #expect(result.isWell, "\(row): \(result)")
      #expect(result.line.contains("failed: \(row.blame),"), "\(row): \(result)")
    }
  }

  @Test func whatIsRecoveredIsBorneAndProven() throws {
    #expect(USBFaultTests.recovered.map(\.rows.count) == [12, 2])
    for (i, batch) in USBFaultTests.recovered.enumerated() {
      for row in batch.rows {
        let result = try result(row, 2 + i)
        #expect(result.isWell, "\(row): \(result)")
        #expect(result.line.contains("[fired: "), "\(row): \(result)")
      }
    }
  }

  /// A device that says yes and does nothing: the proof is the driver's own, so that none of these may pass.
  @Test func aFaultThatIsNotPerformedIsAnError() throws {
    #expect(USBFaultTests.deaf.rows.count == 5)
    for row in USBFaultTests.deaf.rows {
      let result = try result(row, 4)
      #expect(result.verdict == "error", "\(row): \(result)")
      #expect(result.line.contains("did not fire") && result.line.contains("[NOT fired: "), "\(row): \(result)")
    }
  }

  // MARK: Plans

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Scenarios/usb").standardizedFileURL
  private static let plans =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".yaml") }
    .sorted()

  /// `streamrig run` of one plan, on an emulated device of its own.
  private static func run(_ plan: String, in scratch: URL) -> [String] {
    let streamrig = Script.built("streamrig").path
    let own = scratch.appending(path: plan)
    // Devices of other buses have the same names: they must not exclude each other.
    try? FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    return [
      "serve", "--emulator", streamrig, "--", "/usr/bin/env", "STREAMRIG_LEASES=\(own.path)", streamrig, "run",
      "--device", "usb:SN1-1", "--device-host", "{host}", "--reports", own.appending(path: "r").path, "--no-capture",
      folder.appending(path: plan).path,
    ]
  }

  /// The committed plans, from `streamrig run` to what it prints, with media from a real RTSP server.
  @Test func theCommittedPlansPassOnADeviceOnUSB() throws {
    let outputs = USBFaultTests.played.plans
    #expect(USBFaultTests.plans.count >= 8 && outputs.count == USBFaultTests.plans.count)
    for (plan, out) in zip(USBFaultTests.plans, outputs) {
      #expect(out.contains("1 case: 1 passed"), "\(plan): \(out)")
    }
  }

  // MARK: A rig

  /// Two plans on a rig whose device takes no other start after the first, and cannot be reset by its agent.
  private static func runRig(in scratch: URL) -> [String] {
    let streamrig = Script.built("streamrig").path
    let own = scratch.appending(path: "rig")
    try? FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    let head = "version: 1\ntitle: t\nflow: rtsp-hotspot\nplay-for: 1 s\n"
    let files = [
      "1.yaml": head + "plan: dirty\nfaults: [{at: clean-up, do: stays-busy}]\nexpect: {failed: clean-up}\n",
      "2.yaml": head + "plan: next\n",
      "rig.in": "version: 1\nrig: usb\ndevices: [{name: cam, model: emu-stubborn, control: usb SN1-1, host: HOST}]\n",
    ]
    for (name, text) in files { try? Data(text.utf8).write(to: own.appending(path: name)) }
    let command =
      "cd \(own.path) && sed s/HOST/{host}/ rig.in >rig.yaml && STREAMRIG_LEASES=\(own.path) exec \(streamrig) run "
      + "--rig rig.yaml --no-capture --reports r 1.yaml 2.yaml"
    return ["serve", "--emulator", streamrig, "emu-stubborn", "--", "/bin/sh", "-c", command]
  }

  /// The agent refuses; the reset of the port boots the device, which its boot id proves; the next case runs.
  @Test func aDeviceOfARigIsBroughtBackByAResetOfItsPort() throws {
    let out = USBFaultTests.played.rig
    #expect(out.contains("2 cases: 2 passed"), "\(out)")
    let steps = [
      "clear faults: done, which proves nothing",
      "agent reset: unsupported (-32003): this agent cannot reset the device",
      "USB reset: boot ",
    ]
    let places = steps.map { out.range(of: "recovery.step: \($0)")?.lowerBound }
    #expect(!places.contains(nil) && places.compactMap { $0 } == places.compactMap { $0 }.sorted(), "\(out)")
    #expect(out.contains("recovery: recovered by USB reset, started again"), "\(out)")
  }
}
