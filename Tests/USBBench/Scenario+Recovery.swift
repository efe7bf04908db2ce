import CMockUSB
import RigLoop

extension Scenario {
  static let recovery: [Scenario] = [
    Scenario("stale-data") { bench in
      try bench.plugEcho()
      bench.bus.leaveStale(Noise.bytes(5000))
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
      try await bench.ask(driver, "count stale")
      try await bench.ask(driver, "facts")
    },
    Scenario("stale-data-without-end") { bench in
      // Full packets only, and no zero-length one: they sit in a transfer that has not ended.
      try bench.plugEcho()
      bench.bus.set(MOCK_USB_NO_ZLP, 1)
      bench.bus.leaveStale(Noise.bytes(1024))
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
      try await bench.ask(driver, "count stale")
    },
    Scenario("never-quiet") { bench in
      // A device that logs all the time is opened all the same.
      let firmware = try bench.bus.plug(bench.loop)
      let talking = bench.loop.spawn {
        while true {
          try await firmware.write(Array("log line\n".utf8))
          try await bench.loop.sleep(for: .milliseconds(5))
        }
      }
      defer { talking.cancel() }
      let driver = try bench.driver()
      _ = try await driver.ask("limit drain 300")
      try await bench.ask(driver, "open")
      bench.say("stale: \((Int(try await driver.ask("count stale")) ?? 0) > 0 ? "dropped" : "none")")
    },
    Scenario("stall-in") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
      let cleared = bench.bus.facts().clear_halts_in
      bench.bus.set(MOCK_USB_STALL_IN, 1)
      try await bench.ask(driver, "echo 200")
      try await bench.ask(driver, "count stalls")
      bench.say("clear_halt after the stall: \(bench.bus.facts().clear_halts_in - cleared)")
      try await bench.ask(driver, "facts")
      // Bytes have passed: another stall is another incident.
      bench.bus.set(MOCK_USB_STALL_IN, 1)
      try await bench.ask(driver, "echo 300")
    },
    Scenario("many-stalls") { bench in
      // A device that stalls all day, and is then pulled out.
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      for _ in 0..<220 {
        bench.bus.set(MOCK_USB_STALL_IN, 1)
        _ = try await driver.ask("echo 10")
      }
      try await bench.ask(driver, "count stalls")
      bench.bus.unplug("1-1")
      _ = try await driver.ask("read 1")
      let facts = try await driver.ask("facts").split(separator: ";").map { $0.drop { $0 == " " } }
      bench.say("stalls told: \(facts.count { $0.hasPrefix("control.transfer-stalled") })")
      bench.say("at last: \(facts.last ?? "")")
    },
    Scenario("stall-in-again") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_STALL_IN, 2)
      try await bench.ask(driver, "read 1")
      try await bench.ask(driver, "write hello")
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
    },
    Scenario("stall-out") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_STALL_OUT, 1)
      try await bench.ask(driver, "echo 5000")
      try await bench.ask(driver, "count stalls")
      bench.bus.set(MOCK_USB_STALL_OUT, 2)
      try await bench.ask(driver, "write hello")
    },
    Scenario("unplug-while-reading") { bench in
      let firmware = try bench.bus.plug(bench.loop)
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      try await firmware.write(Noise.bytes(100))
      try await bench.ask(driver, "read-bytes 100")
      try await driver.send("read-end")
      try await bench.loop.sleep(for: .milliseconds(100))
      bench.bus.unplug()
      bench.say(try await driver.line())
      try await bench.ask(driver, "facts")
      try await bench.ask(driver, "close")
      try bench.plugEcho()
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
    },
    Scenario("last-words") { bench in
      // What the device said before it went is read before the news that it went.
      let firmware = try bench.bus.plug(bench.loop)
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      try await firmware.write(Noise.bytes(700))
      firmware.close()
      try await bench.until("all was taken") { bench.bus.facts().bytes_in == 700 }
      bench.bus.unplug()
      try await bench.ask(driver, "read-bytes 700")
      try await bench.ask(driver, "read 1")
    },
    Scenario("unplug-while-writing") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_NAK, 1)
      try await driver.send("write-bytes 40000")
      try await bench.loop.sleep(for: .milliseconds(100))
      bench.bus.unplug()
      bench.say(try await driver.line())
    },
    Scenario("another-port") { bench in
      // The same serial at another port is another device.
      try bench.plugEcho()
      let driver = try bench.driver()
      _ = try await driver.ask("limit arrival 300")
      try await bench.ask(driver, "open SN-1")
      bench.bus.unplug()
      bench.say(try await driver.ask("read-end"))
      try bench.plugEcho(MockBus.Spec(port: "1-2"))
      try await bench.ask(driver, "open")
      try bench.plugEcho()
      try await bench.ask(driver, "open")
    },
    Scenario("reset-with-enumeration") { bench in
      // Twice stalled: the next opening resets. The device leaves the bus and comes back with another address.
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_RESET, 1)
      bench.bus.set(MOCK_USB_STALL_IN, 2)
      try await bench.ask(driver, "read 1")
      try await driver.send("open")
      try await bench.until("the reset") { bench.bus.facts().resets == 1 }
      bench.bus.unplug()
      try await bench.loop.sleep(for: .milliseconds(100))
      try bench.plugEcho()
      bench.say(try await driver.line())
      try await bench.ask(driver, "echo 100")
    },
    Scenario("clear-hangs") { bench in
      try bench.plugEcho()
      bench.bus.set(MOCK_USB_SLOW_CLEAR, 1500)
      let driver = try bench.driver()
      _ = try await driver.ask("limit recovery 200")
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_SLOW_CLEAR, 0)
      // What was opened too late is closed by itself.
      try await bench.until("closed") { bench.bus.facts().open_handles == 0 }
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
    },
    Scenario("closed-while-clearing") { bench in
      // The clearing of a halt runs when the channel is closed: it uses the handle, which must outlive it.
      try bench.plugEcho()
      let driver = try bench.driver()
      _ = try await driver.ask("limit quiet 1")
      for i in 0..<300 {
        let opened = try await driver.ask("open")
        guard opened.hasPrefix("open ") else { return bench.say("cycle \(i): \(opened)") }
        bench.bus.set(MOCK_USB_STALL_OUT, 1)
        let end = try await driver.ask("write-and-close \(i % 20 * 200)")
        guard end.hasSuffix(" closed") else { return bench.say("cycle \(i): \(end)") }
      }
      bench.bus.set(MOCK_USB_STALL_OUT, 0)
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
    },
    Scenario("ladder") { bench in
      // A reset of the port that changes nothing proves nothing.
      let camera = try EmulatedCamera(bench, refusesReset: true)
      try await camera.plug()
      let driver = try bench.driver()
      try await bench.ask(driver, "link climb SN1-1")
      bench.say("resets: \(bench.bus.facts().resets)")
      camera.unplug()
      _ = try await driver.ask("limit arrival 200")
      try await bench.ask(driver, "link climb SN1-1")
      camera.end()
    },
    Scenario("killed-driver") { bench in
      try bench.plugEcho()
      let first = try bench.driver()
      try await bench.ask(first, "open")
      try await bench.ask(first, "write left in the device")
      try await first.kill()
      bench.bus.forgetHosts()
      let second = try bench.driver()
      try await bench.ask(second, "open")
      try await bench.ask(second, "echo 100")
    },
  ]
}
