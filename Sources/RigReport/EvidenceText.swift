import RigModel

/// Evidence and findings as text that leads a person to the place.
enum EvidenceText {
  /// `capture.pcapng, frame 412, 2026-11-30T05:24:28.125000001Z, SSRC 0x1234ABCD, sequence 4711, offset 88: "excerpt"`
  static func line(_ evidence: Evidence) -> String {
    var parts: [String] = []
    if let file = evidence.file { parts.append(JUnitNames.oneLine(file)) }
    if let frame = evidence.frame { parts.append("frame \(frame)") }
    if let time = evidence.time { parts.append(moment(time)) }
    if let ssrc = evidence.ssrc { parts.append("SSRC " + hex(ssrc)) }
    if let sequence = evidence.sequence { parts.append("sequence \(sequence)") }
    if let offset = evidence.offset { parts.append("offset \(offset)") }
    let place = parts.joined(separator: ", ")
    guard let excerpt = evidence.excerpt, !excerpt.isEmpty else { return place }
    let quoted = "\"" + TerminalText.line(excerpt, columns: 200) + "\""
    return place.isEmpty ? quoted : place + ": " + quoted
  }

  /// Three lines at most: what is wrong, where first, where last.
  static func text(_ finding: Finding) -> String {
    let times = finding.count > 1 ? " (\(finding.count) times)" : ""
    let stage = finding.stage.map { " [\($0)]" } ?? ""
    var text = "\(finding.severity.rawValue) \(finding.check)\(stage): \(finding.message)\(times)"
    let first = line(finding.first)
    if !first.isEmpty { text += "\n  \(finding.last == nil ? "at" : "first"): \(first)" }
    if let last = finding.last.map(line), !last.isEmpty { text += "\n  last: \(last)" }
    return text
  }

  /// A capture's stamp counts from 1970, host time from the start of the machine: no machine runs for 15 years.
  private static func moment(_ nanoseconds: Int64) -> String {
    nanoseconds > 500_000_000_000_000_000
      ? WallTime.nanoseconds(nanoseconds) : "host time \(NumberText.plain(Double(nanoseconds) / 1e9)) s"
  }

  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
