import RigBytes
@testable import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPDigestTests {
  /// RFC 1321 A.5
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func theDigestIsThatOfTheStandard(_ message: String, _ digest: String) {
    #expect(ASCII.hex(MD5.digest(Array(message.utf8))) == digest)
  }

  private static func authorization(
    _ challenge: String, _ method: String, _ url: String, _ credentials: (String, String)
  )
    -> String
  {
    let fields = AuthenticateHeader(parsing: challenge).challenges[0]
    let (realm, nonce) = (fields["realm"] ?? "", fields["nonce"] ?? "")
    func md5(_ text: String) -> String { ASCII.hex(MD5.digest(Array(text.utf8))) }
    let secret = md5("\(credentials.0):\(realm):\(credentials.1)")
    let response = md5("\(secret):\(nonce):\(md5("\(method):\(url)"))")
    return "Digest username=\"\(credentials.0)\", realm=\"\(realm)\", nonce=\"\(nonce)\", uri=\"\(url)\", "
      + "response=\"\(response)\""
  }

  private static func credentials(_ url: String?) -> (String, String) {
    let user = (url ?? "").dropFirst("rtsp://".count).prefix { $0 != "@" }.split(separator: ":")
    return user.count == 2 ? (String(user[0]), String(user[1])) : ("", "")
  }

  @Test func onlyWhoKnowsThePasswordPlays() throws {
    try ServerBench.run(faults: [.digestAuth]) { bench in
      let client = try await bench.client()
      #expect(try await client.send("OPTIONS", bench.url).status == 200)
      let first = try await client.send("DESCRIBE", bench.url)
      #expect(first.status == 401)
      let challenge = try #require(first.headers["WWW-Authenticate"])
      let right = Self.credentials(await bench.server.playURL)
      #expect(right.0 == "live" && right.1.count == 16)
      let wrong = Self.authorization(challenge, "DESCRIBE", bench.url, (right.0, "guess"))
      #expect(try await client.send("DESCRIBE", bench.url, ["Authorization": wrong]).status == 401)
      let good = Self.authorization(challenge, "DESCRIBE", bench.url, right)
      #expect(try await client.send("DESCRIBE", bench.url, ["Authorization": good]).status == 200)
      // The answer is bound to its method.
      #expect(try await client.send("SETUP", bench.track(0), ["Authorization": good]).status == 401)
    }
  }

  @Test func aNonceGrowsStaleOnce() throws {
    try ServerBench.run(faults: [.staleNonce]) { bench in
      let client = try await bench.client()
      let right = Self.credentials(await bench.server.playURL)
      let first = try #require(try await client.send("DESCRIBE", bench.url).headers["WWW-Authenticate"])
      #expect(!first.contains("stale"))
      let good = Self.authorization(first, "DESCRIBE", bench.url, right)
      #expect(try await client.send("DESCRIBE", bench.url, ["Authorization": good]).status == 200)
      let again = try await client.send("DESCRIBE", bench.url, ["Authorization": good])
      let second = try #require(again.headers["WWW-Authenticate"])
      #expect(again.status == 401 && second.contains("stale=true"))
      let renewed = Self.authorization(second, "DESCRIBE", bench.url, right)
      for _ in 0..<3 {
        #expect(try await client.send("DESCRIBE", bench.url, ["Authorization": renewed]).status == 200)
      }
    }
  }

  @Test func withoutTheFaultNobodyIsAsked() throws {
    try ServerBench.run { bench in
      #expect(await bench.server.playURL == bench.url)
      let client = try await bench.client()
      #expect(try await client.send("DESCRIBE", bench.url).status == 200)
    }
  }
}
