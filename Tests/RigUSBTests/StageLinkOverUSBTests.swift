import RigTestSupport
import Testing

@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct StageLinkOverUSBTests {
  private static func session(_ run: String) -> [String] {
    [
      #"start: {"accepted":true}"#, "link event sessionStartCompletion: sessionStartCompletion of \(run)",
      #"stop: {"accepted":true}"#, "link event sessionFinish: sessionFinish of \(run)",
    ]
  }
  private static let hello = "link open: hello SN1-1"

  @Test func aSessionFromStartToFinish() throws {
    #expect(
      try Script.lines("flow")
        == [StageLinkOverUSBTests.hello] + StageLinkOverUSBTests.session("r1") + ["link damaged: 0"])
  }

  @Test func aSessionInCrumbs() throws {
    #expect(
      try Script.lines("flow-in-crumbs")
        == [StageLinkOverUSBTests.hello] + StageLinkOverUSBTests.session("r1") + [
          "link damaged: 0", "link facts: control.short-packets",
        ])
  }

  @Test func aSessionBearsAStallInEachDirection() throws {
    #expect(
      try Script.lines("flow-with-stalls") == [StageLinkOverUSBTests.hello] + StageLinkOverUSBTests.session("r1"))
  }

  @Test func theRestOfACrashedDriversConversationIsNotTakenForOnesOwn() throws {
    #expect(
      try Script.lines("crashed-client")
        == [
          StageLinkOverUSBTests.hello, "link event configureHotspotStarting: configureHotspotStarting of old",
          StageLinkOverUSBTests.hello, "link event sessionFinish: sessionFinish of old",
        ] + StageLinkOverUSBTests.session("new"))
  }

  @Test func aRunOutlivesAShortUnplugging() throws {
    let lines = try Script.lines("unplug-and-back")
    #expect(
      lines.prefix(4) == [
        StageLinkOverUSBTests.hello, "link signal lost: lost: the device was unplugged", "link signal back: back",
        "link event sessionFinish: sessionFinish of r1",
      ])
    // The last two of a start come in either order.
    let events = lines.last?.split(separator: ": ").last?.split(separator: ", ").map(String.init) ?? []
    #expect(events.count == 10 && Set(events).count == 10, "\(events)")
    #expect(events.last == "sessionFinish")
  }

  /// 100 sessions, each over a channel of its own.
  @Test func sessionsLeaveNothingBehind() throws {
    let growth = try #require(Growth(try Script.lines("runs").first ?? ""))
    #expect(growth.isNone, "\(growth)")
  }
}
