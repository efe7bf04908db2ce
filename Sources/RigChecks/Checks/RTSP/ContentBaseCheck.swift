public import RigModel
import RigWire

/// `rtsp.content-base.absolute`
public struct ContentBaseCheck: WireCheck {
  public static let info = CheckInfo(
    id: "rtsp.content-base.absolute",
    rule: "Content-Base is an absolute URL, and ends in a slash where control URLs are relative to it.",
    reference: "RFC 2326 12.11, C.1.1", severity: .error)
  public static let interest = WireInterest([.descriptions])

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .description(let description, let response) = event,
      let base = response.message.headers["Content-Base"]
    else { return }
    let place = response.place.evidence(excerpt: base)
    guard RTSPURL.isAbsolute(base) else {
      log.note(
        Self.info, "relative", subject: response.connection, at: place,
        message: "Content-Base is no absolute RTSP URL: \(base)")
      return
    }
    let isRelative = { (control: String?) in
      control.map { !$0.isEmpty && $0 != "*" && !RTSPURL.isAbsolute($0) } ?? false
    }
    guard !base.hasSuffix("/"), description.media.contains(where: { isRelative($0.control) }) else { return }
    log.note(
      Self.info, "slash", subject: response.connection, at: place, severity: .warning,
      message: "Content-Base does not end in a slash, so relative control URLs replace its last part: \(base)")
  }
}
