import RigWire
import Testing

@Suite struct RTSPURLTests {
  @Test func parts() throws {
    let url = try RTSPURL(parsing: "RTSP://user:p%40ss%3F1@192.0.2.10/s1?a=%20&b#c")
    #expect(url.scheme == "rtsp")
    #expect(url.user == "user")
    #expect(url.password == "p@ss?1")
    #expect(url.host == "192.0.2.10")
    #expect(url.port == 554)
    #expect(url.pathAndQuery == "/s1?a=%20&b#c")
    #expect(url.credentialsRemoved == "rtsp://192.0.2.10/s1?a=%20&b#c")
  }

  @Test func passwordWithRawAt() throws {
    let url = try RTSPURL(parsing: "rtsp://user:p@ss@192.0.2.10:8554/s1")
    #expect(url.password == "p@ss")
    #expect(url.host == "192.0.2.10")
    #expect(url.port == 8554)
    #expect(url.credentialsRemoved == "rtsp://192.0.2.10:8554/s1")
  }

  @Test func ipv6WithZone() throws {
    let url = try RTSPURL(parsing: "rtsp://[fe80::1%25wlan0]:8554/live")
    #expect(url.host == "fe80::1")
    #expect(url.zone == "wlan0")
    #expect(url.port == 8554)
    #expect(url.credentialsRemoved == "rtsp://[fe80::1%25wlan0]:8554/live")
    #expect(try RTSPURL(parsing: "rtsps://[2001:db8::1]").port == 322)
  }

  @Test(arguments: [
    ("", RTSPURLError.empty), ("http://h/", .notRTSP(scheme: "http")), ("192.0.2.10:554/live", .notRTSP(scheme: "")),
    ("rtsp:///x", .noHost), ("rtsp://:554/", .noHost), ("rtsp://[]/", .noHost), ("rtsp://u@/x", .noHost),
    ("rtsp://h/a\r\nX: y", .controlBytes(offset: 10)), ("rtsp://h/a b", .controlBytes(offset: 10)),
    ("rtsp://h:0/", .badPort("0")), ("rtsp://h:65536/", .badPort("65536")), ("rtsp://h:5a/", .badPort("5a")),
    ("rtsp://[::1/", .badHost("[::1")), ("rtsp://[::1]x/", .badHost("[::1]x")), ("rtsp://a<b/", .badHost("a<b")),
    ("rtsp://user:p@ss?1@192.0.2.10/s1", .ambiguousCredentials),
    ("rtsp://h/" + String(repeating: "a", count: 1100), .tooLong(1109)),
  ])
  func refuses(text: String, error: RTSPURLError) {
    #expect(throws: error) { try RTSPURL(parsing: text) }
  }

  @Test(arguments: [
    ("trackID=1", "rtsp://192.0.2.10/cam0_1", "rtsp://192.0.2.10/cam0_1/trackID=1", "rtsp://192.0.2.10/trackID=1"),
    ("t1", "rtsp://h/a/", "rtsp://h/a/t1", "rtsp://h/a/t1"), ("t1", "rtsp://h", "rtsp://h/t1", "rtsp://h/t1"),
    ("*", "rtsp://h/a", "rtsp://h/a", "rtsp://h/a"), ("/b", "rtsp://h:1/a?x", "rtsp://h:1/b", "rtsp://h:1/b"),
    ("t1", "rtsp://h/a?x=/y", "rtsp://h/a?x=/y/t1", "rtsp://h/t1"),
    (
      "RTSP://192.0.2.10/?tunnel&stream=video", "rtsp://h/", "RTSP://192.0.2.10/?tunnel&stream=video",
      "RTSP://192.0.2.10/?tunnel&stream=video"
    ),
  ])
  func control(control: String, base: String, appended: String, strict: String) {
    #expect(RTSPURL.resolve(control: control, base: base) == appended)
    #expect(RTSPURL.resolve(control: control, base: base, .strict) == strict)
  }

  @Test func baseFallsBack() {
    let request = "rtsp://192.0.2.10:554/live0"
    let relative = RTSPURL.controlBase(response: ["Content-Base": "192.0.2.10:554/live0/"], requestURL: request)
    #expect(relative.base == request)
    #expect(relative.deviations.map(\.kind) == [.notAbsolute])
    let slashless = RTSPURL.controlBase(response: ["content-base": "rtsp://192.0.2.10/c"], requestURL: request)
    #expect(slashless.base == "rtsp://192.0.2.10/c")
    #expect(slashless.deviations.map(\.kind) == [.noTrailingSlash])
  }
}

@Suite struct TransportHeaderTests {
  @Test func commaForSemicolon() {
    let all = TransportHeader.parse(
      "RTP/AVP;unicast;client_port=5000-5001;server_port=40000-40001,ssrc=FFFFCCCC")
    #expect(all.count == 1)
    #expect(all[0].serverPorts == .init(40000, 40001))
    #expect(all[0].ssrc == 0xFFFF_CCCC)
    #expect(all[0].deviations.map(\.kind) == [.badSeparator])
  }

  @Test func severalTransports() {
    let all = TransportHeader.parse("RTP/AVP/TCP;unicast;interleaved=4-5,RTP/AVP;multicast;mode=\"PLAY\"")
    #expect(all.map(\.lower) == [.tcp, .udp])
    #expect(all[0].interleaved == .init(4, 5))
    #expect(all[1].mode == "PLAY")
    #expect(all.allSatisfy { $0.deviations.isEmpty })
  }

  @Test func multicastByDefault() {
    let transport = TransportHeader.parse("RTP/AVP/UDP;destination=239.1.1.1;port=1234-1235;ttl=1;mode=play")[0]
    #expect(transport.delivery == nil)
    #expect(transport.destination == "239.1.1.1")
    #expect(transport.ports == .init(1234, 1235))
    #expect(transport.ttl == 1)
    #expect(transport.deviations.map(\.kind) == [.missingDelivery])
  }

  @Test func reversedPorts() {
    let transport = TransportHeader.parse("RTP/AVP;unicast;client_port=8000-8001;server_port=39000-35968;")[0]
    #expect(transport.deviations.map(\.kind) == [.badPair, .trailingSeparator])
  }

  @Test func badValues() {
    let transport = TransportHeader.parse("RTP/AVP;unicast;client_port=70000;ssrc=xyz;ttl=300")[0]
    #expect(transport.clientPorts == nil)
    #expect(transport.deviations.map(\.kind) == [.badElement, .badElement, .badElement])
  }

  @Test func writes() {
    let transport = TransportHeader(lower: .tcp, interleaved: .init(0, 1), ssrc: 0xA0C6, mode: "PLAY")
    #expect(transport.text == "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=0000A0C6;mode=\"PLAY\"")
    #expect(TransportHeader.parse(transport.text) == [transport])
  }
}

@Suite struct SmallHeaderTests {
  @Test func session() {
    #expect(SessionHeader(parsing: "4455 ; timeout=10").timeout == 10)
    #expect(SessionHeader(parsing: "4455;Timeout=x").deviations.map(\.kind) == [.badElement])
    #expect(SessionHeader(parsing: "ab").effectiveTimeout == 60)
    #expect(SessionHeader(id: "ab", timeout: 5).text == "ab;timeout=5")
  }

  @Test func rtpInfo() {
    let info = RTPInfoHeader(parsing: "url=rtsp://192.0.2.10/0/trackID=0;seq=0;rtptime=0;")
    #expect(info.streams == [.init(url: "rtsp://192.0.2.10/0/trackID=0", sequence: 0, rtpTime: 0)])
    #expect(info.deviations.map(\.kind) == [.trailingSeparator])
    let two = RTPInfoHeader(parsing: "url=rtsp://h/a,b;seq=5, url=rtsp://h/c;seq=70000;rtptime=4294967295")
    #expect(two.streams.map(\.url) == ["rtsp://h/a,b", "rtsp://h/c"])
    #expect(two.streams.map(\.sequence) == [5, nil])
    #expect(two.streams[1].rtpTime == .max)
    #expect(RTPInfoHeader(parsing: two.text).streams == two.streams)
  }

  @Test func publicMethods() {
    let message = RTSPMessage.response(200, headers: ["Public": "OPTIONS, describe ,SETUP"])
    #expect(message.publicMethods == ["OPTIONS", "DESCRIBE", "SETUP"])
    #expect(RTSPMessage.response(200).publicMethods == nil)
  }
}
