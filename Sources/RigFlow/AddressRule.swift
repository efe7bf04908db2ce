/// What a received address must be before anything is opened: a URL with scheme `rtsp` in any case, a host that can be
/// one device, no control bytes, at most 1,024 bytes. An address that breaks a rule is refused and reported, never
/// repaired.
public enum AddressRule {
  public enum Problem: Hashable, Sendable, CustomStringConvertible {
    case missing
    case tooLong(Int)
    case controlBytes
    case scheme(String)
    case noHost
    /// Broadcast, multicast or unspecified: nobody can be reached there.
    case notUnicast(String)
    case badPort

    public var description: String {
      switch self {
      case .missing: "the event carries no address"
      case .tooLong(let n): "\(n) bytes, at most \(AddressRule.longest) are allowed"
      case .controlBytes: "it holds control bytes, spaces or a backslash"
      case .scheme(let s): s.isEmpty ? "it has no scheme, expected rtsp" : "the scheme is \(s), expected rtsp"
      case .noHost: "it has no host"
      case .notUnicast(let host): "\(host) is the address of no single host"
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
    // Scalars, not characters: a combining mark after a delimiter must not hide it.
    let scalars = Array(address.unicodeScalars)
    let forbidden = scalars.contains {
      $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\\" || $0.value == 0x2028 || $0.value == 0x2029
    }
    guard !forbidden else { return .failure(Failure(problem: .controlBytes)) }
    guard let colon = scalars.firstIndex(of: ":"), scalars[colon...].starts(with: "://".unicodeScalars) else {
      return .failure(Failure(problem: .scheme("")))
    }
    let scheme = text(scalars[..<colon])
    guard scheme.lowercased() == "rtsp" else { return .failure(Failure(problem: .scheme(scheme))) }
    var authority = scalars[(colon + 3)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = authority.lastIndex(of: "@") { authority = authority[(at + 1)...] }
    return endpoint(authority)
  }

  private typealias Scalars = ArraySlice<Unicode.Scalar>

  private static func text(_ scalars: Scalars) -> String { String(String.UnicodeScalarView(scalars)) }

  private static func endpoint(_ authority: Scalars) -> Result<Endpoint, Failure> {
    var host = authority
    var port: Scalars = []
    if authority.first == "[" {
      guard let close = authority.firstIndex(of: "]") else { return .failure(Failure(problem: .noHost)) }
      host = authority[(authority.startIndex + 1)..<close]
      let tail = authority[(close + 1)...]
      guard tail.first ?? ":" == ":" else { return .failure(Failure(problem: .noHost)) }
      port = tail.dropFirst()
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[(colon + 1)...]
    }
    let name = text(host)
    guard !name.isEmpty else { return .failure(Failure(problem: .noHost)) }
    guard isUnicast(name, isIPv6: authority.first == "[") else { return .failure(Failure(problem: .notUnicast(name))) }
    guard !port.isEmpty else { return .success(Endpoint(host: name, port: 554)) }
    guard port.allSatisfy({ ("0"..."9").contains($0) }), let number = UInt16(text(port)), number > 0 else {
      return .failure(Failure(problem: .badPort))
    }
    return .success(Endpoint(host: name, port: number))
  }

  /// Names are taken as they are; only literal addresses show what they are.
  private static func isUnicast(_ host: String, isIPv6: Bool) -> Bool {
    if isIPv6 { return host != "::" && !host.lowercased().hasPrefix("ff") }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    guard parts.count == 4, bytes.count == 4 else { return true }
    return !(224..<240).contains(bytes[0]) && bytes != [0, 0, 0, 0] && bytes != [255, 255, 255, 255]
  }

  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let problem: Problem
    public var description: String { problem.description }
  }
}
