/// Something in a session description that RFC 4566 does not allow and that the parser nevertheless understood.
public struct SDPDeviation: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, CaseIterable, Sendable {
    /// `v=`, `o=`, `s=` or `t=` is missing (section 5).
    case missingLine = "missing-line"
    /// A line type that may stand only once, twice.
    case repeatedLine = "repeated-line"
    /// A line that comes after one it must precede.
    case order
    /// A line that is not `letter=value`; it is left out.
    case badLine = "bad-line"
    /// `v=` with a value other than 0.
    case version
    /// `o=` without its six fields, or with ids that are no digits.
    case badOrigin = "bad-origin"
    /// The address does not fit its type: `IP4` with an IPv6 address, or the other way about.
    case addressType = "address-type"
    /// `c=` without its three fields.
    case badConnection = "bad-connection"
    /// `b=` without a number.
    case badBandwidth = "bad-bandwidth"
    case badTime = "bad-time"
    /// `m=` with missing fields, a bad media type, or a format that is no payload type.
    case badMedia = "bad-media"
    /// `m=` with a port that is no number up to 65,535.
    case badPort = "bad-port"
    case badRtpmap = "bad-rtpmap"
    case badFmtp = "bad-fmtp"
    /// `fmtp` or `rtpmap` names a payload type that its `m=` line does not list.
    case foreignPayloadType = "foreign-payload-type"
    /// Bytes that are not UTF-8; U+FFFD stands in their place.
    case notUTF8 = "not-utf8"
    /// Control characters in a line.
    case controlBytes = "control-bytes"
    /// Lines end in LF without CR; common and legal to accept (section 5).
    case bareLF = "bare-lf"
    /// No line end after the last line.
    case noFinalLineEnd = "no-final-line-end"
    /// An empty line in the middle.
    case emptyLine = "empty-line"
    /// More lines, media or bytes than the parser keeps; the rest is left out.
    case tooLarge = "too-large"
  }

  public var kind: Kind
  /// 1-based; 0 where no single line is meant.
  public var line: Int
  /// The text in question, cut to 80 bytes.
  public var detail: String

  public init(_ kind: Kind, line: Int, _ detail: String = "") {
    self.kind = kind
    self.line = line
    self.detail = detail.utf8.count <= 80 ? detail : String(decoding: detail.utf8.prefix(80), as: UTF8.self)
  }

  public var description: String {
    (line > 0 ? "line \(line): " : "") + kind.rawValue + (detail.isEmpty ? "" : ": \(detail)")
  }
}
