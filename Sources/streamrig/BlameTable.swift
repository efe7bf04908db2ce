import RigFlow
import RigLoop
import RigModel
import RigPlan

/// The reviewed expectation of a sweep: which failure point each fault at each stage must be blamed on.
struct BlameTable {
  struct Row: Hashable {
    var stage: StageID
    var verb: String
    var arguments: [String: FaultArgument]
    var playFor: Duration?
    /// `nil`: the flow must bear the fault.
    var blame: FailurePoint?
    var line: Int
  }

  let rows: [Row]

  /// Reads the table: stage, fault, arguments (`-` or `for=2s,…`), failure point or `success`; `#` begins a comment.
  /// - Throws: `UsageError` with file and line.
  init(_ path: String, flow: Flow) throws(UsageError) {
    let bytes: [UInt8]
    switch PlanFiles.contents(path, limit: 1 << 20) {
    case .success(let read): bytes = read
    case .failure(let error): throw UsageError(description: "\(error)")
    }
    var rows: [Row] = []
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
      guard !words.isEmpty else { continue }
      func problem(_ text: String) -> UsageError { UsageError(description: "\(path):\(index + 1): \(text)") }
      guard words.count == 4 else { throw problem("expected stage, fault, arguments and failure point") }
      let stage = StageID(rawValue: words[0])
      guard flow.stage(stage) != nil else { throw problem("\(words[0]) is no stage of \(flow.id.rawValue)") }
      guard FaultCatalog.definition(words[1], at: stage, in: flow.id) != nil else {
        throw problem("\(words[1]) is no fault at \(stage)")
      }
      let points = flow.stages.map(\.id.rawValue) + FailurePoint.beyondStages.map(\.name) + ["success"]
      guard points.contains(words[3]) else { throw problem("\(words[3]) is no failure point") }
      var arguments: [String: FaultArgument] = [:]
      var playFor: Duration?
      for part in words[2].split(separator: ",") where part != "-" {
        let pair = part.split(separator: "=")
        guard pair.count == 2, let duration = BlameTable.duration(pair[1]) else {
          throw problem("arguments look like for=2s, not \(part)")
        }
        if pair[0] == "play-for" { playFor = duration } else { arguments[String(pair[0])] = .duration(duration) }
      }
      rows.append(
        Row(
          stage: stage, verb: words[1], arguments: arguments, playFor: playFor,
          blame: words[3] == "success" ? nil : FailurePoint(name: words[3]), line: index + 1))
    }
    self.rows = rows
  }

  private static func duration(_ text: Substring) -> Duration? {
    if text.hasSuffix("ms") { return Int64(text.dropLast(2)).map { .milliseconds($0) } }
    if text.hasSuffix("s") { return Int64(text.dropLast()).map { .seconds($0) } }
    return nil
  }

  func row(_ stage: StageID, _ verb: String) -> Row? { rows.first { $0.stage == stage && $0.verb == verb } }
}
