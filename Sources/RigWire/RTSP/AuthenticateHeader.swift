import RigBytes

/// The challenges of a `WWW-Authenticate` header (RFC 7235 2.1, 4.1): `Digest realm="cam", nonce="00ff"`.
///
/// Commas separate parameters and challenges alike, and may stand inside quotes.
public struct AuthenticateHeader: Hashable, Sendable {
  public struct Challenge: Hashable, Sendable {
    /// As it stands: `Digest`, `Basic`.
    public var scheme: String
    /// Names as they stand, values without quotes.
    public var parameters: [(name: String, value: String)]

    public init(scheme: String, parameters: [(name: String, value: String)] = []) {
      self.scheme = scheme
      self.parameters = parameters
    }

    /// The first parameter of that name, in any case.
    public subscript(name: String) -> String? { parameters.first { ASCII.equal($0.name, name) }?.value }
    public func isScheme(_ name: String) -> Bool { ASCII.equal(scheme, name) }
    public var isDigest: Bool { isScheme("Digest") }
    /// RFC 7616 3.3: the nonce was too old, and the credentials are not to blame.
    public var isStale: Bool { self["stale"].map { ASCII.equal($0, "true") } ?? false }

    public static func == (a: Challenge, b: Challenge) -> Bool {
      a.scheme == b.scheme && a.parameters.elementsEqual(b.parameters) { $0 == $1 }
    }
    public func hash(into hasher: inout Hasher) {
      hasher.combine(scheme)
      for parameter in parameters {
        hasher.combine(parameter.name)
        hasher.combine(parameter.value)
      }
    }
  }

  public var challenges: [Challenge]

  /// All instances of the header in a message, in order.
  public init(_ headers: RTSPHeaders) {
    challenges = headers.all("WWW-Authenticate").flatMap { AuthenticateHeader(parsing: $0).challenges }
  }

  /// Never fails: what is no challenge and no parameter is left out. `Authorization` reads the same way.
  public init(parsing value: String) {
    challenges = []
    let bytes = Array(value.utf8)
    var at = 0
    while at < bytes.count {
      guard ASCII.isToken(bytes[at]) else {
        at += 1
        continue
      }
      let start = at
      while at < bytes.count, ASCII.isToken(bytes[at]) { at += 1 }
      let word = ASCII.text(bytes[start..<at])
      var next = at
      while next < bytes.count, ASCII.isBlank(bytes[next]) { next += 1 }
      guard next < bytes.count, bytes[next] == 0x3D else {
        // At most so many challenges, whatever the header holds.
        if challenges.count < 16 { challenges.append(Challenge(scheme: word)) }
        continue
      }
      at = next + 1
      let text = Self.value(bytes, &at)
      guard !challenges.isEmpty, challenges[challenges.count - 1].parameters.count < 32 else { continue }
      challenges[challenges.count - 1].parameters.append((word, text))
    }
  }

  /// A token, or a quoted string with its backslashes taken away.
  private static func value(_ bytes: [UInt8], _ at: inout Int) -> String {
    while at < bytes.count, ASCII.isBlank(bytes[at]) { at += 1 }
    var out: [UInt8] = []
    guard at < bytes.count, bytes[at] == 0x22 else {
      while at < bytes.count, bytes[at] != 0x2C, !ASCII.isBlank(bytes[at]) {
        out.append(bytes[at])
        at += 1
      }
      return ASCII.text(out)
    }
    at += 1
    while at < bytes.count, bytes[at] != 0x22 {
      if bytes[at] == 0x5C, at + 1 < bytes.count { at += 1 }
      out.append(bytes[at])
      at += 1
    }
    at += 1
    return ASCII.text(out)
  }
}
