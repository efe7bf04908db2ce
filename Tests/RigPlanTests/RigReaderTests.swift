import RigModel
import RigYAML
import Testing

@testable import RigPlan

@Suite struct RigReaderTests {
  private func read(_ text: String) -> RigReading {
    YAMLDocument.readRig(
      bytes: Array(text.utf8), file: "rig.yaml", vocabulary: Sample.vocabulary,
      emulated: ["emu-flagship", "emu-basic"])
  }

  private func device(_ lines: String) -> RigReading {
    read("version: 1\nrig: r\ndevices:\n  - " + lines.replacing("\n", with: "\n    "))
  }

  private func only(_ reading: RigReading) throws -> Rig.Device {
    #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)")
    return try #require(reading.rig?.devices.first)
  }

  /// What only the program knows of addresses and selectors, it tells the reader.
  @Test func twoSpellingsOfOneControlLinkAreOneDevice() {
    let text = """
      version: 1
      rig: r
      devices:
        - {name: a, model: M, control: 'usb SN1', host: 10.0.0.1}
        - {name: b, model: M, control: 'usb serial=SN1', host: 10.0.0.1}
      """
    func read(_ canonical: @escaping (Rig.Control) -> Rig.Control) -> RigReading {
      YAMLDocument.readRig(
        bytes: Array(text.utf8), file: "rig.yaml", vocabulary: Sample.vocabulary, emulated: [], canonical: canonical)
    }
    #expect(read { $0 }.rig != nil)
    let refused = read { $0 == .usb("serial=SN1") ? .usb("SN1") : $0 }
    #expect(
      refused.diagnostics.map(\.description) == [
        "rig.yaml:5:34: devices[1].control: is also that of a (line 4), expected one of its own"
      ])
  }

  @Test func aFullDeviceIsRead() throws {
    let device = try only(
      device(
        """
        name: cam
        model: CAM 2
        serial: SN1
        control: tcp 192.168.42.1:7066
        link: interface wlan1
        power: {off: relay 3 off, on: relay 3 on, pause: 500 ms}
        actuator: "'/opt/my tools/press' --for={action} {serial}"
        capabilities: [rtsp]
        flows: [rtsp-hotspot]
        """))
    #expect(device.model == "CAM 2")
    #expect(device.control == .tcp(host: "192.168.42.1", port: 7066))
    #expect(device.host == "192.168.42.1")
    #expect(device.link == .interface("wlan1"))
    #expect(device.power?.pause == .milliseconds(500))
    #expect(device.power?.off?.arguments([:]) == ["relay", "3", "off"])
    #expect(
      device.actuator?.arguments(device.values(action: "reset")) == ["/opt/my tools/press", "--for=reset", "SN1"])
    #expect(device.capabilities == ["rtsp"])
  }

  @Test(
    arguments: [
      ("tcp [fe80::1]:7066", .tcp(host: "fe80::1", port: 7066)),
      ("serial /dev/ttyACM0,9600", .serial(path: "/dev/ttyACM0", baud: 9600)),
      ("serial /dev/ttyACM0", .serial(path: "/dev/ttyACM0", baud: nil)), ("usb 1-2.3", .usb("1-2.3")),
      ("emulated emu-basic", .emulated(model: "emu-basic")),
    ] as [(String, Rig.Control)])
  func aControlLinkIsRead(_ text: String, _ control: Rig.Control) throws {
    #expect(try TextForm.control(text).get() == control)
  }

  @Test func allErrorsComeAtOnceWithTheirPlaces() {
    let reading = read(
      """
      version: 1
      rig: r
      devices:
        - name: a
          model: M
          control: tpc 10.0.0.1:7066
        - {name: b, model: M, control: 'tcp camera:7066', link: wlan1}
        - {name: c, model: M, contrl: usb 1-2}
        - {name: d, model: M, control: 'serial ttyACM0', host: 10.0.0}
        - {name: e, model: M, control: 'command agent | tee log', host: 10.0.0.1, capabilities: [rtps]}
        - {name: f, model: M, control: 'forward adb -s {sereal}', host: 10.0.0.1}
      """)
    #expect(reading.rig == nil)
    let lines = reading.diagnostics.map(\.description)
    #expect(
      lines == [
        "rig.yaml:6:14: devices[0].control: \"tpc\" is no way to reach a device, expected one of tcp, serial, usb, "
          + "command, forward, emulated; did you mean \"tcp\"?",
        "rig.yaml:7:34: devices[1].control: \"camera:7066\" is not complete or not valid, expected a numeric address "
          + "and a port, such as tcp 192.168.42.1:7066",
        "rig.yaml:7:59: devices[1].link: \"wlan1\" is no link, expected one of loopback, interface, namespace, wifi, "
          + "networkmanager, none",
        "rig.yaml:8:5: devices[2].control: is missing, expected tcp HOST:PORT, serial PATH[,BAUD], usb SERIAL, usb "
          + "PORTPATH, command PROGRAM…, forward PROGRAM… or emulated MODEL",
        "rig.yaml:8:25: devices[2].contrl: is an unknown key, expected one of name, model, serial, control, host, link, "
          + "country, key-file, capture, power, phone, actuator, capabilities, flows; did you mean \"control\"?",
        "rig.yaml:9:34: devices[3].control: \"ttyACM0\" is not complete or not valid, expected a path and perhaps a "
          + "baud rate, such as serial /dev/serial/by-id/usb-cam-if00,115200",
        "rig.yaml:9:58: devices[3].host: \"10.0.0\" is no address, expected an address in numbers, such as 192.168.42.1",
        "rig.yaml:10:34: devices[4].control: has \"|\" outside quotes, which only a shell would understand, expected "
          + "words for a program; no shell runs it: quote it, or name a script",
        "rig.yaml:10:92: devices[4].capabilities[0]: \"rtps\" is not a capability, expected one of rtsp, hotspot, usb; "
          + "did you mean \"rtsp\"?",
        "rig.yaml:11:34: devices[5].control: \"{sereal}\" is no variable here, expected one of {name}, {model}, "
          + "{serial}, {host}; did you mean \"{serial}\"?",
      ])
  }

  @Test(
    arguments: [
      ("control: usb 1-2\nhost: 10.0.0.1", "devices[0].model: is missing"),
      ("control: usb 1-2\nmodel: M", "devices[0].host: is missing"),
      ("control: emulated emu-flagshp", "did you mean \"emu-flagship\"?"),
      ("control: emulated emu-basic\nmodel: other", "differs from the emulated model"),
      ("control: emulated emu-basic\nlink: wifi wlan0", "leads nowhere"),
      ("control: emulated emu-basic\npower: {cycle: relay 3}", "devices[0].power: makes no sense"),
      ("control: tcp 10.0.0.1:7066\nmodel: M\nlink: namespace", "only emulated devices can stand"),
      ("control: tcp 10.0.0.1:7066\nmodel: M\npower: {off: relay 3}", "expected off and on, or cycle alone"),
      ("control: tcp 10.0.0.1:7066\nmodel: M\npower: {cycle: 'relay {serial}'}", "expected a key serial beside it"),
      ("control: tcp 10.0.0.1:7066\nmodel: M\ncountry: DE", "makes no sense without a link by radio"),
      ("control: tcp 10.0.0.1:7066\nmodel: M\nlink: wifi wlan0\ncapture: wlan0", "a radio, which is captured itself"),
      (
        "control: tcp 10.0.0.1:7066\nmodel: M\nlink: networkmanager wlan0\ncountry: DE",
        "makes no sense with link networkmanager"
      ),
      ("control: tcp 10.0.0.1:0\nmodel: M", "expected a numeric address and a port"),
      ("control: command {name}\nmodel: M\nhost: 10.0.0.1", "begins with a variable"),
    ])
  func aDeviceThatMakesNoSenseIsRefused(_ lines: String, _ message: String) {
    let reading = device("name: a\n" + lines)
    #expect(reading.rig == nil)
    #expect(reading.diagnostics.contains { $0.description.contains(message) }, "\(reading.diagnostics)")
  }

  @Test func aPhoneIsRead() throws {
    let plain = try only(
      device("name: a\nmodel: M\ncontrol: tcp 10.0.0.1:7066\nphone: {capture: 'pull {serial} {file}'}\nserial: S"))
    #expect(plain.link == .away)
    #expect(plain.phone?.begin == nil && plain.phone?.limit == .seconds(60))
    #expect(plain.phone?.capture.arguments(plain.values(file: "/r/a b")) == ["pull", "S", "/r/a b"])
    let full = try only(
      device(
        """
        name: a
        model: M
        control: tcp 10.0.0.1:7066
        link: interface wlan1
        phone: {begin: record on, capture: "pull --to={file}", limit: 5 s}
        """))
    #expect(full.link == .interface("wlan1"))
    #expect(full.phone?.begin?.program == "record" && full.phone?.limit == .seconds(5))
  }

  @Test func aPhoneThatMakesNoSenseIsRefusedWithItsPlace() {
    let reading = read(
      """
      version: 1
      rig: r
      devices:
        - {name: a, model: M, control: 'tcp 10.0.0.1:1', phone: {begin: 'rec {file}', capture: pull}}
        - {name: b, model: M, control: 'tcp 10.0.0.1:2', phone: {limit: 0 s}}
        - {name: c, model: M, control: 'tcp 10.0.0.1:3', capture: wlan0, phone: {capture: 'pull {file} {serial}'}}
        - {name: d, control: emulated emu-basic, phone: {capture: 'pull {file}'}}
        - {name: e, model: M, control: 'tcp 10.0.0.1:5', link: none}
        - {name: f, model: M, control: 'tcp 10.0.0.1:6', phone: {capture: 'pull {file} > log', pull: x}}
      """)
    let lines = reading.diagnostics.map(\.description)
    #expect(
      lines == [
        "rig.yaml:4:67: devices[0].phone.begin: \"{file}\" is no variable here, expected one of {name}, {model}, "
          + "{serial}, {host}",
        "rig.yaml:4:90: devices[0].phone.capture: does not use {file}, expected it where the program is to leave the "
          + "capture",
        "rig.yaml:5:59: devices[1].phone.capture: is missing, expected a program and its arguments",
        "rig.yaml:5:67: devices[1].phone.limit: \"0 s\" is no time at all, expected more than 0 s",
        "rig.yaml:6:61: devices[2].capture: makes no sense with a phone, which captures itself, expected no such key",
        "rig.yaml:6:85: devices[2].phone.capture: uses {serial}, which the device does not have, expected a key serial "
          + "beside it",
        "rig.yaml:7:51: devices[3].phone: makes no sense for an emulated device, expected no such key",
        "rig.yaml:8:58: devices[4].link: is none, which only a phone can stand in for, expected a link or a key phone",
        "rig.yaml:9:69: devices[5].phone.capture: has \">\" outside quotes, which only a shell would understand, "
          + "expected words for a program; no shell runs it: quote it, or name a script",
        "rig.yaml:9:90: devices[5].phone.pull: is an unknown key, expected one of begin, capture, limit",
      ])
  }

  @Test func devicesShareNothing() {
    let reading = read(
      """
      version: 1
      rig: r
      devices:
        - {name: a, model: M, control: 'tcp 10.0.0.1:7066', link: wifi wlan0}
        - {name: a, model: M, control: 'tcp 10.0.0.1:7066', link: wifi wlan0}
        - {name: n, control: emulated emu-basic, link: namespace}
      """)
    let text = reading.diagnostics.map(\.description).joined(separator: "\n")
    #expect(text.contains("rig.yaml:5:12: devices[1].name: \"a\" is also the name of the device in line 4"))
    #expect(text.contains("devices[1].control: is also that of a"))
    #expect(text.contains("devices[1].link: takes the radio of a"))
    #expect(text.contains("devices[2].link: keeps n and a apart"))
  }

  /// The run would wait for itself.
  @Test(
    arguments: [
      ("control: serial /dev/ttyS1", "control: 'serial /dev/ttyS1,9600'", "control: is also that of a"),
      ("control: 'tcp ::1:7066', host: '::1'", "control: 'tcp [::1]:7066', host: '::1'", "control: is also that of a"),
      ("control: usb 1-2, serial: S1", "control: 'tcp 10.0.0.1:7', serial: S1", "serial: is, with the model"),
      ("control: 'command a {serial}', serial: S1", "control: command b, serial: S1", "serial: is, with the model"),
    ])
  func oneDeviceIsNamedOnce(_ first: String, _ second: String, _ message: String) {
    func both(_ model: String) -> RigReading {
      read(
        """
        version: 1
        rig: r
        devices:
          - {name: a, model: M, host: 10.0.0.1, \(first)}
          - {name: b, model: \(model), host: 10.0.0.1, \(second)}
        """.replacing("host: 10.0.0.1, control: 'tcp", with: "control: 'tcp"))
    }
    #expect(
      both("M").diagnostics.contains { $0.description.contains("devices[1].\(message)") }, "\(both("M").diagnostics)")
    // Makers count for themselves.
    if message.hasPrefix("serial") { #expect(both("N").rig != nil, "\(both("N").diagnostics)") }
  }

  /// Whoever wrote a rig file was asked for no plan.
  @Test(arguments: [
    "", "a: 1\n---\nb: 2\n", "%YAML 1.2\n", "\u{1}", "\u{FE}", String(repeating: " ", count: 1 << 20 + 1),
  ])
  func messagesOfTheParserSpeakOfARigFile(_ text: String) {
    var bytes = Array(text.utf8)
    if text == "\u{FE}" { bytes = [0xFE] }
    let reading = YAMLDocument.readRig(bytes: bytes, file: "rig.yaml", vocabulary: Sample.vocabulary, emulated: [])
    let said = reading.diagnostics.map(\.description).joined(separator: "\n")
    #expect(said.contains("rig file") && !said.contains("plan"), "\(said)")
  }

  /// Whatever bytes stand in a rig file, reading ends with a rig or with an error.
  @Test func damagedFilesAreRefusedOrRead() {
    let good = Array(
      "version: 1\nrig: r\ndevices:\n  - {name: a, model: M, control: 'command \"x y\" {name}', host: 10.0.0.1}\n".utf8)
    for index in good.indices {
      for byte in [UInt8(0), 0x7B, 0x7D, 0x22, 0x27, 0x5C, 0xFF, 0x3A] {
        var bytes = good
        bytes[index] = byte
        let reading = YAMLDocument.readRig(
          bytes: bytes, file: "rig.yaml", vocabulary: Sample.vocabulary, emulated: [])
        #expect((reading.rig == nil) == reading.diagnostics.contains { $0.severity == .error })
      }
    }
  }
}

@Suite struct CommandTemplateTests {
  private let values: [CommandTemplate.Variable: String] = [.serial: "a b; rm -rf /", .name: "n"]

  @Test(
    arguments: [
      ("relay 3  off", ["relay", "3", "off"]), ("a 'b c' \"d e\" f\\ g ''", ["a", "b c", "d e", "f g", ""]),
      ("a -s {serial}", ["a", "-s", "a b; rm -rf /"]), ("a --n={name}.log", ["a", "--n=n.log"]),
      ("a {{name}}", ["a", "{name}"]), ("a \"{name} \\\"x\\\"\"", ["a", "n \"x\""]), ("a '{name}|'", ["a", "{name}|"]),
    ] as [(String, [String])])
  func wordsAreSplitWithoutAShell(_ text: String, _ words: [String]) throws {
    #expect(try CommandTemplate(text).arguments(values) == words)
  }

  @Test(arguments: ["", "a 'b", "a \"b", "a \\", "a {b}", "a {", "a }", "{name} a", "a; b", "a > b", "a $HOME", "~/a"])
  func whatOnlyAShellUnderstandsIsRefused(_ text: String) {
    #expect(throws: CommandTemplate.Malformed.self) { try CommandTemplate(text) }
  }
}

@Suite struct RigScheduleTests {
  private func schedule(_ plan: String, _ devices: [Bench.Device]) -> Schedule.Entry? {
    let text = "version: 1\nplan: p\ntitle: t\nflow: rtsp-hotspot\n" + plan
    let reading = YAMLDocument.readPlan(bytes: Array(text.utf8), file: "p.yaml", vocabulary: Sample.vocabulary)
    return Schedule(PlanSet([reading]), seed: 1, bench: Bench(capabilities: [], devices: devices)).entries.first
  }

  private let devices = [
    Bench.Device(name: "a", model: "CAM-1", capabilities: ["rtsp"]),
    Bench.Device(name: "b", model: "CAM-2", capabilities: [], closedLayers: ["link": "no air"]),
    Bench.Device(name: "c", model: "GLASS"),
  ]

  @Test func aPlanPicksAmongTheDevices() {
    #expect(schedule("", devices)?.devices == [0, 1, 2])
    #expect(schedule("device: {model: \"CAM-*\"}\n", devices)?.devices == [0, 1])
    // Of c nothing is known before it is asked.
    #expect(schedule("needs: [rtsp]\n", devices)?.devices == [0, 2])
    #expect(schedule("faults: [{at: running, do: rate, limit: 1 Mbit/s}]\n", devices)?.devices == [0, 2])
    #expect(schedule("needs: [rtsp]\n", devices)?.skipped == nil)
  }

  @Test func aPlanThatNoDeviceMatchesIsSkippedWithTheReason() {
    #expect(
      schedule("device: {model: X}\n", devices)?.skipped
        == "no device of the rig matches model \"X\": it has CAM-1, CAM-2, GLASS")
    #expect(schedule("device: {model: CAM-2}\nneeds: [rtsp]\n", devices)?.skipped == "b lacks rtsp")
    #expect(
      schedule("device: {model: CAM-2}\nfaults: [{at: running, do: rate, limit: 1 Mbit/s}]\n", devices)?.skipped?
        .hasPrefix("b cannot take rate") == true)
  }
}
