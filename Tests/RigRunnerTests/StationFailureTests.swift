import RigDevice
import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@testable import RigRunner

/// A link whose own station fails at one moment of the session.
// Unchecked: touched only on the loop's thread.
private final class FailingStation: Link, @unchecked Sendable {
  enum Moment: CaseIterable { case join, probe, joined, gone }
  let inner: any Link
  let loop: Loop
  let moment: Moment
  private var lost: @Sendable (Fact) -> Void = { _ in }

  init(_ inner: any Link, _ loop: Loop, at moment: Moment) {
    self.inner = inner
    self.loop = loop
    self.moment = moment
  }

  var name: String { "failing" }
  private var failure: Fact { Fact(.stationFailed, by: .link, at: loop.now, detail: "the radio is blocked (rfkill)") }

  func join(_ request: JoinRequest) async -> Fact? { moment == .join ? failure : nil }
  func probe(_ target: Hello.Probe?) async -> Fact {
    if moment == .probe { return failure }
    if moment == .joined {
      loop.spawn { [loop] in
        try await loop.sleep(for: .seconds(2))
        self.lost(self.failure)
      }
    }
    return await inner.probe(target)
  }
  func probeGone(_ target: Hello.Probe?) async -> Fact { moment == .gone ? failure : await inner.probeGone(target) }
  func probePort(host: String, port: UInt16) async -> Fact { await inner.probePort(host: host, port: port) }
  func watch(_ see: @escaping @Sendable (Fact) -> Void) async { lost = see }
}

/// The harness's own radio says nothing of the device's hotspot: whatever it breaks is the rig's.
@Suite struct StationFailureTests {
  private func record(_ moment: FailingStation.Moment, _ plan: Plan) throws -> (record: RunRecord, journal: String) {
    let (log, _, _) = try Cases.run([Cases.scheduled(plan)]) { bench, _ in
      bench.notice = HotspotNotice(ssid: "CAM", harnessJoins: true, key: nil, isHidden: false, channel: 6)
      bench.wrapLink = { FailingStation($0, bench.loop, at: moment) }
    }
    return (try #require(log.records.first), log.journal.joined(separator: "\n"))
  }

  @Test(arguments: FailingStation.Moment.allCases)
  private func itIsTheRigsFault(_ moment: FailingStation.Moment) throws {
    let (record, journal) = try record(moment, Cases.plan())
    #expect(record.verdict == .error, "\(record.verdict): \(record.reason)")
    #expect(record.reason.contains("the radio is blocked (rfkill)"), "\(record.reason)")
    #expect(journal.contains("link.station-failed"))
  }

  /// A plan that expects the join to fail does not pass by a radio that is switched off.
  @Test func noExpectedFailureIsMetByIt() throws {
    let plan = Cases.plan(failed: FailurePoint(.connectHotspot), reached: .accepted)
    #expect(try record(.join, plan).record.verdict == .error)
    #expect(try record(.probe, plan).record.verdict == .error)
  }
}
