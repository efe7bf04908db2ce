import RigModel
import RigReport
import Testing

@Suite struct ConsoleReportTests {
  private func run(_ events: [RunEvent], _ options: ConsoleReport.Options) -> (String, ConsoleReport) {
    var report = ConsoleReport(options: options)
    let text = events.map { report.apply($0) }.joined()
    return (text, report)
  }

  @Test func plainLinesAndSummary() {
    var (text, report) = run(Sample.events(Sample.records), ConsoleReport.Options())
    text += report.finish(reports: "Reports/r1")
    #expect(
      text == """
        [1/7] PASS   success[transport=tcp]  6.3 s
        [2/7] PASS   mode-entry-timeout  6.3 s
        [3/7] FAIL   no-picture  6.3 s  failed at play: no key frame in 5 s
        [4/7] ERROR  loss  6.3 s  the fault did not fire: loss at play
        [5/7] INCONCLUSIVE  jitter  6.3 s  14 packets were lost in the capture
        [6/7] SKIP   room  6.3 s  the rig has no device with hls
        [7/7] FAIL   flaky  6.3 s  failed at running: the stream stalled
        [7/7] PASS   flaky (attempt 2)  6.3 s
        [7/7] FLAKY  flaky  1 of 2 attempts passed (50 %, 95 % interval 9.5 % to 90.5 %)
        7 cases: 2 passed, 1 failed, 1 flaky, 1 error, 1 inconclusive, 1 skipped in 60.0 s
          FAIL   no-picture  failed at play: no key frame in 5 s
          ERROR  loss  the fault did not fire: loss at play
          INCONCLUSIVE  jitter  14 packets were lost in the capture
          FLAKY  flaky  1 of 2 attempts passed (50 %, 95 % interval 9.5 % to 90.5 %); failed at running: the stream stalled
        skipped: 1  the rig has no device with hls
        reports: Reports/r1

        """)
  }

  /// An interrupt is told only where the reports hold what ran.
  @Test func reportsThatCouldNotBeWrittenAreNotSaidToBeComplete() {
    var (_, report) = run([.runStarted(Sample.header([])), .runEnded(at: .zero, interrupted: true)], .init())
    #expect(report.finish(reports: nil).contains("the reports are complete"))
    #expect(!report.finish(reports: nil, isWritten: false).contains("complete"))
  }

  @Test func stageLinesOnRequest() {
    let (text, _) = run(
      Sample.events([Sample.record("a", .fail, reason: "late", failing: "configure-stream")]),
      ConsoleReport.Options(showsStages: true, showsDevice: true))
    #expect(
      text == """
          a on emu-1: preflight passed  0.5 s
          a on emu-1: configure-stream failed  0.5 s  nothing came
        [1/1] FAIL   a on emu-1  6.3 s  failed at configure-stream: late

        """)
  }

  @Test func theLiveBlockIsRewrittenInPlace() {
    let events = Sample.events([Sample.record("a")])
    var report = ConsoleReport(options: .init(mode: .live, width: 40))
    #expect(report.apply(events[0]) == "")
    #expect(report.apply(events[1]) == "[1/1] a  0.0 s  \n")
    let up = "\u{1B}[1A\r\u{1B}[J"
    #expect(report.apply(events[2]) == up + "[1/1] a  0.0 s  preflight\n")
    #expect(report.tick(Sample.at(20)) == "")
    #expect(report.tick(Sample.at(450)) == up + "[1/1] a  0.5 s  preflight\n")
    #expect(report.apply(.caseEnded(Sample.record("a"))) == up + "[1/1] PASS   a  6.3 s\n")
    #expect(report.clear() == "")
  }

  @Test func liveLinesNeverWrapAndAreBounded() {
    for width in [1, 2, 20, 40] {
      var report = ConsoleReport(options: .init(mode: .live, width: width))
      _ = report.apply(.runStarted(Sample.header([])))
      for i in 0..<30 {
        _ = report.apply(.caseStarted(caseID: "case-with-a-long-name-\(i)", device: "d", at: .zero))
      }
      _ = report.clear()
      let lines = report.tick(.zero).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count == 9)
      #expect(lines.allSatisfy { TerminalText.columns(String($0)) < max(2, width) })
    }
  }

  @Test func deviceTextNeverReachesTheTerminalRaw() {
    let evil = "\u{1B}]0;owned\u{7}\u{1B}[2J\r\n\u{9B}31m\u{202E}x\u{8}"
    let record = Sample.record("a" + evil, device: "d" + evil, .fail, reason: evil, failing: "play")
    for mode in ConsoleReport.Mode.allCases {
      var (text, report) = run(
        Sample.events([record]), .init(mode: mode, width: 200, showsStages: true, showsDevice: true))
      text += report.finish(reports: evil)
      let own = text.replacingAll("\u{1B}[1A\r\u{1B}[J", with: "")
      #expect(!own.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
      #expect(!own.unicodeScalars.contains("\u{202E}"))
    }
  }

  @Test func colourIsAParameter() {
    #expect(ConsoleReport.usesColor(isTerminal: true, noColor: nil))
    #expect(ConsoleReport.usesColor(isTerminal: true, noColor: ""))
    #expect(!ConsoleReport.usesColor(isTerminal: true, noColor: "1"))
    #expect(!ConsoleReport.usesColor(isTerminal: false, noColor: nil))
    let (text, _) = run(Sample.events([Sample.record("a")]), .init(color: true))
    #expect(text == "[1/1] \u{1B}[32mPASS \u{1B}[0m  a  6.3 s\n")
  }

  @Test func exitStatus() {
    func status(_ verdicts: [Verdict]) -> Int32 {
      RunSummary(Sample.state(of: verdicts.enumerated().map { Sample.record("c-\($0.offset)", $0.element) })).exitStatus
    }
    #expect(status([.pass]) == 0)
    #expect(status([.pass, .skip]) == 0)
    #expect(status([.skip, .skip]) == 4)
    #expect(status([]) == 4)
    #expect(status([.pass, .error]) == 3)
    #expect(status([.pass, .inconclusive]) == 3)
    #expect(status([.error, .fail, .inconclusive]) == 1)
    #expect(RunSummary(Sample.state(of: Sample.records)).exitStatus == 1)
    #expect(
      RunSummary(Sample.state(of: [Sample.record("a", .fail), Sample.record("a", attempt: 2)])).exitStatus == 1)
  }
}

extension String {
  func replacingAll(_ text: String, with other: String) -> String {
    var out = self
    while true {
      let next = out.replacingFirst(text, with: other)
      if next.utf8.count == out.utf8.count { return next }
      out = next
    }
  }
}
