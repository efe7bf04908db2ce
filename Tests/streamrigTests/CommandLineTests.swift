import Foundation
import Testing

@Suite struct CommandLineTests {
  @Test func helpAndVersion() throws {
    let help = try Tool.run(["--help"])
    #expect(help.status == 0)
    for command in [
      "run", "validate", "list", "plan", "check", "emulate", "conform", "sweep", "report", "schema", "faults", "doctor",
      "devices", "lease",
    ] {
      #expect(help.out.contains("  \(command) "), "\(command) is not in --help")
      #expect(try Tool.run([command, "--help"]).status == 0)
    }
    #expect(try Tool.run(["--version"]).out.hasPrefix("streamrig "))
  }

  @Test(
    arguments: [
      ([], ""), (["runn"], "unknown command"), (["run", "--jobz", "2"], "did you mean --jobs?"),
      (["run", "--jobs", "0"], "from 1 to 64"), (["run", "--jobs"], "needs a value"),
      (["run", "/no/such"], "No such file"),
      (["run", "--seed", "x"], "whole number"), (["run", "--device", "camera:80"], "numeric address"),
      (["run", "--device", "serial:/dev/ttyACM0,fast"], "serial:/dev/ttyACM0,115200"),
      (["run", "--device", "serial:/dev/ttyACM0"], "--device-host"), (["conform"], "expected one TARGET"),
      (["conform", "camera"], "serial:PATH[,BAUD]"),
      (["emulate", "--model", "nope"], "emu-flagship"), (["check"], "expected a capture"),
      (["report", "merge"], "merge JOURNAL"), (["sweep", "--flow", "hls-room"], "cannot be driven yet"),
    ] as [([String], String)])
  func wrongUsageIsStatus2(_ arguments: [String], _ message: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 2)
    #expect(message.isEmpty || result.err.contains(message), "\(result.err)")
  }

  /// Each line stands on its own, and what is wrong comes with a fix.
  @Test func theDoctorNamesAFixForEachProblem() throws {
    let result = try Tool.run(["doctor", "--json"])
    let lines = result.out.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String]
    }
    #expect(lines.count == result.out.split(separator: "\n").count)
    let names = lines.compactMap { $0["name"] }
    for name in ["kernel", "capture", "media helper", "link loopback", "link namespace", "link wifi", "usb"] {
      #expect(names.contains(name), "no \(name)")
    }
    for line in lines { #expect((line["state"] == "ok") == (line["fix"] == nil), "\(line)") }
    #expect(result.status == (lines.contains { $0["state"] == "problem" } ? 3 : 0))
    let noHelper = try Tool.run(["doctor"], environment: ["STREAMRIG_MEDIA": "/no/such/helper"])
    #expect(noHelper.status == 3)
    #expect(noHelper.out.contains("PROBLEM  media helper: /no/such/helper is missing"))
  }

  @Test func conformIsStatus0OrStatus1() throws {
    let agent = Tool.program.deletingLastPathComponent().appending(path: "agent-demo").path
    let good = try Tool.run(["conform", "--no-sessions", "--no-reset", "stdio:\(agent)"])
    #expect(good.status == 0)
    #expect(good.out.contains("\nok 42 ping: counts microseconds\n"))
    #expect(good.out.contains(" start: accepted: sessions were not asked for"))
    let mute = try Tool.run(["conform", "stdio:true"])
    #expect(mute.status == 1)
    #expect(mute.out.contains("not ok 2 hello: answered, behind half a record that was left in the line: the channel"))
  }

  /// The device has no part in it.
  @Test(arguments: [
    "127.66.249.9:1", "usb:no-such-device", "serial:/dev/no-such-line", "serial:/dev/null", "forward:exit 1",
  ])
  func conformIsStatus3WhereTheDeviceIsNotReached(_ target: String) throws {
    let folder = try Folder()
    let result = try Tool.run(["conform", target], environment: ["STREAMRIG_LEASES": folder.url.path])
    #expect(result.status == 3, "\(result.out)\(result.err)")
    #expect(result.out.contains("not ok 1 hello: the channel opens: "), "\(result.out)")
    #expect(result.err.contains("the device was not reached"), "\(result.err)")
  }

  @Test func planErrorsSayWhereAllAtOnce() throws {
    let folder = try Folder()
    let plan = try folder.write(
      """
      version: 1
      plan: wrong
      title: x
      flow: rtsp-hotspot
      play-for: 5
      faults:
        - {at: enter-live-mode, do: hangg}
        - {at: running, do: refuse}
      """, "wrong.yaml")
    let result = try Tool.run(["validate", plan])
    #expect(result.status == 2)
    let lines = result.err.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.contains { $0.hasPrefix("\(plan):5:11: play-for: ") && $0.contains("such as 3 s") })
    #expect(lines.contains { $0.hasPrefix("\(plan):7:") && $0.contains("did you mean \"hang\"?") })
    #expect(lines.contains { $0.hasPrefix("\(plan):8:") && $0.contains("faults[1].at: \"refuse\" cannot act at") })
    #expect(try Tool.run(["run", "--simulate", plan]).status == 2)
  }

  @Test func theCommittedPlansAreValidAndListed() throws {
    #expect(try Tool.run(["validate"]).status == 0)
    let list = try Tool.run(["list", "--json"])
    let plans = try list.out.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    #expect(plans.count >= 20)
    let schema = try JSONSerialization.jsonObject(with: Data(try Tool.run(["schema"]).out.utf8)) as? [String: Any]
    #expect(schema?["$schema"] != nil)
    #expect(try Tool.run(["plan", "--tag", "smoke"]).out.contains("success[transport=tcp]"))
  }

  @Test func simulatedRunsPassAndAreTheSameByteForByte() throws {
    let (a, b) = (try Folder(), try Folder())
    for folder in [a, b] {
      let result = try Tool.run(["run", "--simulate", "--seed", "7", "--reports", folder.url.path])
      #expect(result.status == 0, "\(result.out)")
    }
    for name in ["journal.jsonl", "events.jsonl", "junit.xml"] { #expect(try a.read(name) == b.read(name)) }
    let merged = try Tool.run(["report", "merge", a.url.appending(path: "journal.jsonl").path])
    #expect(Data(merged.out.utf8) == (try a.read("junit.xml")))
  }

  @Test func aWrongExpectationFailsAndNothingSelectedIsStatus4() throws {
    let folder = try Folder()
    let plan = try folder.write(
      """
      version: 1
      plan: optimist
      title: x
      flow: rtsp-hotspot
      faults: [{at: enter-live-mode, do: refuse}]
      """, "p.yaml")
    let reports = folder.url.appending(path: "r").path
    let failed = try Tool.run(["run", "--simulate", "--reports", reports, plan])
    #expect(failed.status == 1)
    #expect(failed.out.contains("failed at enter-live-mode"))
    #expect(try Tool.run(["run", "--simulate", "--reports", reports, "--case", "nothing", plan]).status == 4)
  }

  @Test func aSweepRepeatsToTheByte() throws {
    let folder = try Folder()
    func sweep(_ name: String) throws -> (String, Data) {
      let reports = folder.url.appending(path: name).path
      let result = try Tool.run(["sweep", "--only-virtual", "--seed", "7", "--reports", reports])
      return (result.out.replacing(reports, with: "R"), try folder.read("\(name).json"))
    }
    let first = try sweep("a")
    let second = try sweep("b")
    #expect(first.0 == second.0)
    #expect(first.1 == second.1)
    #expect(!first.1.isEmpty)
  }

  @Test func aSweepOfAPartSaysWhatItLeftOut() throws {
    let folder = try Folder()
    let reports = folder.url.appending(path: "s").path
    let result = try Tool.run(["sweep", "--case", "enter-live-mode--flow.*", "--reports", reports])
    #expect(result.status == 0, "\(result.out)")
    #expect(result.out.contains("8 blamed right") || result.out.contains("9 blamed right"), "\(result.out)")
    #expect(try Tool.run(["sweep", "--case", "nothing"]).status == 2)
    #expect(try Tool.run(["sweep", "--only-wire", "--only-virtual"]).status == 2)
  }

  /// A table that expects otherwise must not be met.
  @Test func aSweepAgainstAWrongTableFails() throws {
    let folder = try Folder()
    let table = try folder.write(
      """
      enter-live-mode  refuse  -       wait-for-hotspot   # it is enter-live-mode
      enter-live-mode  delay   for=2s  success
      """, "wrong.table")
    let result = try Tool.run([
      "sweep", "--table", table, "--case", "enter-live-mode--flow.refuse", "--case", "enter-live-mode--flow.hang",
      "--case", "enter-live-mode--flow.delay*", "--reports", folder.url.appending(path: "s").path,
    ])
    #expect(result.status == 1)
    #expect(result.out.contains("1 blamed right, 1 blamed wrong, 0 missed, 1 without an expectation"), "\(result.out)")
  }

  @Test(arguments: [
    ("play  status  code=x,method=SETUP  play", "is no argument of rtsp.status"),
    ("play  status  method=FLY  play", "is no argument of rtsp.status"),
    ("play  hang  -  play", "hang is no fault at play"), ("play  status  -  there", "there is no failure point"),
    ("play  status  -", "expected stage, fault"), ("lunch  hang  -  play", "lunch is no stage"),
  ])
  func aBrokenTableIsRefusedWithItsLine(_ line: String, _ problem: String) throws {
    let folder = try Folder()
    let table = try folder.write("# a table\n\(line)\n", "broken.table")
    let result = try Tool.run(["sweep", "--table", table])
    #expect(result.status == 2)
    #expect(result.err.contains("broken.table:2: ") && result.err.contains(problem), "\(result.err)")
  }

  /// What the pages show is what `validate` takes.
  @Test func everyExampleOfAFaultValidates() throws {
    let folder = try Folder()
    let list = try Tool.run(["faults", "--json"])
    #expect(list.status == 0)
    var count = 0
    for line in list.out.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let example = try #require(object?["example"] as? String)
      _ = try folder.write(example, "\(count).yaml")
      count += 1
    }
    #expect(count > 75)
    let result = try Tool.run(["validate", folder.url.path])
    #expect(result.status == 0, "\(result.out)\(result.err)")
    #expect(result.out.contains("\(count) plans"))
  }

  @Test func aFaultIsExplainedByVerbAndById() throws {
    let both = try Tool.run(["faults", "--explain", "drop"])
    #expect(both.out.contains("flow.drop: ") && both.out.contains("rtp.drop: "))
    let one = try Tool.run(["faults", "--explain", "rtp.drop"])
    #expect(!one.out.contains("flow.drop") && one.out.contains("default 50"))
    #expect(try Tool.run(["faults", "--explain", "melt"]).status == 2)
    let json = try Tool.run(["faults", "--explain", "rtp.drop", "--json"])
    #expect(json.out.contains("\"id\":\"rtp.drop\""))
  }

  @Test func theSweepHasNoMissedAndNoWrongCell() throws {
    let folder = try Folder()
    let result = try Tool.run(["sweep", "--simulate", "--reports", folder.url.appending(path: "s").path])
    #expect(result.status == 0, "\(result.out)")
    #expect(result.out.contains(" 0 blamed wrong, 0 missed, 0 without an expectation"))
  }

  @Test func aRunWithoutItsHelperSaysHowToGetIt() throws {
    let folder = try Folder()
    let result = try Tool.run(
      ["run", "--no-capture", "--reports", folder.url.path], environment: ["STREAMRIG_MEDIA": "/no/such/helper"])
    #expect(result.status == 3)
    #expect(result.err.contains("swift build --product streamrig-media"))
  }

  @Test func reportsThatCannotBeWrittenEndTheRun() throws {
    let result = try Tool.run(["run", "--simulate", "--reports", "/proc/none"])
    #expect(result.status == 3)
    #expect(result.err.contains("/proc/none"))
  }

  /// Whoever reads the reports must not take those of the run before for this one's.
  @Test func aRunThatGetsNoRadioLeavesReportsThatSaySo() throws {
    let folder = try Folder()
    let reports = folder.url.appending(path: "R").path
    let plan = "Scenarios/rtsp-hotspot/success.yaml"
    #expect(try Tool.run(["run", "--simulate", "--reports", reports, plan]).status == 0)
    #expect(!String(decoding: try folder.read("R/junit.xml"), as: UTF8.self).contains("<error"))
    let result = try Tool.run([
      "run", "--no-capture", "--link", "wifi", "--radio", "none0", "--device", "127.0.0.1:9", "--reports", reports,
      plan,
    ])
    #expect(result.status == 3)
    #expect(result.err.contains("no case can be run"), "\(result.err)")
    let junit = String(decoding: try folder.read("R/junit.xml"), as: UTF8.self)
    #expect(junit.contains("<error") && junit.contains("precondition: "), "\(junit)")
    let journal = String(decoding: try folder.read("R/journal.jsonl"), as: UTF8.self)
    #expect(journal.contains(#""verdict":"error""#), "\(journal)")
  }

  // MARK: Repetition, quarantine, running again

  private static let head = "version: 1\nplan: known\ntitle: t\nflow: rtsp-hotspot\nplay-for: 1 s\n"
  private static let refusal = "faults: [{at: enter-live-mode, do: refuse}]\n"

  private func simulate(_ folder: Folder, _ options: [String], _ plan: String) throws -> Tool.Result {
    try Tool.run(["run", "--simulate", "--reports", folder.url.appending(path: "R").path] + options + [plan])
  }

  /// A device that fails every seventh start, 200 times, in virtual time.
  @Test func aRegularFailureIsFoundAndNeverGreen() throws {
    let folder = try Folder()
    let plan = try folder.write(Self.head + "device: {model: emu-seventh}\nrepeat: {times: 200}\n", "p.yaml")
    let result = try simulate(folder, [], plan)
    #expect(result.status == 1)
    #expect(
      result.out.contains(
        "FLAKY  known  172 of 200 attempts passed (86 %, 95 % interval 80.5 % to 90.1 %); every 7th attempt failed"),
      "\(result.out.suffix(600))")
    let journal = String(decoding: try folder.read("R/journal.jsonl"), as: UTF8.self)
    #expect(journal.split(separator: "\n").count { $0.contains("\"kind\":\"case-ended\"") } == 200)
  }

  @Test func aQuarantineHoldsToItsDay() throws {
    let folder = try Folder()
    let plan = try folder.write(
      Self.head + Self.refusal + "quarantine: {bug: FW-1, owner: fw, until: 2027-01-31}\n", "p.yaml")
    #expect(try simulate(folder, ["--date", "2027-01-31"], plan).status == 0)
    let late = try simulate(folder, ["--date", "2027-02-01"], plan)
    #expect(late.status == 3)
    #expect(late.out.contains("the quarantine FW-1 (fw, until 2027-01-31) has run out"))
    #expect(try simulate(folder, ["--date", "soon"], plan).status == 2)
  }

  @Test func whatFailedIsRunAgainAndStaysFlaky() throws {
    let folder = try Folder()
    let good = try folder.write(Self.head.replacingOccurrences(of: "known", with: "good"), "good.yaml")
    let plan = try folder.write(Self.head + Self.refusal, "known.yaml")
    let reports = folder.url.appending(path: "R").path
    #expect(try Tool.run(["run", "--simulate", "--reports", reports, good, plan]).status == 1)
    // The device is mended.
    _ = try folder.write(Self.head, "known.yaml")
    let again = try Tool.run(["run", "--simulate", "--reports", reports, "--rerun-failed"])
    #expect(again.status == 1)
    #expect(again.out.contains("PASS   known (attempt 2)"))
    #expect(!again.out.contains("PASS   good"))
    #expect(again.out.contains("2 cases: 1 passed, 1 flaky"))
    let merged = try Tool.run(["report", "merge", "\(reports)/journal.jsonl"])
    #expect(merged.out == String(decoding: try folder.read("R/junit.xml"), as: UTF8.self))
  }

  @Test func aRunThatWasKilledIsGoneOnFrom() throws {
    let folder = try Folder()
    let reports = folder.url.appending(path: "R").path
    let plan = try folder.write(Self.head, "known.yaml")
    #expect(try simulate(folder, [], plan).status == 0)
    let journal = try folder.read("R/journal.jsonl")
    for cut in [journal.count / 3, journal.count / 2, journal.count - 200] {
      try journal.prefix(cut).write(to: folder.url.appending(path: "R/journal.jsonl"))
      let again = try Tool.run(["run", "--simulate", "--reports", reports, "--rerun-failed"])
      #expect(again.status == 0, "\(again.out)\(again.err)")
      let merged = try Tool.run(["report", "merge", "\(reports)/journal.jsonl"])
      #expect(merged.status == 0)
      #expect(merged.out == String(decoding: try folder.read("R/junit.xml"), as: UTF8.self))
    }
    // All passed: nothing is left to run.
    let none = try Tool.run(["run", "--simulate", "--reports", reports, "--rerun-failed"])
    #expect(none.status == 0 && none.err.contains("nothing is to be run again"))
    #expect(try Tool.run(["run", "--reports", reports, "--rerun-failed"]).status == 2)
    #expect(try Tool.run(["run", "--reports", "/no/such", "--rerun-failed"]).status == 2)
  }
}
