import RigDevice
import RigModel
import Testing

@testable import RigLinks

@Suite struct WiFiJoinTests {
  private let bssid = "02:00:00:00:00:00"

  private func profile(
    _ ssid: String = "CAM", key: String? = "secret1234", channel: Int? = nil
  ) throws -> HotspotProfile {
    try HotspotProfile(JoinRequest(ssid: Array(ssid.utf8), by: .harness, key: key, channel: channel), rigKey: nil)
  }

  private func second(_ n: Int64) -> HostTime { .zero + .seconds(n) }

  private func outcome(_ events: [String], _ profile: HotspotProfile, until: Int64? = nil) -> JoinMachine.Outcome? {
    var machine = JoinMachine(profile, at: .zero)
    for event in events { machine.see(SupplicantEvent(event), at: second(1)) }
    if let until { machine.tick(at: second(until)) }
    return machine.outcome
  }

  @Test func anAssociationIsReportedOnceItsKeysAreAgreed() throws {
    let events = [
      "<3>CTRL-EVENT-SCAN-RESULTS ", "<3>SME: Trying to authenticate with \(bssid) (SSID='CAM' freq=2412 MHz)",
      "<3>Associated with \(bssid)",
    ]
    #expect(outcome(events, try profile()) == nil)
    let connected = "<3>CTRL-EVENT-CONNECTED - Connection to \(bssid) completed [id=0 id_str=]"
    #expect(outcome(events + [connected], try profile()) == .associated(bssid: bssid))
  }

  @Test func aWrongKeyIsToldApartAtOnce() throws {
    let profile = try profile()
    let events = [
      "<3>SME: Trying to authenticate with \(bssid) (SSID='CAM' freq=2412 MHz)", "<3>Associated with \(bssid)",
      "<3>CTRL-EVENT-DISCONNECTED bssid=\(bssid) reason=15",
      "<3>WPA: 4-Way Handshake failed - pre-shared key may be incorrect",
      "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"CAM\" auth_failures=1 duration=10 reason=WRONG_KEY",
    ]
    #expect(outcome(events, profile) == .failed(.wrongKey(profile.name, bssid: bssid)))
    // SAE: the access point answers the confirm.
    let sae = ["<3>CTRL-EVENT-AUTH-REJECT \(bssid) auth_type=3 auth_transaction=2 status_code=15"]
    #expect(outcome(sae, profile) == .failed(.wrongKey(profile.name, bssid: bssid)))
  }

  /// A handshake may fail for lost frames: the supplicant says which it was.
  @Test func anotherEndOfTheHandshakeIsNoWrongKey() throws {
    let profile = try profile()
    let events = [
      "<3>Associated with \(bssid)", "<3>CTRL-EVENT-DISCONNECTED bssid=\(bssid) reason=15",
      "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"CAM\" auth_failures=1 duration=10 reason=CONN_FAILED",
    ]
    #expect(outcome(events, profile) == nil)
    #expect(
      outcome(events, profile, until: 20) == .failed(.unfinished(profile.name, after: .seconds(20), reason: 15)))
  }

  @Test func aRejectionIsBelievedTheSecondTimeOrAtTheEnd() throws {
    let profile = try profile()
    let no = "<3>CTRL-EVENT-ASSOC-REJECT bssid=\(bssid) status_code=17"
    let rejected = JoinMachine.Outcome.failed(
      .rejected(profile.name, bssid: bssid, step: "association", status: 17))
    #expect(outcome([no], profile) == nil)
    #expect(outcome([no, no], profile) == rejected)
    #expect(outcome([no], profile, until: 20) == rejected)
    let text = "\(JoinFailure.rejected(profile.name, bssid: bssid, step: "association", status: 17))"
    #expect(text.contains("status 17 (access point has no room for another station)"))
  }

  @Test func aHotspotThatIsNotThereIsWaitedForAndThenNamed() throws {
    let profile = try profile()
    let miss = "<3>CTRL-EVENT-NETWORK-NOT-FOUND "
    #expect(outcome([miss, miss, miss], profile) == nil)
    guard case .failed(let why)? = outcome([miss, miss, miss], profile, until: 20) else {
      Issue.record("no failure")
      return
    }
    #expect("\(why)" == "the hotspot \"CAM\" was not found: 3 scans in 20 s")
    let open = outcome([miss], try self.profile(key: nil), until: 20)
    guard case .failed(let other)? = open else {
      Issue.record("no failure")
      return
    }
    #expect("\(other)".contains("no key is known"))
  }

  @Test func aNamedChannelThatIsWrongIsGivenUp() throws {
    var machine = JoinMachine(try profile(channel: 6), at: .zero)
    for n in 0..<JoinMachine.mostScansOnChannel {
      #expect(!machine.wantsAnyChannel, "\(n)")
      machine.see(.networkNotFound, at: second(1))
    }
    #expect(machine.wantsAnyChannel)
    #expect(machine.outcome == nil)
  }

  /// The access point listens for radar before it sends: its channel is the right one, and silent for a minute.
  @Test func aChannelWithRadarCheckIsWaitedForLonger() throws {
    var machine = JoinMachine(try profile(channel: 100), at: .zero)
    for n in 0..<60 { machine.see(.networkNotFound, at: second(Int64(n))) }
    #expect(!machine.wantsAnyChannel)
    #expect(machine.outcome == nil)
    machine.tick(at: second(80))
    #expect(machine.outcome != nil)
  }

  @Test func aBlockedRadioAndADeadSupplicantEndItAtOnce() throws {
    #expect(outcome(["<3>CTRL-EVENT-SCAN-FAILED ret=-132"], try profile()) == .failed(.blocked))
    guard case .failed(.supplicant) = outcome(["<3>CTRL-EVENT-TERMINATING "], try profile()) else {
      Issue.record("no failure")
      return
    }
    #expect(
      outcome(["<3>CTRL-EVENT-SCAN-FAILED ret=-16"], try profile(), until: 20) == .failed(.scanRefused(errno: 16)))
  }

  @Test func nothingChangesAnOutcome() throws {
    var machine = JoinMachine(try profile(), at: .zero)
    machine.see(.connected(bssid: bssid), at: second(1))
    machine.see(.temporarilyDisabled(reason: "WRONG_KEY"), at: second(2))
    machine.tick(at: second(100))
    #expect(machine.outcome == .associated(bssid: bssid))
  }
}
