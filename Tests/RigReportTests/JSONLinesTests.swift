import RigModel
import RigReport
import Testing

@Suite struct JSONLinesTests {
  @Test func everyEventIsOneLineOfJSON() throws {
    var report = JSONLinesReport()
    for event in JournalTests.events {
      let line = report.apply(event)
      #expect(line.hasSuffix("\n") && line.utf8.count { $0 == 0x0A } == 1)
      let value = try JSONParser.parse(line)
      #expect(value["event"]?.string != nil)
      if value["event"]?.string != "run-started" { #expect(value["t"]?.double != nil && value["ns"] != nil) }
    }
  }

  @Test func aRunNamesItsRig() throws {
    var header = Sample.header([])
    header.rig = "bench"
    var report = JSONLinesReport()
    #expect(try JSONParser.parse(report.apply(.runStarted(header)))["rig"]?.string == "bench")
  }

  @Test func theShapeIsStable() throws {
    var report = JSONLinesReport()
    let record = Sample.record("a", .fail, reason: "late", failing: "preflight")
    let lines = Sample.events([record]).map { report.apply($0) }
    #expect(
      lines[1] == #"{"event":"case-started","t":0.0,"ns":0,"case":"a","device":"emu-1"}"# + "\n")
    #expect(
      lines[2] == #"{"event":"stage-began","t":0.0,"ns":0,"case":"a","stage":"preflight","limit":5.0}"# + "\n")
    #expect(
      lines[3]
        == #"{"event":"stage-ended","t":0.5,"ns":500000000,"case":"a","stage":"preflight","outcome":"failed","reason":"nothing came"}"#
        + "\n")
    #expect(
      lines.last == #"{"event":"run-ended","t":60.0,"ns":60000000000,"interrupted":false,"counts":{"fail":1},"exit":1}"#
        + "\n")
    let ended = try JSONParser.parse(lines[4])
    #expect(ended["seconds"]?.double == 6.25)
    #expect(ended["stages"]?.array?[0]["ended"]?.double == 0.5)
  }
}
