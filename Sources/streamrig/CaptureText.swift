import RigChecks
import RigModel
import RigReport
import RigWire

/// What `streamrig check` found in a capture, as text of at most 100 columns.
enum CaptureText {
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
  static func count(_ number: Int64, _ noun: String) -> String { count(Int(clamping: number), noun) }

  static func text(_ judged: JudgedFile) -> String {
    let name = TerminalText.line(JudgedFile.name(of: judged.path), columns: 300)
    guard let result = judged.result else { return "\(name): unreadable\n" }
    var out = ColumnText.wrap(
      "\(name): \(count(result.packets, "packet")), \(count(result.dialogues, "RTSP dialogue")), "
        + "\(count(result.sessions, "session")), \(count(result.mediaPackets, "RTP packet"))", indent: 2, first: "")
    out += "\n"
    if let live = judged.live { out += ColumnText.wrap(line(live), indent: 2) + "\n" }
    if !result.streams.isEmpty {
      out += "\n" + ColumnText.table(packets(result.streams), left: 3)
      out += "\n" + ColumnText.table(media(result.streams), left: 1)
    }
    for offset in result.offsets { out += "\n" + ColumnText.wrap(line(offset), indent: 2) + "\n" }
    let notes = self.notes(result)
    if !notes.isEmpty { out += "\n" + notes.map { ColumnText.wrap($0, indent: 4, first: "  ") + "\n" }.joined() }
    if !result.findings.isEmpty { out += "\n" }
    for finding in result.findings.sorted(by: { $0.severity > $1.severity }) {
      out += ColumnText.wrap(line(finding), indent: 10, first: "  " + pad(finding.severity.rawValue, 8)) + "\n"
    }
    let errors = result.findings.count { $0.severity == .error }
    let warnings = result.findings.count { $0.severity == .warning }
    let policies = result.findings.count - errors - warnings
    out += "\n  \(judged.verdict.rawValue): \(count(errors, "error")), \(count(warnings, "warning")), "
    out += "\(policies == 1 ? "1 policy" : "\(policies) policies")"
    out += judged.verdict == .inconclusive ? "; not enough for a verdict\n" : "\n"
    return out
  }

  private static func notes(_ result: AnalysisResult) -> [String] {
    var lines = result.unjudged.map {
      "\($0.kind.rawValue) is not judged: \($0.flow), from frame \($0.place.frame)"
    }
    if result.unjudgedCount > result.unjudged.count {
      lines.append("and \(result.unjudgedCount - result.unjudged.count) more connections that are not judged")
    }
    if result.streams.contains(where: { $0.codec == nil }) {
      lines.append("a stream without codec was told by its looks, no SETUP announces it; 90 kHz is assumed")
    }
    if result.incompleteDatagrams > 0 {
      lines.append("\(count(result.incompleteDatagrams, "datagram")) lacked an IP fragment")
    }
    if result.damagedPackets > 0 {
      lines.append(
        "\(count(result.damagedPackets, "packet")) had a wrong checksum: receivers drop them, and they count as lost")
    }
    if result.undeliveredTCPBytes > 0 {
      lines.append(
        "\(count(result.undeliveredTCPBytes, "byte")) of RTSP connections lay behind others that never came and were "
          + "never acknowledged: they were not delivered, and are not judged")
    }
    lines += result.inconclusive.sorted { $0.key < $1.key }.map { "inconclusive \($0.key): \($0.value)" }
    return lines
  }

  // MARK: tables

  static func hex(_ ssrc: UInt32) -> String {
    let digits = String(ssrc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// `MPEG4-GENERIC` names what most know as AAC; other names come from the wire.
  private static func codec(_ stream: StreamStatistics) -> String {
    guard let codec = stream.codec else { return "pt \(stream.payloadType)" }
    return codec == "MPEG4-GENERIC" ? "AAC" : TerminalText.line(codec, columns: 10)
  }

  private static func packets(_ streams: [StreamStatistics]) -> [[String]] {
    [["ssrc", "codec", "via", "packets", "expected", "lost", "%", "runs", "longest", "dup", "reord", "late"]]
      + streams.map { s in
        let share = s.expected > 0 ? Decimal3(100 * Double(s.lost) / Double(s.expected)).description : "0"
        return [
          hex(s.ssrc), codec(s), s.channel.map { "tcp \($0)" } ?? s.transport.rawValue, "\(s.packets)", "\(s.expected)",
          "\(s.lost)", share, "\(s.lossBursts)", "\(s.longestBurst)", "\(s.duplicates)", "\(s.reordered)", "\(s.late)",
        ]
      }
  }

  private static func media(_ streams: [StreamStatistics]) -> [[String]] {
    func one(_ value: Double?) -> String {
      guard let value, abs(value) < 1e12 else { return "-" }
      return Decimal3((value * 10).rounded() / 10).description
    }
    return [["ssrc", "jitter ms", "max", "kbit/s", "fps", "frames", "keys", "GOP", "key s", "drift ppm", "skew ppm"]]
      + streams.map { s in
        let gop = s.shortestGOP.map { low in s.longestGOP == low ? "\(low)" : "\(low)-\(s.longestGOP ?? low)" }
        return [
          hex(s.ssrc), Decimal3(s.jitter * 1000).description, Decimal3(s.maxJitter * 1000).description,
          one(s.bitRate.map { $0 / 1000 }), one(s.frameRate), "\(s.frames)", "\(s.keyFrames)", gop ?? "-",
          one(s.keyInterval), one(s.drift), one(s.skew),
        ]
      }
  }

  // MARK: lines

  static func line(_ live: JudgedFile.Live) -> String {
    "\(live.received) received, \(live.dropped) dropped by the kernel, \(live.judged) judged"
      + (live.written.map { "; written to \($0)" } ?? "")
  }

  static func line(_ offset: MediaOffset) -> String {
    var text = "\(hex(offset.other)) against video \(hex(offset.video)): "
    if let seconds = offset.offset {
      let size = Decimal3(abs(seconds) * 1000)
      text += seconds < 0 ? "\(size) ms ahead" : "\(size) ms behind"
      text += " by the sender reports"
    } else {
      text += "offset not measurable without sender reports of both"
    }
    let gap = Decimal3(abs(offset.startGap))
    return text + "; the video began \(gap) s \(offset.startGap < 0 ? "before" : "after") it"
  }

  static func line(_ finding: Finding) -> String {
    var text = "\(finding.check): \(message(of: finding))"
    if let frame = finding.first.frame {
      text += " [frame \(frame)" + (finding.count > 1 ? ", \(finding.count) times]" : "]")
    }
    return text
  }

  /// What came over the wire may hold a password, or a megabyte.
  static func message(of finding: Finding) -> String {
    TerminalText.line(Redactor().redact(finding.message), columns: 500)
  }

  static func excerpt(_ text: String) -> String { TerminalText.line(Redactor().redact(text), columns: 200) }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
