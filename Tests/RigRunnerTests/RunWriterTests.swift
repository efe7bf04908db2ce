import Glibc
import RigLoop
import RigModel
import RigReport
import RigRunner
import RigTestSupport
import Synchronization
import Testing

@Suite struct RunWriterTests {
  /// A run of four kinds of case, in virtual time.
  private static func events(_ count: Int = 4) throws -> [RunEvent] {
    let cases = [
      Cases.scheduled(Cases.plan("success")),
      Cases.scheduled(
        Cases.plan(
          "expected", faults: [FaultRequest(at: .enterLiveMode, do: "hang")], failed: FailurePoint(.enterLiveMode))),
      Cases.scheduled(Cases.plan("failing", faults: [FaultRequest(at: .startSession, do: "refuse")])),
      Cases.scheduled(Cases.plan("skipped"), skipped: "no \"wire\" <here>"),
    ].prefix(count)
    return try Cases.run(Array(cases)).log.events
  }

  private struct Outcome: Sendable {
    var state: RunState
    var failure: SystemError?
    var told: [SystemError]
  }

  private final class Errors: Sendable {
    let list = Mutex<[SystemError]>([])
  }

  /// Writes events from this thread, as a run does, and waits until all is on disk.
  private func write(_ events: [RunEvent], _ files: RunWriter.Files, syncsEachCase: Bool) throws -> Outcome {
    let thread = try LoopThread()
    defer { thread.stop() }
    let errors = Errors()
    let writer = try RunWriter(
      thread.loop, files: files, profile: .strict, redactor: Redactor(), syncsEachCase: syncsEachCase
    ) { error in errors.list.withLock { $0.append(error) } }
    for event in events { writer.take(event) }
    let (state, failure) = try EpollLoop().run { await writer.finish() }
    return Outcome(state: state, failure: failure, told: errors.list.withLock { $0 })
  }

  private func files(_ folder: ScratchFolder) -> RunWriter.Files {
    RunWriter.Files(
      journal: folder("journal.jsonl"), events: folder("events.jsonl"), junit: folder("junit.xml"))
  }

  @Test(arguments: [true, false]) func aRunLeavesItsFiles(_ syncsEachCase: Bool) throws {
    let folder = try ScratchFolder()
    let events = try Self.events()
    let outcome = try write(events, files(folder), syncsEachCase: syncsEachCase)
    #expect(outcome.failure == nil && outcome.told.isEmpty)
    #expect(folder.text("journal.jsonl") == events.map { JournalLine.encode($0) + "\n" }.joined())
    #expect(folder.text("junit.xml") == JUnitReport.render(outcome.state))
    #expect((folder.text("events.jsonl") ?? "").split(separator: "\n").count >= events.count)
    #expect(folder.names == ["events.jsonl", "journal.jsonl", "junit.xml"])
    // What `report merge` makes of the journal.
    let merged = RunState(journal: Array((folder.text("journal.jsonl") ?? "").utf8))
    #expect(JUnitReport.render(merged) == folder.text("junit.xml"))
  }

  /// A killed run: the report stands from the first event on, and never reads green.
  @Test func theReportStandsFromTheBeginning() throws {
    let folder = try ScratchFolder()
    let events = try Self.events(1)
    _ = try write(Array(events.prefix(1)), files(folder), syncsEachCase: true)
    let xml = folder.text("junit.xml") ?? ""
    try WellFormed.check(xml)
    #expect(xml.contains("<error"))
    // An entry is on disk before its case has ended.
    let second = try ScratchFolder()
    _ = try write(Array(events.prefix(4)), files(second), syncsEachCase: true)
    #expect((second.text("journal.jsonl") ?? "").split(separator: "\n").count == 4)
  }

  @Test(.enabled(if: ScratchFolder.hasFull), arguments: ["journal", "events"])
  func aFullDiskIsToldOnceAndTheRestIsWritten(_ which: String) throws {
    let folder = try ScratchFolder()
    var files = files(folder)
    if which == "journal" { files.journal = ScratchFolder.full } else { files.events = ScratchFolder.full }
    let events = try Self.events()
    let outcome = try write(events, files, syncsEachCase: true)
    #expect(outcome.failure?.code == ENOSPC)
    #expect(outcome.told == [outcome.failure].compactMap { $0 })
    #expect(outcome.state.finished.count == 4)
    #expect(folder.text("junit.xml") == JUnitReport.render(outcome.state))
    if which == "events" {
      #expect(folder.text("journal.jsonl") == events.map { JournalLine.encode($0) + "\n" }.joined())
    }
  }

  @Test func aReportThatCannotBeWrittenIsToldAndTheJournalIsWhole() throws {
    let folder = try ScratchFolder()
    var files = files(folder)
    files.junit = folder("missing/junit.xml")
    let events = try Self.events(2)
    let outcome = try write(events, files, syncsEachCase: true)
    #expect(outcome.failure?.code == ENOENT)
    #expect(outcome.told.count == 1)
    #expect(folder.text("journal.jsonl") == events.map { JournalLine.encode($0) + "\n" }.joined())
  }

  @Test func aFolderThatCannotBeUsedIsAnErrorAtOnce() throws {
    let folder = try ScratchFolder()
    var files = files(folder)
    files.journal = folder("missing/journal.jsonl")
    #expect(throws: SystemError.self) { try write([], files, syncsEachCase: true) }
    files = self.files(folder)
    files.events = folder("missing/events.jsonl")
    #expect(throws: SystemError.self) { try write([], files, syncsEachCase: true) }
  }

  // MARK: A journal that was cut

  /// Cut at each end and beginning of a line, and at many bytes between: the report is well-formed, equals the one of
  /// the events that are whole, and is never green.
  @Test func aCutJournalGivesTheReportOfWhatIsWhole() throws {
    let events = try Self.events(3)
    let lines: [[UInt8]] = events.map { Array(JournalLine.encode($0).utf8) }
    let journal: [UInt8] = Array(lines.joined(separator: [0x0A])) + [0x0A]
    var random = SplitMix64(seed: 5)
    var places: Set<Int> = []
    var at = 0
    for (n, line) in lines.enumerated() {
      // In each line another place, and its two ends.
      places.formUnion([at + line.count * (n % 7) / 7, at + line.count - n % 2])
      at += line.count + 1
    }
    for _ in 0..<30 { places.insert(Int.random(in: 0..<journal.count, using: &random)) }
    places.insert(journal.count)

    var live = RunState()
    var whole = 0
    var end = 0
    for cut in places.sorted() {
      // A last line without its line end counts if it is whole.
      while whole < lines.count, end + lines[whole].count <= cut {
        live.apply(events[whole])
        end += lines[whole].count + 1
        whole += 1
      }
      var expected = live
      if cut > end { expected.apply(.damaged("cut")) }
      let merged = RunState(journal: journal.prefix(cut))
      let xml = JUnitReport.render(merged)
      #expect(xml == JUnitReport.render(expected), "cut at \(cut) of \(journal.count)")
      try WellFormed.check(xml)
      if cut < journal.count - 1, whole > 0 { #expect(xml.contains("<error"), "cut at \(cut) reads green") }
    }
    #expect(whole == lines.count)
  }

  @Test func aDamagedJournalIsStillAReport() throws {
    let events = try Self.events(2)
    let journal: [UInt8] = Array(events.map { JournalLine.encode($0) + "\n" }.joined().utf8)
    var random = SplitMix64(seed: 6)
    for _ in 0..<60 {
      var bytes = journal
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...500, using: &random)))
        default: bytes.insert(contentsOf: [0x0A, 0x00, 0xFF, 0x22], at: place)
        }
      }
      try WellFormed.check(JUnitReport.render(RunState(journal: bytes)))
    }
  }
}
