import CMockUSB
import RigLoop

extension Scenario {
  static let channel: [Scenario] = [
    Scenario("bytes") { bench in
      // Lengths around the packet, the transfer, and several transfers.
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      for count in [1, 63, 64, 511, 512, 513, 1024, 16_383, 16_384, 16_385, 32_768, 100_000] {
        try await bench.ask(driver, "echo \(count)")
      }
      let facts = bench.bus.facts()
      bench.say("OUT bytes without an end: \(facts.unterminated)")
      bench.say("smallest IN buffer: \(facts.smallest_buffer), \(facts.unaligned_buffers) unaligned")
      bench.say("IN transfers in flight: \(facts.most_in_flight <= 3 ? "at most 3" : "\(facts.most_in_flight)")")
      bench.say("zero-length packets: \(facts.zero_length_out > 0 ? "sent" : "none")")
      bench.say("claims \(facts.claims), clear_halt \(facts.clear_halts_in) in, \(facts.clear_halts_out) out")
      try await bench.ask(driver, "close")
      try await bench.until("closed") { bench.bus.facts().open_handles == 0 }
      bench.say("released \(bench.bus.facts().releases)")
    },
    Scenario("full-speed") { bench in
      try bench.plugEcho(MockBus.Spec(interfaceNumber: 2, input: 0x83, output: 0x04, packet: 64, speed: 12))
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      for count in [64, 65, 4096, 20_000] { try await bench.ask(driver, "echo \(count)") }
      bench.say("OUT bytes without an end: \(bench.bus.facts().unterminated)")
    },
    Scenario("boundaries") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      for drip in [1, 2, 3, 7, 64, 511] {
        bench.bus.set(MOCK_USB_DRIP, drip)
        bench.say("at most \(drip) bytes a transfer: \(try await driver.ask("echo 600"))")
      }
    },
    Scenario("zero-length") { bench in
      let firmware = try bench.bus.plug(bench.loop)
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      // Exactly one transfer's worth: its end comes as a packet without a byte, which is no end of the stream.
      try await firmware.write(Noise.bytes(16_384))
      try await bench.ask(driver, "read-bytes 16384")
      try await firmware.write(Noise.bytes(512))
      try await bench.ask(driver, "read-bytes 512")
      let count = try await driver.ask("count zero-length")
      bench.say("zero-length transfers consumed: \((Int(count) ?? 0) > 0 ? "yes" : "no")")
    },
    Scenario("timeout-keeps-bytes") { bench in
      // The firmware forgets the zero-length packet: the transfer does not end, but what came is there.
      let firmware = try bench.bus.plug(bench.loop)
      bench.bus.set(MOCK_USB_NO_ZLP, 1)
      let driver = try bench.driver()
      _ = try await driver.ask("limit input 100")
      try await bench.ask(driver, "open")
      try await firmware.write(Noise.bytes(1024))
      try await bench.ask(driver, "read-bytes 1024")
      try await bench.ask(driver, "count by-timeouts")
    },
    Scenario("write-timeout-goes-on") { bench in
      // The device takes 512 bytes and then none for a while: what was taken is not sent again.
      try bench.plugEcho()
      let driver = try bench.driver()
      _ = try await driver.ask("limit output 100")
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_NAK_AFTER, 512)
      try await driver.send("echo 2000")
      try await bench.until("two time-outs") { bench.bus.facts().cancelled >= 2 }
      try await bench.loop.sleep(for: .milliseconds(250))
      bench.bus.set(MOCK_USB_NAK, 0)
      bench.say(try await driver.line())
      let count = Int(try await driver.ask("count timeouts-out")) ?? 0
      bench.say("time-outs: \(count >= 1 ? "some" : "none")")
      let facts = try await driver.ask("facts")
      bench.say(
        "fact: \(facts.contains("a bulk OUT transfer timed out: 512 of 2000 bytes were taken") ? "yes" : facts)")
    },
    Scenario("write-timeout-ends") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      _ = try await driver.ask("limit output 100")
      _ = try await driver.ask("limit output-patience 300")
      try await bench.ask(driver, "open")
      bench.bus.set(MOCK_USB_NAK, 1)
      try await bench.ask(driver, "write hello")
      try await bench.ask(driver, "read 1")
      bench.bus.set(MOCK_USB_NAK, 0)
      // The next opening resets the device first.
      try await bench.ask(driver, "open")
      try await bench.ask(driver, "echo 100")
      bench.say("resets: \(bench.bus.facts().resets)")
    },
    Scenario("back-pressure") { bench in
      // Nobody reads: the driver takes its 64 KiB and no more, and the device waits.
      let firmware = try bench.bus.plug(bench.loop)
      let driver = try bench.driver()
      try await bench.ask(driver, "open")
      let total = 2_000_000
      let writing = bench.loop.spawn { try await firmware.write(Noise.bytes(total)) }
      try await bench.until("the first bytes") { bench.bus.facts().bytes_in > 40_000 }
      try await bench.loop.sleep(for: .milliseconds(300))
      let taken = bench.bus.facts().bytes_in
      bench.say("taken while nobody reads: \(taken <= 65_536 ? "at most 64 KiB" : "\(taken)")")
      try await bench.ask(driver, "read-bytes \(total)")
      try await writing.value
      let unread = Int(try await driver.ask("count unread")) ?? .max
      bench.say("unread at most: \(unread <= 65_536 ? "64 KiB" : "\(unread)")")
      let flying = Int(try await driver.ask("count in-flight")) ?? .max
      bench.say("in flight at most: \(flying)")
    },
    Scenario("cycles") { bench in
      try bench.plugEcho()
      let driver = try bench.driver()
      _ = try await driver.ask("limit quiet 1")
      bench.say(try await driver.ask("cycles 1000"))
      try await bench.until("closed") { bench.bus.facts().open_handles == 0 }
      let facts = bench.bus.facts()
      bench.say("opened \(facts.opens), claimed \(facts.claims), released \(facts.releases)")
    },
  ]
}
