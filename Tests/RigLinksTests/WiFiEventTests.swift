import RigModel
import RigTestSupport
import Testing

@testable import RigLinks

/// Lines as wpa_supplicant 2.10 sent them, on a radio of mac80211_hwsim.
@Suite struct WiFiEventTests {
  private let bssid = "02:00:00:00:00:00"

  @Test func eventsAreReadAsTheyAreSent() {
    let table: [(String, SupplicantEvent)] = [
      ("<3>CTRL-EVENT-SCAN-STARTED ", .scanStarted),
      ("<3>CTRL-EVENT-SCAN-RESULTS ", .scanResults),
      ("<3>CTRL-EVENT-NETWORK-NOT-FOUND ", .networkNotFound),
      ("<3>SME: Trying to authenticate with \(bssid) (SSID='CAM' freq=2412 MHz)", .authenticating(bssid: bssid)),
      ("<3>Trying to associate with \(bssid) (SSID='CAM' freq=2412 MHz)", .other),
      ("<3>Associated with \(bssid)", .associated(bssid: bssid)),
      ("<3>CTRL-EVENT-CONNECTED - Connection to \(bssid) completed [id=0 id_str=]", .connected(bssid: bssid)),
      (
        "<3>CTRL-EVENT-DISCONNECTED bssid=\(bssid) reason=15",
        .disconnected(bssid: bssid, reason: 15, isLocal: false)
      ),
      (
        "<3>CTRL-EVENT-DISCONNECTED bssid=\(bssid) reason=4 locally_generated=1",
        .disconnected(bssid: bssid, reason: 4, isLocal: true)
      ),
      (
        "<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"CAM\" auth_failures=1 duration=10 reason=WRONG_KEY",
        .temporarilyDisabled(reason: "WRONG_KEY")
      ),
      (
        "<3>CTRL-EVENT-ASSOC-REJECT bssid=\(bssid) status_code=17",
        .associationRejected(bssid: bssid, status: 17)
      ),
      (
        "<3>CTRL-EVENT-AUTH-REJECT \(bssid) auth_type=3 auth_transaction=2 status_code=15",
        .authenticationRejected(bssid: bssid, type: 3, step: 2, status: 15)
      ),
      ("<3>CTRL-EVENT-SCAN-FAILED ret=-16 retry=1", .scanFailed(errno: 16)),
      ("<3>CTRL-EVENT-TERMINATING ", .terminating),
      ("<3>CTRL-EVENT-BEACON-LOSS ", .other),
      ("CTRL-EVENT-SCAN-RESULTS", .scanResults),
      ("", .other), ("<", .other), ("<3>", .other), ("=", .other),
    ]
    for (line, event) in table { #expect(SupplicantEvent(line) == event, "\(line)") }
  }

  /// A hotspot's name is a stranger's text: it must not pass for a field.
  @Test func aNameThatLooksLikeAFieldChangesNothing() {
    let line = #"<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="x\" reason=WRONG_KEY y=\"" auth_failures=1 "#
    #expect(SupplicantEvent(line + "duration=10 reason=CONN_FAILED") == .temporarilyDisabled(reason: "CONN_FAILED"))
    #expect(
      SupplicantEvent("<3>SME: Trying to authenticate with x (SSID='CTRL-EVENT-CONNECTED' freq=1 MHz)")
        == .authenticating(bssid: ""))
  }

  @Test func aNumberOfAnySizeIsNoTrap() {
    let huge = String(repeating: "9", count: 400)
    for text in ["<3>CTRL-EVENT-SCAN-FAILED ret=-\(huge)", "<3>CTRL-EVENT-SCAN-FAILED ret=-9223372036854775808"] {
      guard case .scanFailed = SupplicantEvent(text) else {
        Issue.record("\(text)")
        return
      }
    }
    #expect(
      SupplicantEvent("CTRL-EVENT-DISCONNECTED bssid=\(bssid) reason=\(huge)")
        == .disconnected(bssid: bssid, reason: 0, isLocal: false))
  }

  @Test func noTextTrapsTheReaders() {
    var random = SplitMix64(seed: 7)
    let pieces = [
      "<3>", "CTRL-EVENT-DISCONNECTED ", "CTRL-EVENT-AUTH-REJECT ", "bssid=", "=", "\"", "\\", " ", "\t", "\n", "x",
      "reason=-1", "\\x4", "\\xZZ", "02:00:00:00:00:0g", "ü", "SME: Trying to authenticate with ", "\u{0}",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      _ = SupplicantEvent(text)
      _ = ScanResults(text)
    }
  }

  @Test func scanResultsCarryNamesOfAnyOctets() {
    let reply = """
      bssid / frequency / signal level / flags / ssid
      02:00:00:00:00:00\t2412\t-30\t[WPA2-PSK-CCMP][ESS]\tCAM \\"x\\" \\xc3\\x9c\\\\\\n
      02:00:00:00:00:01\t5180\t-71\t[ESS]\t
      nonsense
      02:00:00:00:00:02\tx\t-71\t[ESS]\ta

      """
    let points = ScanResults(reply).accessPoints
    #expect(points.count == 2)
    #expect(points.first?.ssid == Array("CAM \"x\" Ü\\\n".utf8))
    #expect(points.first?.signal == -30)
    #expect(points.last?.ssid == [])
    #expect(points.last?.megahertz == 5180)
  }
}
