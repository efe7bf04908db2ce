import Testing

@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct DiscoveryTests {
  @Test func devicesAreFoundByTheClassOfTheirInterface() throws {
    #expect(
      try Script.lines("list") == [
        "devices: ",
        "1-1 1d6b:0104 480 Mbit/s [Bench] [Bench Cam] [SN-1]",
        "1-3 1d6b:0104 480 Mbit/s [Bench] [Bench Cam] [SN-3] (its stage-link interface has no pair of bulk endpoints)",
        "1-10.4.1 1d6b:0104 12 Mbit/s [Bench] [] []",
      ])
  }

  @Test func stringsOfADeviceAreCleaned() throws {
    #expect(
      try Script.lines("hostile-text") == [
        "devices: 1-1 1d6b:0104 480 Mbit/s [Bench] [Cam\u{FFFD}eraX] [\u{FFFD}[31mSN\u{FFFD}1]"
      ])
  }

  @Test func equalSerialsAreToldApartByPort() throws {
    let twins = #"Bench Cam at 1-1, serial "TWIN"; Bench Cam at 1-2.1, serial "TWIN""#
    let ambiguous = #"ambiguous: 2 USB devices match "#
    let hint = "; name one by its port, such as usb:1-1"
    let all = #"\#(twins); Second Cam at 2-1, serial "OTHER""#
    #expect(
      try Script.lines("select") == [
        #"select TWIN: \#(ambiguous)"TWIN": \#(twins)\#(hint)"#,
        "select 1-1: TWIN at 1-1",
        "select port=1-2.1: TWIN at 1-2.1",
        "select OTHER: OTHER at 2-1",
        #"select Bench Cam: \#(ambiguous)"Bench Cam": \#(twins)\#(hint)"#,
        "select model=Second Cam: OTHER at 2-1",
        "select serial=OTHER: OTHER at 2-1",
        #"select : ambiguous: 3 USB devices match "": \#(all)\#(hint)"#,
        #"select NONE: notFound: no USB device matches "NONE": there are \#(all)"#,
        #"open TWIN: \#(ambiguous)"TWIN": \#(twins)\#(hint)"#,
      ])
  }

  @Test func aDeviceThatMayNotBeOpenedComesWithTheRuleToInstall() throws {
    let lines = try Script.lines("no-permission")
    #expect(lines.count == 2)
    for line in lines {
      #expect(line.contains("no permission to open /dev/bus/usb/001/"))
      #expect(line.contains(#"ENV{ID_USB_INTERFACES}=="*:ff5301:*""#))
    }
    #expect(lines.last?.hasPrefix("open SN-1: noAccess: ") == true)
  }

  @Test func rightsThatComeLateAreWaitedFor() throws {
    #expect(try Script.lines("late-permission") == ["open SN-1 at 1-1"])
  }

  @Test func anInterfaceHasOneOwner() throws {
    #expect(
      try Script.lines("busy") == [
        "open SN-1: open SN-1 at 1-1",
        "open SN-1: busy: another program or driver has the interface of the device at 1-1",
        "echo 100: echo of 100",
      ])
  }

  @Test func anOpeningThatWasGivenUpDoesNotStandInTheWay() throws {
    #expect(
      try Script.lines("two-openings") == [
        "open SN-1: open SN-1 at 1-1", "close: closed", "open-during-opening: open SN-1 at 1-1",
        "echo 100: echo of 100",
      ])
  }

  @Test func aDeviceThatIsNotThereYetIsWaitedFor() throws {
    #expect(
      try Script.lines("arrival") == [
        "open SN-1 at 1-1",
        #"open SN-2: notFound: no USB device matches "SN-2": there are Bench Cam at 1-1, serial "SN-1""#,
      ])
  }
}
