import RigModel
import RigReport

enum JournalTarget {
  /// A journal, whole or damaged, and every report that is made from it.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](input)
    let redactor = Redactor(hidesStreamKeys: true)
    var events: [RunEvent] = []
    var reader = JournalReader()
    func take(_ reading: JournalLine.Reading) { if case .event(let event) = reading { events.append(event) } }
    forEachPiece(of: bytes, size: 7) { reader.read($0, take) }
    reader.finish(take)
    var json = JSONLinesReport(redactor: redactor)
    var console = ConsoleReport(options: .init(mode: .live, width: 40, showsStages: true))
    for event in events {
      let line = JournalLine.encode(event, redactor: redactor)
      guard case .event(let again) = JournalLine.decode(line) else {
        throw FuzzViolation(description: "cannot be read again: \(line)")
      }
      let twice = JournalLine.encode(again, redactor: redactor)
      try require(twice == line, "\(line) became \(twice)")
      let report = json.apply(event)
      try require(report.utf8.last == 0x0A && report.utf8.count { $0 == 0x0A } == 1, "not one line: \(report)")
      _ = try JSONParser.parse(Array(report.utf8)[...], maximumDepth: 128)
      _ = console.apply(event)
    }
    var whole = 0
    var other = JournalReader()
    other.read(bytes[...]) { if case .event = $0 { whole += 1 } }
    other.finish { if case .event = $0 { whole += 1 } }
    try require(whole == events.count, "\(events.count) events in pieces, \(whole) in the whole")
    let state = RunState(journal: bytes, redactor: redactor)
    // Rendering costs most of the time: one profile each, and a merge with itself now and then.
    let runs = bytes.count % 4 == 0 ? [state, state] : [state]
    if let problem = WellFormedXML.problem(
      in: JUnitReport.render(runs, profile: bytes.count % 2 == 0 ? .rich : .strict))
    {
      throw FuzzViolation(description: problem)
    }
    let summary = ConsoleReport.summary([state], reports: "Reports")
    let hasControls = summary.unicodeScalars.contains {
      ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
    }
    try require(!hasControls, "control characters in \(summary.debugDescription)")
  }
}
