import Testing

@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct RecoveryTests {
  private static let opened = "open: open SN-1 at 1-1"
  private static let echo = "echo 100: echo of 100"
  private static let unplugged = "unplugged: the device was unplugged"

  @Test func whatAnEarlierOwnerLeftIsDropped() throws {
    #expect(
      try Script.lines("stale-data") == [
        RecoveryTests.opened, RecoveryTests.echo, "count stale: 5000",
        "facts: control.stale-data: 5000 bytes of an earlier owner were dropped after opening",
      ])
    #expect(
      try Script.lines("stale-data-without-end") == [
        RecoveryTests.opened, RecoveryTests.echo, "count stale: 1024",
      ])
  }

  @Test func aDeviceThatNeverStopsTalkingIsOpenedAllTheSame() throws {
    #expect(try Script.lines("never-quiet") == [RecoveryTests.opened, "stale: dropped"])
  }

  @Test func aStallIsClearedAndTheBytesGoOn() throws {
    #expect(
      try Script.lines("stall-in") == [
        RecoveryTests.opened, RecoveryTests.echo, "echo 200: echo of 200", "count stalls: 1",
        "clear_halt after the stall: 1", "facts: control.transfer-stalled: bulk IN stalled", "echo 300: echo of 300",
      ])
    let again = "stalled: bulk OUT stalled again after it was cleared"
    #expect(
      try Script.lines("stall-out") == [
        RecoveryTests.opened, "echo 5000: echo of 5000", "count stalls: 1", "write hello: \(again)",
      ])
  }

  /// What a device does often is told so many times; what ends it is told all the same.
  @Test func anUnplugAfterManyStallsIsTold() throws {
    #expect(
      try Script.lines("many-stalls") == [
        RecoveryTests.opened, "count stalls: 220", "stalls told: 50",
        "at last: control.unplugged: SN-1 at 1-1: the device was unplugged",
      ])
  }

  @Test func aStallAfterTheStallEndsTheChannel() throws {
    let again = "stalled: bulk IN stalled again after it was cleared"
    #expect(
      try Script.lines("stall-in-again") == [
        RecoveryTests.opened, "read 1: \(again), after ", "write hello: \(again)", RecoveryTests.opened,
        RecoveryTests.echo,
      ])
  }

  @Test func anUnpluggedDeviceIsNamedAtOnce() throws {
    #expect(
      try Script.lines("unplug-while-reading") == [
        RecoveryTests.opened, "read-bytes 100: 100 right", "\(RecoveryTests.unplugged), after 0",
        "facts: control.unplugged: SN-1 at 1-1: the device was unplugged", "close: closed", RecoveryTests.opened,
        RecoveryTests.echo,
      ])
    #expect(try Script.lines("unplug-while-writing") == [RecoveryTests.opened, RecoveryTests.unplugged])
  }

  @Test func whatWasSaidBeforeTheEndIsRead() throws {
    #expect(
      try Script.lines("last-words") == [
        RecoveryTests.opened, "read-bytes 700: 700 right", "read 1: \(RecoveryTests.unplugged), after ",
      ])
  }

  @Test func theSameSerialAtAnotherPortIsAnotherDevice() throws {
    #expect(
      try Script.lines("another-port") == [
        "open SN-1: open SN-1 at 1-1", "\(RecoveryTests.unplugged), after 0",
        "open: notFound: the device SN-1 at 1-1 is not plugged in", RecoveryTests.opened,
      ])
  }

  @Test func aResetMayMakeAnotherDeviceOfIt() throws {
    #expect(
      try Script.lines("reset-with-enumeration") == [
        RecoveryTests.opened, "read 1: stalled: bulk IN stalled again after it was cleared, after ",
        "open SN-1 at 1-1", RecoveryTests.echo,
      ])
  }

  @Test func aCallThatHangsHasALimit() throws {
    #expect(
      try Script.lines("clear-hangs") == [
        "open: hangs: opening the device at 1-1 did not end in 200 ms", RecoveryTests.opened, RecoveryTests.echo,
      ])
  }

  /// The kernel may be at work with the handle when nobody wants the channel any more.
  @Test func aChannelIsNotClosedUnderACallIntoTheKernel() throws {
    #expect(
      try Script.lines("closed-while-clearing") == [
        RecoveryTests.opened, RecoveryTests.echo,
      ])
  }

  /// A step of the ladder counts only by another boot id; one that cannot be taken says why.
  @Test func aResetOfThePortThatBootsNothingProvesNothing() throws {
    let refused = "agent reset: unsupported (-32003): this agent cannot reset the device"
    let nobody = #"no USB device matches "SN1-1": no stage-link device is plugged in"#
    #expect(
      try Script.lines("ladder") == [
        "link climb SN1-1: \(refused); USB reset: no other boot id in 1 s", "resets: 1",
        "link climb SN1-1: agent reset: usb SN1-1: \(nobody); USB reset: \(nobody)",
      ])
  }

  @Test func aKilledDriverLeavesTheDeviceUsable() throws {
    #expect(
      try Script.lines("killed-driver") == [
        RecoveryTests.opened, "write left in the device: ok", RecoveryTests.opened, RecoveryTests.echo,
      ])
  }
}
