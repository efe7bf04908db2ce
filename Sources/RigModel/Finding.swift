public enum Severity: String, CaseIterable, Sendable, Comparable {
  /// A named tolerance: real players accept it, and the harness still says it.
  case policy
  case warning
  case error
  private var rank: Int { self == .policy ? 0 : self == .warning ? 1 : 2 }
  public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
}

/// What a check is, apart from what it found.
public struct CheckInfo: Hashable, Sendable {
  /// `rtp.seq`: the family before the first dot is the group in reports.
  public var id: String
  /// The rule in one sentence, as what must hold.
  public var rule: String
  /// `RFC 3550 A.1, A.3`, or the section of the flow.
  public var reference: String
  public var severity: Severity
  public init(id: String, rule: String, reference: String, severity: Severity) {
    self.id = id
    self.rule = rule
    self.reference = reference
    self.severity = severity
  }
  public var group: String { String(id.prefix { $0 != "." }) }
}

/// Where to look: enough to open the place in Wireshark or an editor.
public struct Evidence: Hashable, Sendable {
  /// The capture or log file, relative to the case's folder.
  public var file: String?
  /// 1-based packet number in that file, as Wireshark counts.
  public var frame: Int?
  /// Nanoseconds since 1970 as the capture stamps them, or host time where there is no capture.
  public var time: Int64?
  public var ssrc: UInt32?
  /// RTP sequence number, CSeq, or stage-link event number.
  public var sequence: Int64?
  /// Byte offset in the frame, the TCP stream or the file.
  public var offset: Int64?
  /// What was there, cleaned and cut by the reporter, not here.
  public var excerpt: String?

  public init(
    file: String? = nil, frame: Int? = nil, time: Int64? = nil, ssrc: UInt32? = nil, sequence: Int64? = nil,
    offset: Int64? = nil, excerpt: String? = nil
  ) {
    self.file = file
    self.frame = frame
    self.time = time
    self.ssrc = ssrc
    self.sequence = sequence
    self.offset = offset
    self.excerpt = excerpt
  }
}

/// One result of one check. Repeats are aggregated: `first`, `last` and `count`.
public struct Finding: Hashable, Sendable {
  public var check: String
  public var severity: Severity
  public var message: String
  public var first: Evidence
  public var last: Evidence?
  public var count: Int
  /// The stage that the finding speaks against; `nil`: no single stage.
  public var stage: StageID?

  public init(
    check: String, severity: Severity, message: String, first: Evidence = Evidence(), last: Evidence? = nil,
    count: Int = 1, stage: StageID? = nil
  ) {
    self.check = check
    self.severity = severity
    self.message = message
    self.first = first
    self.last = last
    self.count = count
    self.stage = stage
  }
}
