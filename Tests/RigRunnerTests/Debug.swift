import RigDrivers
import RigLoop
import RigModel
import RigRunner
import RigTestSupport
import RigEmulator
import Testing
@Suite struct DebugTests {
  @Test func debug() throws {
    let (log, bench, _) = try Cases.run([Cases.scheduled(Cases.plan("one"))]) { bench, runner in
      bench.profile.pace.configureHotspot = 20_000...20_000
      bench.equipped = { [unowned bench] id in
        bench.openers[id]?.incoming = { bytes in
          print(bench.loop.now, "<", String(decoding: bytes, as: UTF8.self))
          if String(decoding: bytes, as: UTF8.self).contains("accepted") { return [] }
          return bytes
        }
        bench.openers[id]?.outgoing = { bytes in
          print(bench.loop.now, ">", String(decoding: bytes, as: UTF8.self))
          if String(decoding: bytes, as: UTF8.self).contains("\"start\"") {
            bench.loop.spawn { await runner.interrupt("Ctrl-C") }
          }
          return bytes
        }
      }
    }
    print(log.journal.joined(separator: "\n"), bench.devices.count)
  }
}
