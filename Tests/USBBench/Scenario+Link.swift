import CMockUSB
import RigLoop

extension Scenario {
  static let link: [Scenario] = [
    Scenario("flow") { bench in
      let camera = try EmulatedCamera(bench)
      try await camera.plug()
      let driver = try bench.driver()
      try await bench.flow(driver, run: "r1", opens: true)
      try await bench.ask(driver, "link damaged")
      camera.end()
    },
    Scenario("flow-in-crumbs") { bench in
      let camera = try EmulatedCamera(bench)
      try await camera.plug()
      bench.bus.set(MOCK_USB_DRIP, 5)
      let driver = try bench.driver()
      try await bench.flow(driver, run: "r1", opens: true)
      try await bench.ask(driver, "link damaged")
      try await bench.ask(driver, "link facts")
      camera.end()
    },
    Scenario("flow-with-stalls") { bench in
      let camera = try EmulatedCamera(bench)
      try await camera.plug()
      let driver = try bench.driver()
      try await bench.ask(driver, "link open")
      bench.bus.set(MOCK_USB_STALL_IN, 1)
      bench.bus.set(MOCK_USB_STALL_OUT, 1)
      try await bench.flow(driver, run: "r1", opens: false)
      camera.end()
    },
    Scenario("crashed-client") { bench in
      // A driver dies in the middle of a run; the next one must not take the rest of its conversation for its own.
      let camera = try EmulatedCamera(bench)
      try await camera.plug()
      let first = try bench.driver()
      try await bench.ask(first, "link open")
      _ = try await first.ask(#"link call start {"run":"old","flow":"rtsp-hotspot","params":"default"}"#)
      try await bench.ask(first, "link event configureHotspotStarting")
      try await first.kill()
      bench.bus.forgetHosts()
      let second = try bench.driver()
      try await bench.ask(second, "link open")
      _ = try await second.ask(#"link call stop {"run":"old"}"#)
      try await bench.ask(second, "link event sessionFinish")
      try await bench.flow(second, run: "new", opens: false)
      camera.end()
    },
    Scenario("unplug-and-back") { bench in
      // The cable is pulled and put back in the middle of a run: the run goes on, no event is lost.
      let camera = try EmulatedCamera(bench, startTakes: 100)
      try await camera.plug()
      let driver = try bench.driver()
      try await bench.ask(driver, "link open")
      _ = try await driver.ask(#"link call start {"run":"r1","flow":"rtsp-hotspot","params":"default"}"#)
      camera.unplug()
      try await bench.ask(driver, "link signal lost")
      try await camera.plug()
      try await bench.ask(driver, "link signal back")
      while try await !driver.ask("link call state").contains("streaming") {
        try await bench.loop.sleep(for: .milliseconds(20))
      }
      _ = try await driver.ask(#"link call stop {"run":"r1"}"#)
      try await bench.ask(driver, "link event sessionFinish")
      try await bench.ask(driver, "link events")
      camera.end()
    },
    Scenario("runs") { bench in
      let camera = try EmulatedCamera(bench)
      try await camera.plug()
      let driver = try bench.driver()
      _ = try await driver.ask("limit quiet 1")
      let growth = try await bench.sessions(driver, 100)
      bench.say(growth.last ?? "nothing was said")
      camera.end()
    },
  ]
}

extension Bench {
  /// - Returns: what the driver's process held now and then, and at last by how much that grew.
  nonisolated(nonsending) func sessions(
    _ driver: DriverProcess, _ count: Int, _ heard: (String) -> Void = { _ in }
  ) async throws -> [String] {
    var lines: [String] = []
    try await driver.send("link runs \(count)")
    repeat {
      lines.append(try await driver.line())
      if lines.last?.contains(" sessions: ") == true { heard(lines.last ?? "") }
    } while lines.last?.contains(" sessions: ") == true
    return lines
  }

  /// A session from start to finish.
  fileprivate nonisolated(nonsending) func flow(_ driver: DriverProcess, run: String, opens: Bool) async throws {
    if opens { try await ask(driver, "link open") }
    let start = #"link call start {"run":"\#(run)","flow":"rtsp-hotspot","params":"default"}"#
    say("start: \(try await driver.ask(start))")
    try await ask(driver, "link event sessionStartCompletion")
    say("stop: \(try await driver.ask(#"link call stop {"run":"\#(run)"}"#))")
    try await ask(driver, "link event sessionFinish")
  }
}
