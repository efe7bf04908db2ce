import RigModel
import RigPlan
import RigYAML
import Testing

@Suite struct ScheduleTests {
  private let bench = Bench(capabilities: ["rtsp", "hotspot"], deviceModels: ["cam-1"])

  private func set(_ texts: [String]) -> PlanSet {
    PlanSet(texts.enumerated().map { Sample.read($0.element, file: "\($0.offset).yaml") })
  }

  private func names(_ tags: [String], _ names: [String] = []) throws -> [String] {
    let plans = set([
      Sample.plan(id: "a", "tags: [smoke]\n"), Sample.plan(id: "b", "tags: [smoke, slow]\n"),
      Sample.plan(id: "c", "tags: [fault]\nmatrix: {transport: [udp, tcp]}\n"), Sample.plan(id: "d"),
    ])
    let schedule = Schedule(plans, seed: 1, filter: try CaseFilter(tags: tags, names: names), bench: bench)
    #expect(schedule.entries.count + schedule.deselected == 5)
    return schedule.entries.map(\.item.id)
  }

  @Test func tagsIncludeAnyAndExcludeAll() throws {
    #expect(try names([]) == ["a", "b", "c[transport=udp]", "c[transport=tcp]", "d"])
    #expect(try names(["smoke"]) == ["a", "b"])
    #expect(try names(["smoke", "fault"]) == ["a", "b", "c[transport=udp]", "c[transport=tcp]"])
    #expect(try names(["smoke", "!slow"]) == ["a"])
    #expect(try names(["!smoke"]) == ["c[transport=udp]", "c[transport=tcp]", "d"])
    #expect(try names(["nothing"]) == [])
    #expect(throws: CaseFilter.InvalidTag.self) { try names(["!"]) }
    #expect(throws: CaseFilter.InvalidTag.self) { try names(["Smoke Test"]) }
  }

  @Test func namesSelectPlansAndCases() throws {
    #expect(try names([], ["c"]) == ["c[transport=udp]", "c[transport=tcp]"])
    #expect(try names([], ["c[transport=tcp]", "a"]) == ["a", "c[transport=tcp]"])
    #expect(try names([], ["*udp*"]) == ["c[transport=udp]"])
  }

  @Test func equalIDsAreReportedAtBothPlaces() {
    let plans = set([Sample.plan(id: "a"), Sample.plan(id: "b"), Sample.plan(id: "a", "play-for: 3\n")])
    #expect(
      plans.diagnostics.map(\.description) == [
        "0.yaml:2:7: plan: \"a\" is also the id of 2.yaml:2:7, expected an id of its own",
        "2.yaml:2:7: plan: \"a\" is also the id of 0.yaml:2:7, expected an id of its own",
        "2.yaml:5:11: play-for: \"3\" needs a unit, expected ms, s, min or h, such as 3 s",
      ])
    #expect(plans.plans.map(\.plan.id) == ["b"])
    #expect(plans.hasErrors)
  }

  @Test func skippedCasesStayWithTheirReason() {
    let plans = set([
      Sample.plan(id: "runs", "needs: [rtsp]\ndevice: {model: \"cam-*\"}\n"),
      Sample.plan(id: "usb", "needs: [usb, rtsp]\n"), Sample.plan(id: "room", flow: "hls-room"),
      Sample.plan(id: "models", "matrix: {device.model: [cam-1, box]}\n"),
      Sample.plan(id: "status", "faults: [{at: play, do: status, code: 500, method: PLAY}]\n"),
    ])
    var bench = bench
    bench.closedLayers = ["rtsp": "RTSP is not run under --simulate"]
    let schedule = Schedule(plans, seed: 1, bench: bench)
    #expect(
      schedule.entries.map { "\($0.item.id): \($0.skipped ?? "run")" } == [
        "runs: run", "usb: the rig lacks usb", "room: flow hls-room is described but not driven by this harness",
        "models[device.model=cam-1]: run",
        "models[device.model=box]: no device of the rig matches model \"box\"",
        "status: fault status at play: RTSP is not run under --simulate",
      ])
    #expect(schedule.runnable.map(\.id) == ["runs", "models[device.model=cam-1]"])
    let further = Schedule(plans, seed: 1, bench: bench) { $0.id == "runs" ? "held back" : nil }
    #expect(further.entries[0].skipped == "held back")
    #expect(further.entries[1].skipped == "the rig lacks usb")
    let planned = schedule.plannedCases(Sample.vocabulary)
    #expect(planned.count == 6)
    #expect(planned[2].file == "2.yaml")
    #expect(planned[2].stages == ["join-room", "request", "starting", "playable", "play", "finish"])
  }

  @Test func seedsDoNotDependOnTheSelection() throws {
    let plans = set([Sample.plan(id: "a"), Sample.plan(id: "b")])
    let all = Schedule(plans, seed: 5, bench: bench)
    let one = Schedule(plans, seed: 5, filter: try CaseFilter(tags: [], names: ["b"]), bench: bench)
    #expect(all.runnable[1] == one.runnable[0])
  }
}
