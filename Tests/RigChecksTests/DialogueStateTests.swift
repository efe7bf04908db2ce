import RigChecks
import RigModel
import RigWire
import Testing

/// `rtsp.options.star`, `rtsp.status.state`, `rtsp.auth.stale`, `rtsp.redirect.sane` over several messages.
@Suite struct DialogueStateTests {
  private static let session = "Session: 4455\n"

  @Test(arguments: [("400 Bad Request", Severity.error), ("405 Method Not Allowed", .error), ("200 OK", .warning)])
  func optionsOfTheServer(_ status: String, _ severity: Severity) {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS", "*")
    camera.answer(status)
    #expect(camera.script.analyze().of(OptionsStarCheck.self).map(\.severity) == [severity])
  }

  @Test func optionsThatAreFair() {
    var camera = ScriptedCamera()
    camera.ask("OPTIONS", "*")
    camera.answer("200 OK", "Public: DESCRIBE\n")
    camera.ask("OPTIONS")
    camera.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"c\"\n")
    // As a keep-alive.
    camera.ask("OPTIONS", ScriptedCamera.url, Self.session)
    camera.answer()
    #expect(camera.script.analyze().of(OptionsStarCheck.self).isEmpty)
    // A URL that the server does not have is another matter than *.
    camera.ask("OPTIONS", ScriptedCamera.url + "/none")
    camera.answer("404 Not Found")
    #expect(camera.script.analyze().of(OptionsStarCheck.self).map(\.severity) == [.warning])
    camera.ask("OPTIONS", "*")
    camera.answer("404 Not Found")
    #expect(camera.script.analyze().of(OptionsStarCheck.self).map(\.severity) == [.warning, .error])
  }

  private func state(audio: Bool = false, _ edit: (inout ScriptedCamera) -> Void) -> [Severity] {
    var camera = ScriptedCamera(audio: audio)
    camera.options()
    camera.describe()
    camera.setup("video", first: 0)
    if audio { camera.setup("audio", first: 2) }
    edit(&camera)
    return camera.script.analyze().of(StatusStateCheck.self).map(\.severity)
  }

  @Test func playInAStateThatAllowsIt() {
    #expect(
      state {
        $0.ask("PLAY", ScriptedCamera.url + "/", Self.session)
        $0.answer("455 Method Not Valid in This State")
      } == [.error])
    // Twice: RFC 2326 10.5 queues the second.
    #expect(
      state {
        $0.play()
        $0.ask("PLAY", ScriptedCamera.url + "/", Self.session)
        $0.answer("455 Method Not Valid in This State")
      } == [.warning])
    #expect(
      state {
        $0.ask("PAUSE", ScriptedCamera.url + "/", Self.session)
        $0.answer("455 Method Not Valid in This State")
      } == [])
  }

  @Test func playAfterTeardown() {
    #expect(
      state {
        $0.play()
        $0.teardown()
        $0.play()
      } == [.error])
    #expect(
      state {
        $0.play()
        $0.teardown()
        $0.ask("PLAY", ScriptedCamera.url + "/", Self.session)
        $0.answer("454 Session Not Found")
      } == [])
  }

  @Test func playBeforeSetup() {
    var camera = ScriptedCamera()
    camera.options()
    camera.describe()
    camera.ask("PLAY", ScriptedCamera.url + "/")
    camera.answer()
    #expect(camera.script.analyze().of(StatusStateCheck.self).map(\.severity) == [.error])
  }

  @Test func aggregates() {
    for (status, url, expected) in [
      ("459 Aggregate Operation Not Allowed", "/video", [Severity.error]), ("459 x", "/", []),
      ("460 Only Aggregate Operation Allowed", "/", [.error]), ("460 x", "/video", []),
    ] {
      let found = state(audio: true) {
        $0.ask("PLAY", ScriptedCamera.url + url, Self.session)
        $0.answer(status)
      }
      #expect(found == expected, "\(status) \(url)")
    }
  }

  @Test func unsupportedTransport() {
    #expect(
      state {
        $0.ask("PLAY", ScriptedCamera.url + "/", Self.session)
        $0.answer("461 Unsupported Transport")
      } == [.error])
    #expect(
      state {
        $0.ask(
          "SETUP", ScriptedCamera.url + "/audio", "Transport: RTP/AVP/TCP;unicast;interleaved=2-3\n" + Self.session)
        $0.answer("461 Unsupported Transport")
      } == [.warning])
    #expect(
      state {
        $0.ask("SETUP", ScriptedCamera.url + "/audio", "Transport: RTP/AVP;unicast;client_port=2-3\n" + Self.session)
        $0.answer("461 Unsupported Transport")
      } == [])
  }

  @Test(arguments: [
    ("500 Internal Server Error", [Severity.error]), ("503 x", [.warning]), ("501 x", []), ("404 x", []),
  ])
  func serverErrors(_ status: String, _ expected: [Severity]) {
    #expect(
      state {
        $0.ask("PLAY", ScriptedCamera.url + "/", Self.session)
        $0.answer(status)
      } == expected)
  }

  // MARK: rtsp.auth.stale

  private struct Exchange {
    var nonce: String?
    var status = "200 OK"
    var challenge: String?
  }

  private func stale(_ exchanges: [Exchange]) -> [Severity] {
    var camera = ScriptedCamera()
    for exchange in exchanges {
      camera.ask(
        "GET_PARAMETER", ScriptedCamera.url,
        exchange.nonce.map { "Authorization: Digest username=\"u\", realm=\"c\", nonce=\"\($0)\", response=\"0\"\n" }
          ?? "")
      camera.answer(exchange.status, exchange.challenge.map { "WWW-Authenticate: Digest realm=\"c\", \($0)\n" } ?? "")
    }
    return camera.script.analyze().of(AuthStaleCheck.self).map(\.severity)
  }

  @Test func noncesThatAge() {
    let refused = "401 Unauthorized"
    let first = [Exchange(status: refused, challenge: "nonce=\"a\""), Exchange(nonce: "a")]
    // As it should be, twice.
    #expect(
      stale(
        first + [
          Exchange(nonce: "a", status: refused, challenge: "nonce=\"b\", stale=TRUE"), Exchange(nonce: "b"),
          Exchange(nonce: "b", status: refused, challenge: "nonce=\"c\",stale=\"true\""), Exchange(nonce: "c"),
        ]) == [])
    // Without saying so.
    #expect(stale(first + [Exchange(nonce: "a", status: refused, challenge: "nonce=\"b\"")]) == [.error])
    #expect(
      stale(first + [Exchange(nonce: "a", status: refused, challenge: "nonce=\"b\", stale=FALSE")]) == [.error])
    // Wrong credentials from the beginning.
    #expect(
      stale([
        Exchange(status: refused, challenge: "nonce=\"a\""),
        Exchange(nonce: "a", status: refused, challenge: "nonce=\"b\""),
      ]) == [])
    #expect(stale(first + [Exchange(nonce: "a", status: refused, challenge: "nonce=\"a\", stale=true")]) == [.error])
    #expect(
      stale(
        first + [
          Exchange(nonce: "a", status: refused, challenge: "nonce=\"b\", stale=true"),
          Exchange(nonce: "b", status: refused, challenge: "nonce=\"c\", stale=true"),
        ]) == [.error])
    #expect(stale([Exchange(status: refused, challenge: "nonce=\"a\", stale=true")]) == [.warning])
  }

  // MARK: rtsp.redirect.sane

  private func redirect(_ steps: [(String, String)]) -> [Severity] {
    var camera = ScriptedCamera()
    for (url, location) in steps {
      camera.ask("DESCRIBE", url)
      camera.answer("301 Moved Permanently", "Location: \(location)\n")
    }
    return camera.script.analyze().of(RedirectCheck.self).map(\.severity)
  }

  @Test func chainsOfRedirections() {
    let host = "rtsp://10.0.0.1/"
    #expect(redirect([(host + "a", host + "b"), (host + "b", host + "c")]) == [])
    // Two clients on the same way.
    #expect(redirect([(host + "a", host + "b"), (host + "a", host + "b")]) == [])
    #expect(redirect([(host + "a", host + "b"), (host + "b", host + "a")]) == [.error])
    #expect(redirect((0..<8).map { (host + "\($0)", host + "\($0 + 1)") }.reversed()) != [])
    #expect(redirect([("rtsps://10.0.0.1/a", host + "b")]) == [.error])
  }
}
