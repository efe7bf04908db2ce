import CMockUSB
import RigLoop

extension Scenario {
  static let discovery: [Scenario] = [
    Scenario("list") { bench in
      let driver = try bench.driver()
      try await bench.ask(driver, "devices")
      _ = try bench.bus.plug(bench.loop)
      // Another class of device is none of ours; endpoints have whatever numbers they have.
      _ = try bench.bus.plug(bench.loop, MockBus.Spec(port: "1-2", interfaceSubclass: 0x42))
      _ = try bench.bus.plug(
        bench.loop,
        MockBus.Spec(
          port: "1-10.4.1", serial: nil, product: nil, interfaceNumber: 3, input: 0x8A, output: 0x0B, packet: 64,
          speed: 12))
      _ = try bench.bus.plug(bench.loop, MockBus.Spec(port: "1-3", serial: "SN-3", output: 0))
      for _ in 0..<200 {
        if try await driver.ask("devices").split(separator: ";").count == 3 { break }
        try await bench.loop.sleep(for: .milliseconds(10))
      }
      for line in try await driver.ask("devices").split(separator: ";") {
        bench.say(line.trimmed)
      }
    },
    Scenario("hostile-text") { bench in
      _ = try bench.bus.plug(
        bench.loop,
        MockBus.Spec(
          serial: "\u{1B}[31mSN\u{7}\u{202E}1\u{200B}", product: "  Cam\u{1}era\nX "))
      let driver = try bench.driver()
      try await bench.ask(driver, "devices")
    },
    Scenario("select") { bench in
      _ = try bench.bus.plug(bench.loop, MockBus.Spec(port: "1-1", serial: "TWIN"))
      _ = try bench.bus.plug(bench.loop, MockBus.Spec(port: "1-2.1", serial: "TWIN"))
      _ = try bench.bus.plug(bench.loop, MockBus.Spec(port: "2-1", serial: "OTHER", product: "Second Cam"))
      let driver = try bench.driver()
      for text in ["TWIN", "1-1", "port=1-2.1", "OTHER", "Bench Cam", "model=Second Cam", "serial=OTHER", "", "NONE"] {
        try await bench.ask(driver, "select \(text)")
      }
      try await bench.ask(driver, "open TWIN")
    },
    Scenario("no-permission") { bench in
      _ = try bench.bus.plug(bench.loop)
      bench.bus.set(MOCK_USB_DENY, 1)
      let driver = try bench.driver(isOrdinary: true)
      try await bench.ask(driver, "devices")
      try await bench.ask(driver, "open SN-1")
    },
    Scenario("late-permission") { bench in
      // udev gives the rights to a device a moment after it came.
      try bench.plugEcho()
      bench.bus.set(MOCK_USB_DENY, 1)
      let driver = try bench.driver(isOrdinary: true)
      try await driver.send("open SN-1")
      try await bench.loop.sleep(for: .milliseconds(100))
      bench.bus.set(MOCK_USB_DENY, 0)
      bench.say(try await driver.line())
    },
    Scenario("busy") { bench in
      try bench.plugEcho()
      let first = try bench.driver()
      try await bench.ask(first, "open SN-1")
      let second = try bench.driver()
      try await bench.ask(second, "open SN-1")
      try await bench.ask(first, "echo 100")
    },
    Scenario("two-openings") { bench in
      // What was opened last is used; an opening that its driver gave up does not stand in its way.
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open SN-1")
      try await bench.ask(driver, "close")
      try await bench.ask(driver, "open-during-opening")
      try await bench.ask(driver, "echo 100")
    },
    Scenario("arrival") { bench in
      // The device is plugged in after the driver began to look for it.
      let driver = try bench.driver()
      try await driver.send("open SN-1")
      try await bench.loop.sleep(for: .milliseconds(150))
      try bench.plugEcho()
      bench.say(try await driver.line())
      let impatient = try bench.driver()
      _ = try await impatient.ask("limit arrival 100")
      try await bench.ask(impatient, "open SN-2")
    },
  ]
}

extension Substring {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
