import RigFlow
import Testing

@Suite struct AddressRuleTests {
  struct Good: Sendable, CustomStringConvertible {
    let url: String
    let host: String
    let port: UInt16
    init(_ url: String, _ host: String, _ port: UInt16) {
      self.url = url
      self.host = host
      self.port = port
    }
    var description: String { url }
  }

  @Test(arguments: [
    Good("rtsp://192.168.43.1:8554/live", "192.168.43.1", 8554),
    Good("rtsp://192.168.43.1/live", "192.168.43.1", 554),
    Good("RTSP://camera.local/", "camera.local", 554),
    Good("rTsP://camera", "camera", 554),
    Good("rtsp://camera?x=1", "camera", 554),
    Good("rtsp://camera#top", "camera", 554),
    Good("rtsp://camera:/live", "camera", 554),
    Good("rtsp://camera:1", "camera", 1),
    Good("rtsp://camera:65535/", "camera", 65535),
    Good("rtsp://camera:08554/", "camera", 8554),
    Good("rtsp://[fe80::1]:8554/live", "fe80::1", 8554),
    Good("rtsp://[2001:db8::7]", "2001:db8::7", 554),
    Good("rtsp://[fe80::1%25wlan0]/live", "fe80::1%25wlan0", 554),
    Good("rtsp://user@camera/live", "camera", 554),
    Good("rtsp://user:pass@camera:8554/live", "camera", 8554),
    Good("rtsp://us@er:pa:ss@[fe80::1]:8554/live", "fe80::1", 8554),
    Good("rtsp://camera/a@b:99999/[", "camera", 554),
    Good("rtsp://camera/http://other/", "camera", 554),
    Good("rtsp://223.255.255.255/", "223.255.255.255", 554),
    Good("rtsp://240.0.0.1/", "240.0.0.1", 554),
    Good("rtsp://224.example/", "224.example", 554),
    Good("rtsp://127.0.0.1:1/", "127.0.0.1", 1),
    Good("rtsp://kamera-küche/", "kamera-küche", 554),
  ])
  func accepted(good: Good) throws {
    let endpoint = try AddressRule.check(good.url).get()
    #expect(endpoint.host == good.host)
    #expect(endpoint.port == good.port)
  }

  struct Bad: Sendable, CustomStringConvertible {
    let url: String?
    let problem: AddressRule.Problem
    init(_ url: String?, _ problem: AddressRule.Problem) {
      self.url = url
      self.problem = problem
    }
    var description: String { url?.debugDescription ?? "nil" }
  }

  private func problem(_ url: String?) -> AddressRule.Problem? {
    if case .failure(let failure) = AddressRule.check(url) { failure.problem } else { nil }
  }

  @Test(arguments: [
    Bad(nil, .missing), Bad("", .missing),
    Bad("http://camera/live", .scheme("http")), Bad("rtsps://camera/live", .scheme("rtsps")),
    Bad("rtspu://camera/live", .scheme("rtspu")), Bad("rt\u{17F}p://camera/", .scheme("rt\u{17F}p")),
    Bad("://camera/live", .scheme("")), Bad("camera/live", .scheme("")), Bad("rtsp:/camera", .scheme("")),
    Bad("rtsp:camera", .scheme("")), Bad("//camera", .scheme("")), Bad("192.168.43.1:8554", .scheme("")),
    Bad("rtsp//camera://x", .scheme("rtsp//camera")),
    Bad("rtsp://", .noHost), Bad("rtsp:///live", .noHost), Bad("rtsp://:8554/live", .noHost),
    Bad("rtsp://user@/live", .noHost), Bad("rtsp://user:pass@:8554/", .noHost), Bad("rtsp://?x", .noHost),
    Bad("rtsp://[]/live", .noHost), Bad("rtsp://[fe80::1/live", .noHost), Bad("rtsp://[fe80::1]8554/", .noHost),
    Bad("rtsp://camera:0/", .badPort), Bad("rtsp://camera:65536/", .badPort), Bad("rtsp://camera:+80/", .badPort),
    Bad("rtsp://camera:-1/", .badPort), Bad("rtsp://camera:80x/", .badPort), Bad("rtsp://fe80::1/live", .badPort),
    Bad("rtsp://camera:１/", .badPort), Bad("rtsp://[fe80::1]:99999/", .badPort),
    Bad("rtsp://camera:99999999999999999999/", .badPort),
    Bad(" rtsp://camera/", .controlBytes), Bad("rtsp://camera/\r\nX: y", .controlBytes),
    Bad("rtsp://camera/a b", .controlBytes), Bad("rtsp://camera/\t", .controlBytes),
    Bad("rtsp://camera/\0", .controlBytes),
    Bad("rtsp://camera/\u{7F}", .controlBytes), Bad("rtsp://camera/\u{85}", .controlBytes),
    Bad("rtsp://camera\\@other/", .controlBytes), Bad("rtsp://camera/\u{2028}", .controlBytes),
    Bad("rtsp://camera/\n", .controlBytes), Bad("rtsp://cam\r\nera/", .controlBytes),
    Bad("rtsp://255.255.255.255:8554/", .notUnicast("255.255.255.255")), Bad("rtsp://0.0.0.0/", .notUnicast("0.0.0.0")),
    Bad("rtsp://224.0.0.1/", .notUnicast("224.0.0.1")), Bad("rtsp://239.255.1.1:554/", .notUnicast("239.255.1.1")),
    Bad("rtsp://[::]:8554/", .notUnicast("::")), Bad("rtsp://[FF02::1]/", .notUnicast("FF02::1")),
  ])
  func refused(bad: Bad) {
    #expect(problem(bad.url) == bad.problem)
    #expect(!bad.problem.description.isEmpty)
  }

  /// The length counts bytes, not characters, up to 1,024.
  @Test func length() {
    let base = "rtsp://camera/"
    let longest = base + String(repeating: "a", count: 1024 - base.utf8.count)
    #expect((try? AddressRule.check(longest).get()) != nil)
    #expect(problem(longest + "a") == .tooLong(1025))
    let wide = base + String(repeating: "é", count: 505)
    #expect(wide.utf8.count == 1024)
    #expect((try? AddressRule.check(wide).get()) != nil)
    #expect(problem(wide + "é") == .tooLong(1026))
    // Too long comes first: nothing of such an address is looked at.
    let huge = String(repeating: "\0", count: 1_000_000)
    #expect(problem(huge) == .tooLong(1_000_000))
  }

  /// A combining mark makes one character with the delimiter before it; a player that reads bytes still sees the
  /// delimiter.
  @Test func combiningMarksHideNoDelimiter() throws {
    #expect(try AddressRule.check("rtsp://good@\u{301}evil/").get().host == "\u{301}evil")
    #expect(try AddressRule.check("rtsp://good/\u{301}@evil/").get().host == "good")
    #expect(try AddressRule.check("rtsp://good:8554/\u{301}").get().port == 8554)
    #expect(try AddressRule.check("rtsp://good:8554?\u{301}").get().port == 8554)
  }
}
