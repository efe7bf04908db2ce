import RigFlow
import RigLoop
import RigModel
import RigPlan

/// The reviewed expectation of a sweep: which failure point each fault at each stage must be blamed on.
struct BlameTable {
  struct Row: Hashable {
    var stage: StageID
    var verb: String
    /// The arguments as they stand; `-`: none.
    var words: String
    var arguments: [String: FaultArgument] = [:]
    /// The plan's own, beside the fault's arguments.
    var playFor: Duration?
    var transport: MediaTransport?
    var bitRate: BitRate?
    /// `nil`: the flow must bear the fault.
    var blame: FailurePoint?
    var line: Int
  }

  let rows: [Row]

  /// Reads the table: stage, fault, arguments (`-` or `for=2s,…`), failure point or `success`; `#` begins a comment. A
  /// pair may stand there more than once, with other arguments.
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
      guard let fault = FaultCatalog.definition(words[1], at: stage, in: flow.id) else {
        throw problem("\(words[1]) is no fault at \(stage)")
      }
      let points = flow.stages.map(\.id.rawValue) + FailurePoint.beyondStages.map(\.name) + ["success"]
      guard points.contains(words[3]) else { throw problem("\(words[3]) is no failure point") }
      var row = Row(
        stage: stage, verb: words[1], words: words[2],
        blame: words[3] == "success" ? nil : FailurePoint(name: words[3]),
        line: index + 1)
      for part in words[2].split(separator: ",") where part != "-" {
        let pair = part.split(separator: "=").map(String.init)
        guard pair.count == 2, BlameTable.read(pair[0], pair[1], fault, into: &row) else {
          throw problem("\(part) is no argument of \(fault.id): they look like for=2s, code=404, to=100kbit/s")
        }
      }
      rows.append(row)
    }
    self.rows = rows
  }

  private static func read(
    _ name: String, _ text: String, _ fault: FaultDefinition, into row: inout Row
  ) -> Bool {
    switch name {
    case "play-for": row.playFor = duration(text)
    case "transport": row.transport = MediaTransport(rawValue: text)
    case "bitrate": row.bitRate = bitRate(text)
    default:
      guard let argument = fault.arguments.first(where: { $0.name == name }) else { return false }
      row.arguments[name] =
        switch argument.kind {
        case .duration: duration(text).map { .duration($0) }
        case .integer: Int64(text).map { .integer($0) }
        case .text: argument.choices.isEmpty || argument.choices.contains(text) ? .text(text) : nil
        case .bitRate: bitRate(text).map { .bitRate($0) }
        case .percent:
          text.hasSuffix("%") ? Double(text.dropLast()).map { .percent(Percent(fraction: $0 / 100)) } : nil
        case .flag: nil
        }
      return row.arguments[name] != nil
    }
    return row.playFor != nil || row.transport != nil || row.bitRate != nil
  }

  private static func duration(_ text: String) -> Duration? {
    if text.hasSuffix("ms") { return Int64(text.dropLast(2)).map { .milliseconds($0) } }
    if text.hasSuffix("s") { return Int64(text.dropLast()).map { .seconds($0) } }
    return nil
  }

  private static func bitRate(_ text: String) -> BitRate? {
    let units: [(String, Int64)] = [("kbit/s", 1_000), ("Mbit/s", 1_000_000)]
    for (unit, size) in units where text.hasSuffix(unit) {
      return Int64(text.dropLast(unit.count)).map { BitRate(bitsPerSecond: $0 * size) }
    }
    return nil
  }

  func rows(_ stage: StageID, _ verb: String) -> [Row] { rows.filter { $0.stage == stage && $0.verb == verb } }
}
