import Testing

@testable import RigLinks

/// What keeps a radio from a run: the doctor and the run say the same.
@Suite struct RadioTests {
  private static let radio = Radio(
    interface: "wlan0", phy: "phy0", index: 0, driver: "d", bands: [], mayChangeNamespace: true, isUp: true,
    manager: nil, block: nil)

  private func refusal(
    isRoot: Bool = true, without missing: String = "", _ change: (inout Radio) -> Void = { _ in }
  ) -> RadioUnavailable? {
    var radio = RadioTests.radio
    change(&radio)
    return radio.refusal(isRoot: isRoot) { $0 != missing }
  }

  @Test func aFreeRadioIsTaken() {
    #expect(refusal() == nil)
    #expect(refusal(without: "nmcli") == nil)
    #expect(refusal { $0.manager = "NetworkManager" } == nil)
  }

  @Test func whatKeepsARadioIsSaidWithARemedy() {
    let refusals = [
      (refusal { $0.block = .soft }, "rfkill"), (refusal { $0.block = .hard }, "switch of the machine"),
      (refusal { $0.mayChangeNamespace = false }, "its driver"), (refusal(isRoot: false), "root is needed"),
      (refusal { $0.manager = "hostapd" }, "used by hostapd"),
      (refusal(without: "nmcli") { $0.manager = "NetworkManager" }, "nmcli is missing"),
      (refusal(without: "wpa_supplicant"), "wpa_supplicant is missing"),
    ]
    for (refusal, text) in refusals {
      #expect(refusal?.description.contains(text) == true, "\(text): \(refusal?.description ?? "none")")
      #expect(refusal?.fix.isEmpty == false)
    }
  }

  @Test func aFolderIsNoProgram() {
    #expect(!SystemTree.isProgram("/tmp") && !SystemTree.isProgram("/no/such/program"))
    #expect(SystemTree.isProgram("/bin/sh"))
  }

  @Test func keysAreLookedAtBeforeAnyRadioIs() {
    #expect(WiFiLink.problem(ofKey: "12345678") == nil)
    #expect(WiFiLink.problem(ofKey: "1234567")?.contains("8 to 63") == true)
    #expect(WiFiLink.problem(ofKey: "1234567")?.contains("1234567") == false)
  }
}
