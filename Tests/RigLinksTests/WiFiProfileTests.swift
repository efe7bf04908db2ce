import RigDevice
import RigModel
import RigTestSupport
import Testing

@testable import RigLinks

@Suite struct WiFiProfileTests {
  private func fields(_ request: JoinRequest, rigKey: String? = nil, wrong: Bool = false) throws -> [String: String] {
    let fields = try HotspotProfile(request, rigKey: rigKey).fields(usesWrongKey: wrong)
    return Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test func aNameOfAnyOctetsIsSentInHex() throws {
    let names: [[UInt8]] = [
      Array("Cam \"x\" $(reboot)\n\0 ssid=y".utf8), [0], [0xFF, 0xFE, 0x22, 0x5C], Array("Ü".utf8),
    ]
    for name in names {
      let value = try fields(JoinRequest(ssid: name, by: .harness, key: "secret1234"))["ssid"] ?? ""
      #expect(value.utf8.count == 2 * name.count)
      #expect(value.allSatisfy { $0.isHexDigit })
    }
  }

  @Test func aNameIsShownWithoutControlCharacters() {
    #expect("\(HotspotName(Array("a\u{1B}[2J\"\\".utf8)))" == "\"a\\x1b[2J\\x22\\x5c\"")
    #expect("\(HotspotName(Array("Ü".utf8)))" == "\"\\xc3\\x9c\"")
  }

  @Test func whatIsNoNameOrKeyIsRefusedWithoutQuotingIt() {
    let secret = "short"
    for (request, part) in [
      (JoinRequest(ssid: [], by: .harness), "0 octets"),
      (JoinRequest(ssid: [UInt8](repeating: 65, count: 33), by: .harness), "33 octets"),
      (JoinRequest(ssid: [65], by: .harness, key: secret), "no WPA key"),
      (JoinRequest(ssid: [65], by: .harness, key: "line\nfeed of 8"), "no WPA key"),
      (JoinRequest(ssid: [65], by: .harness, key: String(repeating: "k", count: 65)), "no WPA key"),
      (JoinRequest(ssid: [65], by: .harness, key: "secret1234", channel: 15), "channel 15"),
      (JoinRequest(ssid: [65], by: .harness, key: "secret1234", channel: -1), "channel -1"),
      (JoinRequest(ssid: [65], by: .harness, key: "secret1234", channel: .max), "channel"),
    ] {
      let error = #expect(throws: JoinFailure.self) { try HotspotProfile(request, rigKey: nil) }
      #expect("\(error.map { "\($0)" } ?? "")".contains(part))
      #expect(!"\(error.map { "\($0)" } ?? "")".contains(secret))
    }
  }

  @Test func aPassphraseKeepsItsQuotesAndARawKeyHasNone() throws {
    let hostile = #"a b"c\d $e"#
    #expect(try fields(JoinRequest(ssid: [65], by: .harness, key: hostile))["psk"] == "\"\(hostile)\"")
    let raw = String(repeating: "aB", count: 32)
    let fields = try fields(JoinRequest(ssid: [65], by: .harness, key: raw))
    #expect(fields["psk"] == raw.lowercased())
    // A raw key is no password: SAE cannot use it.
    #expect(fields["key_mgmt"]?.contains("SAE") == false)
  }

  @Test func theDevicesKeyComesBeforeTheRigs() throws {
    let request = JoinRequest(ssid: [65], by: .device, key: "from-device")
    #expect(try fields(request, rigKey: "from-the-rig")["psk"] == "\"from-device\"")
    #expect(try fields(JoinRequest(ssid: [65], by: .device), rigKey: "from-the-rig")["psk"] == "\"from-the-rig\"")
    #expect(try fields(JoinRequest(ssid: [65], by: .device))["key_mgmt"] == "NONE")
  }

  @Test func theWrongKeyIsAnotherOneOfTheSameKind() throws {
    for key in [
      "secret1234", "wrong-on-purpose", String(repeating: "0", count: 64), String(repeating: "f1", count: 32),
    ] {
      let right = try #require(HotspotKey(key))
      #expect(right.wrong != right)
      switch (right, right.wrong) {
      case (.passphrase, .passphrase(let text)): #expect(HotspotKey(text) != nil)
      case (.raw, .raw(let digits)): #expect(digits.count == 64)
      default: Issue.record("another kind")
      }
    }
  }

  @Test func hiddenAndChannelAreAskedFor() throws {
    let fields = try fields(JoinRequest(ssid: [65], by: .harness, key: "secret1234", isHidden: true, channel: 11))
    #expect(fields["scan_ssid"] == "1")
    #expect(fields["scan_freq"] == "2462")
    #expect(WiFiChannel(14)?.megahertz == 2484)
    #expect(WiFiChannel(36)?.megahertz == 5180)
    #expect(WiFiChannel(165)?.megahertz == 5825)
    #expect(WiFiChannel(52)?.needsRadarCheck == true)
    #expect(WiFiChannel(36)?.needsRadarCheck == false)
    #expect(WiFiChannel(37) == nil && WiFiChannel(0) == nil)
  }

  @Test func aJoinIsReadFromTheEvent() {
    let join: JSONValue = ["by": "harness", "key": "secret1234", "hidden": true, "channel": 6]
    #expect(
      JoinRequest(ssid: "CAM", join: join)
        == JoinRequest(ssid: Array("CAM".utf8), by: .harness, key: "secret1234", isHidden: true, channel: 6))
    #expect(JoinRequest(ssid: "", ssidHex: "FF00", join: .null) == JoinRequest(ssid: [0xFF, 0], by: .device))
    // What is no hex falls back to the text.
    #expect(JoinRequest(ssid: "a", ssidHex: "F", join: ["by": 7, "channel": "x"]).ssid == [0x61])
  }

  @Test func theConfigurationHoldsNothingOfADevice() {
    #expect(SupplicantConfig.country("de") == "DE")
    for text in ["", "D", "DEU", "D\n", "ÄÖ", "1A"] { #expect(SupplicantConfig.country(text) == nil, "\(text)") }
    #expect(
      SupplicantConfig(folder: "/run/x", country: "DE").text
        == "ctrl_interface=/run/x\nupdate_config=0\np2p_disabled=1\ncountry=DE\n")
  }

  @Test func lossesSayWhoseDoingTheyWere() {
    let bssid = "02:00:00:00:00:00"
    #expect(WiFiStation.loss(of: bssid, reason: 4, isLocal: true).contains("fell silent"))
    #expect(WiFiStation.loss(of: bssid, reason: 3, isLocal: true).contains("the station left"))
    #expect(WiFiStation.loss(of: bssid, reason: 2, isLocal: false).contains("threw the station out: reason 2"))
  }

  /// What the station could not try says nothing of the hotspot.
  @Test func failuresSayWhoseTheyAre() {
    let name = HotspotName(Array("CAM".utf8))
    for own: JoinFailure in [.blocked, .scanRefused(errno: 16), .supplicant("ended"), .subnetClash("two")] {
      #expect(own.fact(at: .zero).kind == .stationFailed, "\(own)")
    }
    for hotspots: JoinFailure in [
      .badKey, .wrongKey(name, bssid: ""), .noLease(name, "none"), .unfinished(name, after: .zero, reason: nil),
      .notFound(name, scans: 1, after: .zero, channel: nil, hasKey: true), .managed(name, "why"),
    ] { #expect(hotspots.fact(at: .zero).kind == .linkNotJoined, "\(hotspots)") }
  }

  @Test func theLinkRefusesWhatItHasNoHoldOn() {
    func refusal(_ verb: String, _ arguments: [String: FaultArgument] = [:]) -> String? {
      WiFiLink.refusal(of: FaultRequest(at: .connectHotspot, do: verb, arguments: arguments))
    }
    for verb in ["wrong-key", "no-lease", "subnet-clash", "drop-link"] { #expect(refusal(verb) == nil) }
    for verb in ["loss", "delay", "rate", "blackout"] { #expect(refusal(verb)?.contains("--link namespace") == true) }
    #expect(refusal("no-lease", ["manner": .text("refusing")]) != nil)
  }

  /// Two radios as the kernel splits them: name and bands in one message, commands in another.
  @Test func aRadioIsPutTogetherFromItsParts() {
    func part(_ body: (inout NetlinkRequest) -> Void) -> ArraySlice<UInt8> {
      var request = NetlinkRequest(0, flags: 0, sequence: 0)
      body(&request)
      return request.bytes[16...]
    }
    let parts = [
      part {
        $0.attribute(1, UInt32(0))
        $0.attribute(2, "phy0")
        $0.nested(22) { $0.nested(0) { _ in } }
      },
      part {
        $0.attribute(1, UInt32(0))
        $0.nested(22) { $0.nested(1) { _ in } }
      },
      part {
        $0.attribute(1, UInt32(0))
        $0.nested(50) {
          $0.attribute(1, UInt32(5))
          $0.attribute(2, UInt32(49))
        }
      },
      part {
        $0.attribute(1, UInt32(3))
        $0.attribute(2, "phy3")
        $0.nested(50) { $0.attribute(1, UInt32(5)) }
      },
      part { $0.attribute(2, "no index") }, [1, 2, 3][...],
    ]
    #expect(
      WirelessControl.wiphys(parts) == [
        .init(index: 0, name: "phy0", bands: [0, 1], mayChangeNamespace: true),
        .init(index: 3, name: "phy3", bands: [], mayChangeNamespace: false),
      ])
  }

  @Test func attributesEndWhereTheirLengthIsWrong() {
    #expect(Array(NetlinkAttributes([3, 0, 1, 0])).isEmpty)
    #expect(Array(NetlinkAttributes([200, 0, 1, 0, 1])).isEmpty)
    #expect(Array(NetlinkAttributes([5, 0, 1, 0, 9])).map(\.value) == [[9]])
  }
}
