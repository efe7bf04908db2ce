import RigDevice
import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@testable import RigRunner

/// Remembers what it was asked to join, and joins or not.
// Unchecked: touched only on the loop's thread.
private final class RecordingLink: Link, @unchecked Sendable {
  let inner: any Link
  let loop: Loop
  let refusal: String?
  private(set) var requests: [JoinRequest] = []
  private(set) var steps: [String] = []

  init(_ inner: any Link, _ loop: Loop, refusal: String?) {
    self.inner = inner
    self.loop = loop
    self.refusal = refusal
  }

  var name: String { "recording" }

  func join(_ request: JoinRequest) async -> Fact? {
    requests.append(request)
    steps.append("join")
    if let refusal { return Fact(.linkNotJoined, by: .link, at: loop.now, detail: refusal) }
    return Fact(.linkJoined, by: .link, at: loop.now)
  }
  func begin(_ fault: FaultRequest) async throws -> Int {
    steps.append("begin \(fault.verb)")
    return 0
  }
  func proof(of token: Int) async -> String? { "seen" }
  func probe(_ target: Hello.Probe?) async -> Fact { await inner.probe(target) }
  func probeGone(_ target: Hello.Probe?) async -> Fact { await inner.probeGone(target) }
  func probePort(host: String, port: UInt16) async -> Fact { await inner.probePort(host: host, port: port) }
}

@Suite struct JoinTests {
  private static let key = #"a b"c\d $e `f`"#

  // Unchecked: touched only on the loop's thread.
  private final class Seen: @unchecked Sendable { var link: RecordingLink? }

  private func run(
    _ plan: Plan, harnessJoins: Bool, refusal: String? = nil
  ) throws -> (record: RunRecord, link: RecordingLink, journal: String) {
    let seen = Seen()
    let (log, _, _) = try Cases.run([Cases.scheduled(plan)]) { bench, _ in
      bench.notice = HotspotNotice(
        ssid: "CAM", harnessJoins: harnessJoins, key: JoinTests.key, isHidden: true, channel: 6)
      bench.wrapLink = { inner in
        let link = RecordingLink(inner, bench.loop, refusal: refusal)
        seen.link = link
        return link
      }
    }
    return (try #require(log.records.first), try #require(seen.link), log.journal.joined(separator: "\n"))
  }

  @Test(arguments: [true, false])
  func theStationIsToldWhatTheDeviceNames(harnessJoins: Bool) throws {
    let (record, link, _) = try run(Cases.plan(), harnessJoins: harnessJoins)
    #expect(record.verdict == .pass, "\(record.reason)")
    #expect(
      link.requests == [
        JoinRequest(
          ssid: Array("CAM".utf8), by: harnessJoins ? .harness : .device, key: JoinTests.key, isHidden: true,
          channel: 6)
      ])
  }

  @Test func aFailedJoinIsTheDevicesToReport() throws {
    let plan = Cases.plan(failed: FailurePoint(.connectHotspot), reached: .accepted)
    let (record, _, journal) = try run(plan, harnessJoins: true, refusal: "wrong key: too bad")
    #expect(record.verdict == .pass, "\(record.reason)")
    // Both the witness and the device's report are in the journal.
    #expect(journal.contains("link.not-joined"))
    #expect(journal.contains("wrong key: too bad"))
  }

  @Test func theKeyIsInNoReport() throws {
    for harnessJoins in [true, false] {
      let (_, link, journal) = try run(Cases.plan(), harnessJoins: harnessJoins, refusal: "not with \(JoinTests.key)")
      #expect(link.requests.first?.key == JoinTests.key)
      #expect(!journal.contains("$e `f`"))
      #expect(journal.contains("[redacted]"))
    }
  }

  @Test func aFaultOfTheJoinBeginsBeforeIt() throws {
    let fault = FaultRequest(at: .connectHotspot, do: "wrong-key")
    let plan = Cases.plan(faults: [fault], failed: FailurePoint(.connectHotspot), reached: .accepted)
    let (_, link, _) = try run(plan, harnessJoins: true, refusal: "wrong key")
    #expect(link.steps == ["begin wrong-key", "join"])
  }
}
