import RigBytes
import RigModel
import RigWire

/// Asks for digest credentials (RFC 7616, with MD5, which every RTSP player knows).
struct DigestGate {
  let user = "live"
  let password: String
  private let realm = "emulated device"
  private var nonce: String
  /// The nonce is refused, once, at its second use.
  private var staleOnce: Bool
  private var uses = 0

  init(staleOnce: Bool, random: inout SplitMix64) {
    self.staleOnce = staleOnce
    password = DigestGate.word(&random)
    nonce = DigestGate.word(&random)
  }

  private static func word(_ random: inout SplitMix64) -> String {
    ASCII.hex((0..<8).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) })
  }

  /// The value of `WWW-Authenticate`; `nil`: the credentials are good.
  mutating func challenge(to request: RTSPMessage, _ method: String, random: inout SplitMix64) -> String? {
    guard isGood(request, method) else { return "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", algorithm=MD5" }
    uses += 1
    guard staleOnce, uses == 2 else { return nil }
    staleOnce = false
    nonce = DigestGate.word(&random)
    return "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", stale=true, algorithm=MD5"
  }

  private func isGood(_ request: RTSPMessage, _ method: String) -> Bool {
    guard let header = request.headers["Authorization"],
      let given = AuthenticateHeader(parsing: header).challenges.first(where: { $0.isDigest }),
      given["username"] == user, given["realm"] == realm, given["nonce"] == nonce, let uri = given["uri"],
      let response = given["response"]
    else { return false }
    func md5(_ text: String) -> String { ASCII.hex(MD5.digest(Array(text.utf8))) }
    // RFC 7616 3.4.1 without qop, as RFC 2069 has it.
    return ASCII.equal(response, md5("\(md5("\(user):\(realm):\(password)")):\(nonce):\(md5("\(method):\(uri)"))"))
  }
}
