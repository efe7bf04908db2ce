import RigBytes

/// Why a text is no URL that RTSP can be spoken to.
public enum RTSPURLError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  /// More than 1,024 bytes.
  case tooLong(Int)
  /// A control character, a blank or DEL at that byte offset.
  case controlBytes(offset: Int)
  /// The scheme that stands there, or an empty text.
  case notRTSP(scheme: String)
  case noHost
  /// The host holds characters that no host name or address has.
  case badHost(String)
  case badPort(String)
  /// `?` or `#` before an `@`: credentials whose special characters are not percent-encoded.
  case ambiguousCredentials

  public var description: String {
    switch self {
    case .empty: "the URL is empty"
    case .tooLong(let count): "the URL has \(count) bytes; at most 1024 are allowed"
    case .controlBytes(let offset): "the URL has a control character or blank at byte \(offset)"
    case .notRTSP(let scheme): scheme.isEmpty ? "the URL has no scheme" : "the scheme is \(scheme), not rtsp"
    case .noHost: "the URL names no host"
    case .badHost(let host): "\(host) is no host name or address"
    case .badPort(let port): "\(port) is no port"
    case .ambiguousCredentials: "the credentials hold ? or # that must be percent-encoded"
    }
  }
}

/// An `rtsp://`, `rtsps://` or `rtspu://` URL (RFC 2326 3.2), parsed strictly, its path and query kept byte for byte.
public struct RTSPURL: Hashable, Sendable {
  /// Lower-cased: `rtsp`, `rtsps`, `rtspu`.
  public var scheme: String
  /// Percent-decoded; `nil` where the URL has no user info.
  public var user: String?
  /// Percent-decoded; `nil` where there is none.
  public var password: String?
  /// Without brackets and zone.
  public var host: String
  /// The zone of an IPv6 literal (`wlan0` of `[fe80::1%25wlan0]`).
  public var zone: String?
  /// The port that the URL states.
  public var explicitPort: UInt16?
  /// Everything after the authority, byte for byte: empty, or it begins with `/`, `?` or `#`.
  public var pathAndQuery: String

  /// The port to connect to: 554 by default, 322 for `rtsps`.
  public var port: UInt16 { explicitPort ?? (scheme == "rtsps" ? 322 : 554) }
  public var isIPv6: Bool { host.utf8.contains(0x3A) }

  /// `host:port` as it stands in a URL, with brackets where needed; the port only if stated.
  public var authority: String {
    var text = isIPv6 ? "[\(host)\(zone.map { "%25" + $0 } ?? "")]" : host
    if let explicitPort { text += ":\(explicitPort)" }
    return text
  }

  /// The URL without user info: what belongs in request lines, logs and reports.
  public var credentialsRemoved: String { "\(scheme)://\(authority)\(pathAndQuery)" }

  public init(
    scheme: String = "rtsp", user: String? = nil, password: String? = nil, host: String, zone: String? = nil,
    port: UInt16? = nil, pathAndQuery: String = "/"
  ) {
    self.scheme = scheme
    self.user = user
    self.password = password
    self.host = host
    self.zone = zone
    self.explicitPort = port
    self.pathAndQuery = pathAndQuery
  }

  public init(parsing text: String) throws(RTSPURLError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= 1024 else { throw .tooLong(bytes.count) }
    if let bad = bytes.firstIndex(where: { ASCII.isControl($0) || $0 == 0x20 }) { throw .controlBytes(offset: bad) }

    guard let colon = bytes.firstIndex(of: 0x3A), bytes[colon...].starts(with: [0x3A, 0x2F, 0x2F]) else {
      throw .notRTSP(scheme: "")
    }
    scheme = ASCII.lowercased(ASCII.text(bytes[..<colon]))
    guard ["rtsp", "rtsps", "rtspu"].contains(scheme) else { throw .notRTSP(scheme: scheme) }

    let rest = bytes[(colon + 3)...]
    let untilSlash = rest.prefix { $0 != 0x2F }
    let userInfoEnd = untilSlash.lastIndex(of: 0x40)
    if let userInfoEnd, untilSlash[..<userInfoEnd].contains(where: { $0 == 0x3F || $0 == 0x23 }) {
      throw .ambiguousCredentials
    }
    let hostStart = userInfoEnd.map { $0 + 1 } ?? rest.startIndex
    let hostPort = rest[hostStart...].prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    pathAndQuery = ASCII.text(bytes[hostPort.endIndex...])

    if let userInfoEnd {
      let userInfo = untilSlash[..<userInfoEnd]
      if let split = userInfo.firstIndex(of: 0x3A) {
        user = Self.percentDecoded(userInfo[..<split])
        password = Self.percentDecoded(userInfo[(split + 1)...])
      } else {
        user = Self.percentDecoded(userInfo)
        password = nil
      }
    } else {
      user = nil
      password = nil
    }
    let place = try Self.hostAndPort(hostPort)
    (host, zone, explicitPort) = (place.host, place.zone, place.port)
  }

  private static func hostAndPort(
    _ text: ArraySlice<UInt8>
  ) throws(RTSPURLError) -> (host: String, zone: String?, port: UInt16?) {
    var host: ArraySlice<UInt8>
    var zone: String?
    var portText: ArraySlice<UInt8>?
    if text.first == 0x5B {
      guard let close = text.firstIndex(of: 0x5D) else { throw .badHost(ASCII.text(text)) }
      host = text[(text.startIndex + 1)..<close]
      if let percent = host.firstIndex(of: 0x25) {
        var name = host[(percent + 1)...]
        if name.starts(with: [0x32, 0x35]), name.count > 2 { name = name.dropFirst(2) }
        guard !name.isEmpty, name.allSatisfy({ ASCII.isToken($0) && $0 != 0x25 }) else {
          throw .badHost(ASCII.text(text))
        }
        zone = ASCII.text(name)
        host = host[..<percent]
      }
      let after = text[(close + 1)...]
      guard after.isEmpty || after.first == 0x3A else { throw .badHost(ASCII.text(text)) }
      portText = after.isEmpty ? nil : after.dropFirst()
      let isAddress =
        host.filter { $0 == 0x3A }.count >= 2
        && host.allSatisfy { ASCII.hexValue($0) != nil || $0 == 0x3A || $0 == 0x2E }
      guard isAddress else { throw host.isEmpty ? .noHost : .badHost(ASCII.text(text)) }
    } else {
      let colon = text.firstIndex(of: 0x3A)
      host = text[..<(colon ?? text.endIndex)]
      portText = colon.map { text[($0 + 1)...] }
      guard !host.isEmpty else { throw .noHost }
      let isName = host.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F || $0 >= 0x80
      }
      guard isName else { throw .badHost(ASCII.text(host)) }
    }
    guard let portText, !portText.isEmpty else { return (ASCII.text(host), zone, nil) }
    guard let port = ASCII.decimal(portText, limit: 65535), port > 0 else { throw .badPort(ASCII.text(portText)) }
    return (ASCII.text(host), zone, UInt16(port))
  }

  static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> String {
    var out: [UInt8] = []
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if bytes[place] == 0x25, bytes.endIndex - place > 2, let high = ASCII.hexValue(bytes[place + 1]),
        let low = ASCII.hexValue(bytes[place + 2])
      {
        out.append(high << 4 | low)
        place += 3
      } else {
        out.append(bytes[place])
        place += 1
      }
    }
    return ASCII.text(out)
  }
}
