import RigModel
import RigReport
import Testing

@Suite struct RedactorTests {
  private let redactor = Redactor(
    secrets: ["hunter22", "hunter2", "pä ss/1", "abc", "", "redacted"], hidesStreamKeys: true)

  @Test(arguments: [
    ("nothing here", "nothing here"), ("it is hunter22!", "it is [redacted]!"),
    ("hunter2hunter22", "[redacted][redacted]"),
    ("pä ss/1", "[redacted]"), ("p%C3%A4%20ss%2F1", "[redacted]"), ("abc abcd xabc", "[redacted] abcd xabc"),
    ("hun\u{1B}[31mter22", "[redacted]"), ("\u{1B}[31mred", "\u{1B}[31mred"),
    ("rtsp://user:pass@10.0.0.1:554/live", "rtsp://[redacted]@10.0.0.1:554/live"),
    ("open rtsp://u:p@ss@h/x, then", "open rtsp://[redacted]@h/x, then"),
    ("rtsp://u:pa/ss@h/x", "rtsp://[redacted]@h/x"), ("http://h:80/a@b", "http://h:80/a@b"),
    ("rtsp://h/x rtsp://u@h/y", "rtsp://h/x rtsp://[redacted]@h/y"),
    ("rtmp://live.example/app/k3y-123", "rtmp://live.example/app/[redacted]"),
    ("RTMPS://u:p@h/app/k?x=1 next", "RTMPS://[redacted]@h/app/[redacted] next"),
    ("rtmp://host", "rtmp://host"), ("passphrase=12345678", "passphrase=[redacted]"),
    ("wpa_passphrase = \"a b \\\" c\" x", "wpa_passphrase = \"[redacted]\" x"),
    (#"{"passphrase":"p q","n":1}"#, #"{"passphrase":"[redacted]","n":1}"#), ("?key=abc1&x=2", "?key=[redacted]&x=2"),
    ("key: frame", "key: frame"), ("keyframe=12", "keyframe=12"), ("Token: t0k,", "Token: [redacted],"),
    ("a\nAuthorization: Digest username=\"x\", response=\"y\"\r\nCSeq: 3", "a\nAuthorization: [redacted]\r\nCSeq: 3"),
    ("password=", "password="), ("[redacted]", "[redacted]"), ("passphrase=hunter22xyz)", "passphrase=[redacted])"),
  ])
  func redact(text: String, expected: String) {
    let once = redactor.redact(text)
    #expect(once == expected)
    #expect(redactor.redact(once) == once)
    #expect(Redactor().redact(once) == once)
  }

  @Test func streamKeysStayUnlessTold() {
    #expect(Redactor().redact("rtmp://h/app/name") == "rtmp://h/app/name")
  }

  /// Puts the secret in every text of every event and looks for it in every sink.
  @Test func noSinkLetsASecretThrough() {
    let secret = "s3cret-Pass"
    let redactor = Redactor(secrets: [secret])
    let text = "x \(secret) y"
    var record = Sample.record(text, device: text, .fail, reason: text, failing: "play")
    record.planned.title = text
    record.planned.file = text
    record.stages[0].reason = text
    record.faults = [FaultRecord(text: text, fired: false, proof: text)]
    let evidence = Evidence(file: text, excerpt: text)
    let finding = Finding(check: "a.b", severity: .error, message: text, first: evidence, last: evidence)
    record.checks = [CheckGroupRecord(group: "a", judged: [], skipped: text, inconclusive: text, findings: [finding])]
    record.properties = [RunRecord.Property(text, text)]
    record.artifacts = [Artifact(path: text, title: text)]
    let data: JSONValue = ["a": .string(text), "b": [.string(text)], "c": .object([.init(text, 1)])]
    let event = DeviceEvent(received: .zero, sequence: 1, boot: text, run: text, name: text, source: text, data: data)
    let whats: [TimelineEntry.What] = [
      .stageBegan(.play, deadline: nil), .event(event), .fact(Fact(.linkJoined, by: .link, at: .zero, detail: text)),
      .action(text), .faultArmed(text, id: text), .faultFired(text, proof: text), .finding(finding), .deviceLog(text),
      .note(text), .stageEnded(.play, .failed, reason: text),
    ]
    let events =
      [RunEvent.runStarted(Sample.header([record.planned])), .caseStarted(caseID: text, device: text, at: .zero)]
      + whats.map { .entry(caseID: text, TimelineEntry(.zero, $0)) }
      + [.caseEnded(record), .runEnded(at: .zero, interrupted: false)]
    var state = RunState(redactor: redactor)
    var json = JSONLinesReport(redactor: redactor)
    var console = ConsoleReport(
      options: .init(mode: .live, showsStages: true, showsDevice: true), redactor: redactor)
    var output = ""
    for event in events {
      state.apply(event)
      output += JournalLine.encode(event, redactor: redactor) + json.apply(event) + console.apply(event)
      output += JUnitReport.render(state, profile: .rich) + JUnitReport.render(state)
    }
    output += console.finish(reports: nil)
    let leak = output.contains(secret)
    #expect(!leak)
    #expect(output.contains(Redactor.marker))
  }
}
