import RigModel
import Testing

@testable import RigPlan

@Suite struct ActionTests {
  private func plan(_ rest: String) throws -> Plan {
    let reading = Sample.read(Sample.plan(rest + "\n"))
    #expect(reading.diagnostics.map(\.description) == [])
    return try #require(reading.plan).plan
  }

  @Test func aFaultMayBeginAtAMoment() throws {
    let plan = try plan(
      """
      faults:
        - {at: configure-hotspot + 200 ms, do: hang}
        - {at: running+2 s, do: delay, time: 20 ms}
        - {at: enter-live-mode, do: hang}
        - {at: start-session + 0 s, do: hang, for: 2 s}
      """)
    #expect(plan.faults.map(\.stage) == ["configure-hotspot", "running", "enter-live-mode", "start-session"])
    #expect(
      plan.faults.map(\.moment) == [
        Moment(.stage("configure-hotspot"), offset: .milliseconds(200)),
        Moment(.stage("running"), offset: .seconds(2)), nil, Moment(.stage("start-session")),
      ])
    #expect(plan.faults.map(\.lasting) == [nil, nil, nil, .seconds(2)])
    #expect(
      plan.faults.map(\.text) == [
        "hang at configure-hotspot + 200 ms", "delay at running + 2 s", "hang at enter-live-mode",
        "hang at start-session",
      ])
  }

  @Test func actionsStopInjectAndImpair() throws {
    let plan = try plan(
      """
      actions:
        - {at: active + 10 s, do: stop}
        - {at: configure-hotspot + 1 s, do: inject, fault: delay, by: 3 s, for: 9 s}
        - {at: address, do: inject, fault: hang}
        - {at: active + 500 ms, do: rate, limit: 1 Mbit/s}
        - {at: running, do: delay, time: 20 ms, for: 2 s}
      """)
    #expect(plan.stop == Moment(.gate(.active), offset: .seconds(10)))
    #expect(plan.faults.map(\.verb) == ["delay", "hang", "rate", "delay"])
    // At a gate the fault acts at the first stage after it at which it may.
    #expect(plan.faults.map(\.stage) == ["configure-hotspot", "start-session", "running", "running"])
    #expect(plan.faults.map(\.lasting) == [.seconds(9), nil, nil, .seconds(2)])
    #expect(plan.faults[1].moment == Moment(.gate(.address)))
    #expect(plan.faults[3].moment == Moment(.stage("running")))
    #expect(plan.faults[3].arguments == ["time": .duration(.milliseconds(20))])
    #expect(
      Sample.read(Sample.plan("actions: [{at: running, do: rate, limit: 1 bit/s}]\n")).plan?.faultLayers == ["link"])
  }

  struct Wrong: Sendable {
    let text: String
    let error: String
    init(_ text: String, _ error: String) {
      self.text = text
      self.error = error
    }
  }

  private static let stages =
    "expected one of preflight, configure-stream, configure-hotspot, enter-live-mode, connect-hotspot, "
    + "receive-address, play, start-session, running, finish, clean-up"

  @Test(arguments: [
    Wrong(
      "faults: [{at: runing + 5 s, do: hang}]",
      "5:15: faults[0].at: \"runing\" is not a stage of rtsp-hotspot, \(stages); did you mean \"running\"?"),
    Wrong(
      "faults: [{at: active + 5 s, do: hang}]",
      "5:15: faults[0].at: \"active\" is not a stage of rtsp-hotspot, \(stages)"),
    Wrong(
      "faults: [{at: enter-live-mode + 5, do: hang}]",
      "5:15: faults[0].at: after the +, \"5\" needs a unit, expected ms, s, min or h, such as 3 s"),
    Wrong(
      "faults: [{at: enter-live-mode + , do: hang}]",
      "5:15: faults[0].at: after the +, \"\" is not a duration, expected a number with a unit, ms, s, min or h, such as 3 s"
    ),
    Wrong(
      "faults: [{at: enter-live-mode + -1 s, do: hang}]",
      "5:15: faults[0].at: after the +, \"-1 s\" is not a duration, expected a number with a unit, ms, s, min or h, "
        + "such as 3 s"),
    Wrong(
      "faults: [{at: running + 1 s, do: hang}]",
      "5:15: faults[0].at: \"hang\" cannot act at \"running\", expected one of configure-hotspot, enter-live-mode, "
        + "start-session"),
    Wrong(
      "faults: [{at: enter-live-mode, do: hang, for: 2 s}]",
      "5:42: faults[0].for: is an unknown key, expected one of at, do"),
    Wrong(
      "actions: [{at: running, do: halt}]",
      "5:29: actions[0].do: \"halt\" is not an action, expected one of stop, inject, delay, rate"),
    Wrong("actions: [{do: stop}]", "5:11: actions[0].at: is missing, expected one of preflight"),
    Wrong("actions: [{at: running}]", "5:11: actions[0].do: is missing, expected one line of text"),
    Wrong(
      "actions: [{at: running, do: stop, for: 1 s}]",
      "5:35: actions[0].for: is an unknown key, expected one of at, do"),
    Wrong(
      "actions: [{at: finish, do: stop}]",
      "5:16: actions[0].at: the session is ending at finish anyway, expected an earlier stage or gate to stop at"),
    Wrong("actions: [{at: running, do: inject}]", "5:11: actions[0].fault: is missing, expected one of hang"),
    Wrong(
      "actions: [{at: running, do: inject, fault: hangg}]",
      "5:44: actions[0].fault: \"hangg\" is not a fault, expected one of hang, delay, status, rate, no-url; "
        + "did you mean \"hang\"?"),
    Wrong(
      "actions: [{at: active, do: inject, fault: hang}]",
      "5:16: actions[0].at: \"hang\" cannot act at \"active\", expected one of configure-hotspot, enter-live-mode, "
        + "start-session"),
    Wrong(
      "actions: [{at: running, do: rate}]",
      "5:11: actions[0].limit: is missing, expected a bit rate with a unit, such as 4 Mbit/s"),
    Wrong(
      "actions: [{at: running + 1 s, do: stop}, {at: active, do: stop}]",
      "5:42: actions[1]: stops what actions[0] stopped, expected one stop"),
    Wrong(
      "play-for: 3 s\nactions: [{at: running + 1 s, do: stop}]",
      "5:11: warning: play-for: has no effect beside the stop of actions[0]"),
  ])
  func whatIsWrongIsSaidWithItsPlace(_ wrong: Wrong) {
    let errors = Sample.errors(wrong.text + "\n")
    #expect(errors.count == 1, "\(errors)")
    #expect(errors.first?.hasPrefix("p.yaml:" + wrong.error) == true, "\(errors)")
  }
}
