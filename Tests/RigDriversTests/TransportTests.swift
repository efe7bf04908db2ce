import Glibc
import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

@Suite struct TransportTests {
  @Test func nobodyListensOnTCP() throws {
    let loop = try EpollLoop()
    let text = try loop.run { () async throws -> String in
      // A port that was just free.
      guard let any = SocketAddress(host: "127.0.0.1", port: 0) else { return "" }
      let listener = try TCPListener(loop, on: any)
      let address = listener.address
      listener.close()
      do {
        _ = try await StageLinkDriver(loop, TCPOpener(loop, address)) { "n" }.open { _ in }
        return "opened"
      } catch { return "\(error)" }
    }
    #expect(text.contains("tcp 127.0.0.1:") && text.contains("refused"))
  }

  private static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3"].first { access($0, X_OK) == 0 }

  /// An agent as somebody might write it in an afternoon: plain JSON lines, no RS, no checksum, log text between them.
  private static let agent = #"""
    import json, sys, time
    def say(**m):
        m["jsonrpc"] = "2.0"
        print(json.dumps(m), flush=True)
    print("booting script agent", flush=True)
    for line in sys.stdin:
        line = line.strip().lstrip("\x1e")
        m = json.loads(line[:line.rindex("}") + 1])
        p, method = m.get("params", {}), m["method"]
        us = int(time.monotonic() * 1e6)
        if method == "hello":
            say(id=m["id"], result={"v": 1, "nonce": p["nonce"], "boot": "s1", "device": {"model": "script"},
                "flows": ["rtsp-hotspot"], "caps": [], "ready": {"ok": True}})
        elif method == "state":
            say(id=m["id"], result={"state": "idle", "seq": 0})
        elif method == "ping":
            say(id=m["id"], result={"d1": us, "d2": us})
        elif method == "echo":
            say(id=m["id"], result={"data": "e" * p["len"]})
            print("[log] echoed", p["len"], flush=True)
            say(method="event", params={"seq": 1, "boot": "s1", "t": us, "name": "x.echoed", "src": "host"})
        elif method == "quit":
            sys.exit(0)
        else:
            say(id=m["id"], error={"code": -32601, "message": method})
    """#

  @Test(.enabled(if: TransportTests.python != nil, "needs python3"))
  func anAgentInAScript() throws {
    guard let python = TransportTests.python else { return }
    let loop = try EpollLoop()
    let lines = try loop.run { () async throws -> [String] in
      let log = SignalLog(loop)
      let opener = ProcessOpener(loop, program: python, arguments: ["-c", TransportTests.agent])
      let driver = StageLinkDriver(loop, opener) { "n" }
      let hello = try await driver.open { log.take($0) }
      var lines = ["hello \(hello.model)"]
      let echo = try await driver.call("echo", ["len": 1024], timeout: .seconds(10))
      lines.append("echo \(echo["data"]?.string?.count ?? -1)")
      let event = await log.event("x.echoed")
      let error = event?.timeError ?? .zero
      lines.append("event, time \(event?.occurred == nil || error <= .zero ? "unknown" : "known")")
      do {
        _ = try await driver.call("makeCoffee", [:], timeout: .seconds(10))
      } catch { lines.append("\(error)") }
      await driver.close()
      lines += log.signals.compactMap { signal in
        if case .deviceLog(let bytes) = signal { "log \(String(decoding: bytes, as: UTF8.self))" } else { nil }
      }
      return lines
    }
    #expect(
      lines == [
        "hello script", "echo 1024", "event, time known", "unknown method (-32601): makeCoffee",
        "log booting script agent", "log [log] echoed 1024",
      ])
  }

  /// What an agent's program writes to its stderr is the device's log, and nothing for this process's terminal.
  @Test func whatAProgramWritesToItsErrors() throws {
    let loop = try EpollLoop()
    let logs = try loop.run { () async throws -> [String] in
      let log = SignalLog(loop)
      let script = #"printf '\033[31mred\nsecond\n' >&2; exec cat >/dev/null"#
      let opener = ProcessOpener(loop, program: "/bin/sh", arguments: ["-c", script])
      let driver = StageLinkDriver(loop, opener) { "n" }
      let opening = loop.spawn { _ = try await driver.open { log.take($0) } }
      _ = await log.first { if case .deviceLog(let bytes) = $0 { bytes == Array("second".utf8) } else { false } }
      await driver.close()
      _ = await opening.result
      await opener.close()
      return log.signals.compactMap { signal in
        if case .deviceLog(let bytes) = signal { String(decoding: bytes, as: UTF8.self) } else { nil }
      }
    }
    #expect(logs == ["\u{1B}[31mred", "second"])
  }

  @Test func aProgramThatIsNotThere() throws {
    let loop = try EpollLoop()
    #expect(throws: DriverError.self) {
      try loop.run {
        _ = try await StageLinkDriver(loop, ProcessOpener(loop, program: "/nonexistent/agent", arguments: [])) { "n" }
          .open { _ in }
      }
    }
  }

  @Test func aProgramThatEndsAtOnce() throws {
    let loop = try EpollLoop()
    #expect(throws: DriverError.self) {
      try loop.run {
        _ = try await StageLinkDriver(loop, ProcessOpener(loop, program: "/bin/sh", arguments: ["-c", "exit 3"])) {
          "n"
        }
        .open { _ in }
      }
    }
  }
}
