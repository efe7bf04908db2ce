import RigChecks
import RigModel
import RigPlan
import RigReport

/// The catalogue of checks for reading.
enum CheckPage {
  static func entry(_ check: CheckInfo) -> String {
    "\(check.id)  \(check.severity.rawValue)  \(check.reference)\n" + ColumnText.wrap(check.rule, indent: 4)
  }

  static func page(_ id: String) throws(UsageError) -> String {
    let all = CheckCatalog.infos + FlowCheckCatalog.infos
    guard let check = all.first(where: { $0.id == id }) else {
      let near = NearestName.suggestion(for: id, among: all.map(\.id)).map { ", did you mean \($0)?" } ?? ""
      throw UsageError(description: "no check is called \(PrintableText.quote(id))\(near)")
    }
    var lines = [check.id, "", ColumnText.wrap(check.rule, indent: 2), ""]
    lines.append("  reference  \(check.reference)")
    lines.append("  severity   \(check.severity.rawValue): \(meaning(check.severity))")
    if let guide = CheckGuide.page(id) {
      lines += ["", "What trips it", ColumnText.wrap(guide.trips, indent: 2)]
      if !guide.displayFilter.isEmpty {
        lines += ["", "In Wireshark, by this display filter", "  " + guide.displayFilter]
        lines += [
          ColumnText.wrap(
            "A finding names the frame: Go > Go to Packet. Where many packets share a frame, the offset counts in the TCP "
              + "stream: Follow > TCP Stream.", indent: 2)
        ]
      }
    } else {
      lines += ["", ColumnText.wrap("Judged over the events of a run, not over packets.", indent: 2)]
    }
    lines += ["", ColumnText.wrap("In a plan, `checks: {\(id): off}` or `policy` sets it aside.", indent: 2)]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func meaning(_ severity: Severity) -> String {
    switch severity {
    case .error: "breaks the rule; single findings may be milder"
    case .warning: "legal or harmless, and known to break players"
    case .policy: "tolerated, and named all the same"
    }
  }
}
