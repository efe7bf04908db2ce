/// What a received address must be before anything is opened: a URL with scheme `rtsp` in any case, a host, no control
/// bytes, at most 1,024 bytes. An address that breaks a rule is refused and reported, never repaired.
public enum AddressRule {
  public enum Problem: Hashable, Sendable, CustomStringConvertible {
    case missing
    case tooLong(Int)
    case controlBytes
    case scheme(String)
    case noHost
    case badPort

    public var description: String {
      switch self {
      case .missing: "the event carries no address"
      case .tooLong(let n): "\(n) bytes, at most \(AddressRule.longest) are allowed"
      case .controlBytes: "it holds control bytes, spaces or a backslash"
      case .scheme(let s): s.isEmpty ? "it has no scheme, expected rtsp" : "the scheme is \(s), expected rtsp"
      case .noHost: "it has no host"
      case .badPort: "its port is no number from 1 to 65535"
      }
    }
  }

  public static let longest = 1024

  /// The host and port that an address names.
  public struct Endpoint: Hashable, Sendable {
    public let host: String
    public let port: UInt16
  }

  public static func check(_ address: String?) -> Result<Endpoint, Failure> {
    guard let address, !address.isEmpty else { return .failure(Failure(problem: .missing)) }
    let bytes = Array(address.utf8)
    guard bytes.count <= longest else { return .failure(Failure(problem: .tooLong(bytes.count))) }
    let forbidden = address.unicodeScalars.contains {
      $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\\" || $0.value == 0x2028 || $0.value == 0x2029
    }
    guard !forbidden else { return .failure(Failure(problem: .controlBytes)) }
    guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else {
      return .failure(Failure(problem: .scheme("")))
    }
    let scheme = address[..<colon]
    guard scheme.lowercased() == "rtsp" else { return .failure(Failure(problem: .scheme(String(scheme)))) }
    let rest = address[address.index(colon, offsetBy: 3)...]
    var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    return endpoint(authority)
  }

  private static func endpoint(_ authority: Substring) -> Result<Endpoint, Failure> {
    var host = authority
    var port: Substring?
    if authority.first == "[" {
      guard let close = authority.firstIndex(of: "]") else { return .failure(Failure(problem: .noHost)) }
      host = authority[authority.index(after: authority.startIndex)..<close]
      let tail = authority[authority.index(after: close)...]
      if tail.first == ":" { port = tail.dropFirst() } else if !tail.isEmpty { return .failure(Failure(problem: .noHost)) }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    guard !host.isEmpty else { return .failure(Failure(problem: .noHost)) }
    guard let port, !port.isEmpty else { return .success(Endpoint(host: String(host), port: 554)) }
    guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return .failure(Failure(problem: .badPort))
    }
    return .success(Endpoint(host: String(host), port: number))
  }

  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let problem: Problem
    public var description: String { problem.description }
  }
}
