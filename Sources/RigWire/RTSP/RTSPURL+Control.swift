import RigBytes

extension RTSPURL {
  /// How a relative `a=control` is put on its base.
  public enum ControlResolution: Sendable {
    /// Appended after a slash: what devices expect whose Content-Base lacks the final slash.
    case append
    /// RFC 3986 5.2 as RFC 2326 C.1.1 has it: the last segment of the base goes.
    case strict
  }

  /// Whether `text` begins with `rtsp:`, `rtsps:` or `rtspu:`, in any case.
  public static func isAbsolute(_ text: String) -> Bool {
    ["rtsp:", "rtsps:", "rtspu:"].contains { ASCII.hasPrefix(text, $0) }
  }

  /// The base for `a=control` of a DESCRIBE response (RFC 2326 C.1.1): Content-Base, Content-Location, request URL.
  ///
  /// A base header that is no absolute RTSP URL is reported and passed over.
  public static func controlBase(
    response: RTSPHeaders, requestURL: String
  ) -> (base: String, deviations: [RTSPDeviation]) {
    var deviations: [RTSPDeviation] = []
    for name in ["Content-Base", "Content-Location"] {
      guard let value = response[name], !value.isEmpty else { continue }
      guard isAbsolute(value) else {
        deviations.append(RTSPDeviation(.notAbsolute, "\(name): \(value)"))
        continue
      }
      if name == "Content-Base", value.utf8.last != 0x2F {
        deviations.append(RTSPDeviation(.noTrailingSlash, value))
      }
      return (value, deviations)
    }
    return (requestURL, deviations)
  }

  /// The URL that an `a=control` value names on `base`: absolute values as they are, `*` and nothing mean the base.
  public static func resolve(
    control: String?, base: String, _ resolution: ControlResolution = .append
  ) -> String {
    guard let control, !control.isEmpty, control != "*" else { return base }
    if isAbsolute(control) { return control }
    let bytes = Array(base.utf8)
    let authorityStart = firstIndex(of: [0x3A, 0x2F, 0x2F], in: bytes).map { $0 + 3 } ?? 0
    let pathStart = bytes[authorityStart...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.count
    if control.utf8.first == 0x2F { return ASCII.text(bytes[..<pathStart]) + control }
    switch resolution {
    case .append:
      return bytes.last == 0x2F ? base + control : base + "/" + control
    case .strict:
      let pathEnd = bytes[pathStart...].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.count
      guard let slash = bytes[pathStart..<pathEnd].lastIndex(of: 0x2F) else {
        return ASCII.text(bytes[..<pathStart]) + "/" + control
      }
      return ASCII.text(bytes[...slash]) + control
    }
  }

  private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= pattern.count else { return nil }
    return (0...(bytes.count - pattern.count)).first { bytes[$0...].starts(with: pattern) }
  }
}
