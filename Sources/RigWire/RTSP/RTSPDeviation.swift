/// Something that a message or a header does that its RFC does not allow and that the parser nevertheless understood.
public struct RTSPDeviation: Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, CaseIterable, Sendable {
    // The message (RFC 2326 4, 6, 7, 15.1)
    /// Lines end in LF without CR.
    case bareLF = "bare-lf"
    /// A CR that no LF follows.
    case bareCR = "bare-cr"
    /// A header value goes on in the next line; legal, and known to break parsers.
    case folded
    /// A continuation line that holds nothing but blanks.
    case blankContinuation = "blank-continuation"
    /// Blanks after the value, before the end of the line.
    case trailingBlank = "trailing-blank"
    /// Blanks between the name and its colon.
    case blankBeforeColon = "blank-before-colon"
    /// Empty lines before the start line.
    case blankLineBefore = "blank-line-before"
    /// A header line without a colon or with an empty name; it is left out.
    case badHeaderLine = "bad-header-line"
    /// Control characters in a line; they are kept as they are.
    case controlBytes = "control-bytes"
    /// A line that is not UTF-8; U+FFFD stands where bytes could not be read.
    case notUTF8 = "not-utf8"
    case missingCSeq = "missing-cseq"
    /// CSeq is there and is no decimal number.
    case badCSeq = "bad-cseq"
    /// Not a decimal number, or two that differ; taken as the first that reads, else 0.
    case badContentLength = "bad-content-length"
    /// The stream ended, or the next message began, before Content-Length bytes had come.
    case shortBody = "short-body"
    /// No empty line ends the headers: the stream ended or the next item began.
    case unterminatedHeaders = "unterminated-headers"
    /// The response stands inside the announced body of an interleaved frame (RFC 2326 10.12).
    case rtspInFrame = "rtsp-in-frame"
    /// More than one blank between the parts of the start line, or blanks inside the URL.
    case startLineBlanks = "start-line-blanks"
    /// A version other than 1.0, or not in upper case.
    case version

    // Single headers
    /// An element that does not parse; it is left out.
    case badElement = "bad-element"
    /// A comma where a semicolon belongs.
    case badSeparator = "bad-separator"
    /// A separator at the end with nothing after it.
    case trailingSeparator = "trailing-separator"
    /// A port or channel pair whose second number is not the first plus one.
    case badPair = "bad-pair"
    /// Neither `unicast` nor `multicast`: multicast is the RFC's default, and nearly nobody means it.
    case missingDelivery = "missing-delivery"
    /// A Content-Base or control URL that should be absolute and is not.
    case notAbsolute = "not-absolute"
    /// A Content-Base without the final slash that resolution needs.
    case noTrailingSlash = "no-trailing-slash"
  }

  public var kind: Kind
  /// Byte offset in the stream where it was seen; `nil` for the deviations of single headers.
  public var offset: Int64?
  /// The text in question, cut to 80 bytes.
  public var detail: String

  public init(_ kind: Kind, at offset: Int64? = nil, _ detail: String = "") {
    self.kind = kind
    self.offset = offset
    self.detail = detail.utf8.count <= 80 ? detail : String(decoding: detail.utf8.prefix(80), as: UTF8.self)
  }

  public var description: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue): \(detail)" }
}
