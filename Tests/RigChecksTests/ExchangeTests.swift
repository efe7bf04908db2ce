import RigChecks
import RigModel
import RigWire
import Testing

/// What an analysis tells of requests and answers, and of streams, beside its findings.
@Suite struct ExchangeTests {
  @Test func requestsAndAnswersAreTold() {
    var camera = ScriptedCamera()
    camera.options()
    camera.describe()
    camera.ask("SETUP")
    camera.answer("401 Unauthorized", "WWW-Authenticate: Digest realm=\"c\", nonce=\"1\", stale=true\n")
    camera.ask("SETUP", ScriptedCamera.url, "Authorization: Digest username=\"u\", nonce=\"1\"\n")
    camera.answer("200 OK", "Session: 4455;timeout=7\n")
    camera.ask("PLAY")
    let exchanges = camera.script.analyze().exchanges
    #expect(exchanges.map(\.method) == ["OPTIONS", "DESCRIBE", "SETUP", "SETUP", "PLAY"])
    #expect(exchanges.map(\.status) == [200, 200, 401, 200, nil])
    #expect(exchanges.map(\.isDigest) == [false, false, true, false, false])
    #expect(exchanges.map(\.isStale) == [false, false, true, false, false])
    #expect(exchanges.map(\.isAuthorized) == [false, false, false, true, false])
    #expect(exchanges[1].body > 200)
    #expect(exchanges[3].timeout == 7)
    #expect(exchanges.allSatisfy { !$0.isCut && $0.closedBy == nil && $0.frame > 0 })
  }

  @Test func aHealthyStreamHasNoPadding() throws {
    var camera = ScriptedCamera()
    camera.options()
    camera.describe()
    camera.setup("video", first: 0)
    camera.play()
    #expect(camera.script.analyze().streams.allSatisfy { $0.padded == 0 })
  }
}
