import RigDevice
import RigLoop
import Testing

@testable import RigLinks

@Suite struct ManagedLinkTests {
  private func profile(_ request: JoinRequest) throws -> String {
    ManagedProfile(
      id: "streamrig wlan0", uuid: "u", interface: "wlan0", hotspot: try HotspotProfile(request, rigKey: nil),
      leaseSeconds: 8
    ).text
  }

  @Test func aProfileHoldsAnyNameAndKey() throws {
    let text = try profile(
      JoinRequest(ssid: [0x43, 0x0A, 0xFF, 0x5D], by: .harness, key: #" a\b;[x]=# "#, isHidden: true))
    #expect(
      text == #"""
        [connection]
        id=streamrig wlan0
        uuid=u
        type=wifi
        interface-name=wlan0
        autoconnect=false
        [wifi]
        mode=infrastructure
        ssid=67;10;255;93;
        powersave=2
        hidden=true
        [wifi-security]
        key-mgmt=wpa-psk
        psk=\sa\\b;[x]=#\s
        [ipv4]
        method=auto
        may-fail=false
        never-default=true
        ignore-auto-dns=true
        dhcp-timeout=8
        [ipv6]
        method=disabled

        """#)
  }

  @Test func withoutAKeyTheHotspotIsOpen() throws {
    let text = try profile(JoinRequest(ssid: [0x43], by: .device))
    #expect(!text.contains("security") && !text.contains("hidden"))
  }

  /// As nmcli 1.42 says it.
  @Test(arguments: [
    ("Error: Connection activation failed: Secrets were required, but not provided\nHint: use", "wrong key"),
    ("Error: Connection activation failed: The Wi-Fi network could not be found", "the hotspot was not found"),
    (
      "Error: Connection activation failed: IP configuration could not be reserved (no available address, timeout, etc.)",
      "no lease on \"C\": no DHCP server answered in 15 s"
    ),
    ("Warning: x\nError: Timeout 60 sec expired.", "joining \"C\" failed: Timeout 60 sec expired."),
  ])
  func failuresAreToldApart(_ said: String, _ meaning: String) {
    let answer = SystemTool.Answer(exit: .code(4), text: "", complaint: SystemTool.firstError(said))
    #expect("\(ManagedLink.failure(HotspotName([0x43]), answer))".contains(meaning))
  }

  @Test func aKilledToolIsNamed() {
    let answer = SystemTool.Answer(exit: .signal(9), text: "", complaint: "")
    #expect("\(ManagedLink.failure(HotspotName([0x43]), answer))".contains("nmcli ended with killed by signal 9"))
  }

  @Test func fieldsOfTerseOutput() {
    #expect(NetworkManager.fields(#"yes:02\:00\:AA:2412 MHz"#) == ["yes", "02:00:AA", "2412 MHz"])
    #expect(NetworkManager.fields(#"a\\:"#) == [#"a\"#, ""])
  }

  @Test func accessPointsOfAScan() {
    let seen = ScannedAccessPoint.list(
      "BSS 02:00:00:00:00:00(on wlan1)\n\tlast seen: 1 ms ago\n\tfreq: 2412.0\n\tSSID: Cam \\x22\\xc3\\x9c\\x22\n"
        + "\tRSN:\t * Version: 1\nBSS 02:00:00:00:05:00(on wlan1) -- associated\n\tfreq: 5180\n\tSSID: \nBSS what\n")
    #expect(
      seen == [
        ScannedAccessPoint(bssid: "02:00:00:00:00:00", megahertz: 2412, ssid: Array("Cam \"Ü\"".utf8)),
        ScannedAccessPoint(bssid: "02:00:00:00:05:00", megahertz: 5180),
      ])
  }

  @Test func theMachineKnowsItsOwnAddresses() {
    #expect(LocalAddress.isHeld(IPv4(127, 0, 0, 1)))
    // Documentation addresses (RFC 5737) are nobody's.
    #expect(!LocalAddress.isHeld(IPv4(192, 0, 2, 1)))
    #expect(LocalAddress.used(towards: "127.66.1.1") == IPv4(127, 0, 0, 1))
    #expect(LocalAddress.used(towards: "no address") == nil)
  }
}
