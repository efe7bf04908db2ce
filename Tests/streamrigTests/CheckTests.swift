import Foundation
import FoundationXML
import Testing

/// `streamrig check` as a user sees it.
@Suite struct CheckTests {
  private static let captures = Tool.root.appending(path: "Tests/RigChecksTests/Fixtures")
  private static func capture(_ name: String) -> String { captures.appending(path: "\(name).pcap").path }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  // MARK: catalogue

  @Test func everyListedCheckIsExplained() throws {
    let list = try Tool.run(["check", "--list"])
    #expect(list.status == 0)
    let entries = list.out.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    let ids = entries.map { String($0.prefix { $0 != " " }) }
    #expect(ids.count >= 60)
    #expect(Set(ids).count == ids.count)
    for line in entries {
      #expect(["error", "warning", "policy"].contains { line.contains("  \($0)  ") }, "\(line)")
    }
    #expect(list.out.split(separator: "\n").allSatisfy { $0.count <= 100 })

    let pages = try Tool.run(["check"] + ids.flatMap { ["--explain", $0] })
    #expect(pages.status == 0)
    for id in ids { #expect(pages.out.contains("\(id)\n\n")) }
    for part in ["  reference  ", "  severity   ", "What trips it\n", "checks: {"] {
      #expect(pages.out.components(separatedBy: part).count - 1 == ids.count, "\(part)")
    }
    let flow = try Tool.run(["check", "--explain", "flow.order"])
    #expect(flow.out.contains("Judged over the events of a run"))
    let unknown = try Tool.run(["check", "--explain", "rtp.sec"])
    #expect(unknown.status == 2)
    #expect(unknown.err.contains("did you mean rtp.seq?"))
  }

  // MARK: formats

  @Test func textHasTablesOfAtMost100Columns() throws {
    let result = try Tool.run(["check", Self.capture("gst_av_udp")])
    #expect(result.status == 0)
    let lines = result.out.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("ssrc") && $0.contains("lost") && $0.contains("longest") })
    #expect(lines.contains { $0.contains("jitter ms") && $0.contains("GOP") })
    #expect(lines.last?.hasPrefix("  pass: 0 errors") == true)
    for line in lines.dropFirst() { #expect(line.count <= 100) }
  }

  @Test func jsonHasAnObjectForEachThing() throws {
    let result = try Tool.run(["check", "--json", Self.capture("gst_av_udp"), Self.capture("gst_av_tcp")])
    #expect(result.status == 0)
    let all = try objects(result.out)
    let heads = all.filter { $0["kind"] as? String == "capture" }
    #expect(heads.map { $0["verdict"] as? String } == ["pass", "pass"])
    for head in heads {
      let own = all.filter { $0["file"] as? String == head["file"] as? String }
      let streams = own.filter { $0["kind"] as? String == "stream" }
      #expect(streams.map { $0["codec"] as? String } == ["H264", "MPEG4-GENERIC"])
      #expect(streams.reduce(0) { $0 + ($1["packets"] as? Int ?? 0) } == head["rtp-packets"] as? Int)
      #expect(own.count { $0["kind"] as? String == "offset" } == 1)
      #expect((head["judged"] as? [String])?.contains("rtp.seq") == true)
    }
  }

  @Test func junitHasASuiteForEachCaptureAndNoFlow() throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "r.xml").path
    let path = Self.capture("gst_h265_tcp")
    #expect(try Tool.run(["check", "--junit", file, path, path]).status == 0)
    let report = try Report(Data(contentsOf: URL(filePath: file)))
    #expect(report.all("testsuite").count == 2)
    #expect(Set(report.all("testsuite").map { $0["name"] }).count == 2)
    #expect(report.all("testsuites").first?["failures"] == "0")
    #expect(report.all("property").filter { $0["name"] == "flow" }.isEmpty)
    #expect(report.all("property").contains { $0["name"] == "measure.rtp.loss" && $0["value"] == "0 %" })
    for test in report.all("testcase") { #expect(test["classname"]?.hasPrefix("check.") == true) }
    let names = report.all("testcase").compactMap { $0["name"] }
    for name in ["verdict", "checks.rtp", "checks.h265", "measure.video.bitrate"] { #expect(names.contains(name)) }
  }

  @Test func theExitStatusIsOfTheWorstFile() throws {
    let folder = try Folder()
    let noise = try folder.write("no capture at all", "x.pcap")
    let empty = try folder.write("", "empty.pcap")
    let good = Self.capture("gst_av_tcp")
    #expect(try Tool.run(["check", noise]).status == 2)
    #expect(try Tool.run(["check", empty]).status != 0)
    #expect(try Tool.run(["check", good, noise]).status == 2)
    #expect(try Tool.run(["check", try TestCapture().write(to: folder, "syn.pcap")]).status == 3)
    let broken = try TestCapture.hostile().write(to: folder, "h.pcap")
    #expect(try Tool.run(["check", good, broken]).status == 1)
    #expect(try Tool.run(["check", "--junit", "/proc/none/r.xml", good]).status == 3)
  }

  // MARK: hostile captures

  /// Nothing that steers a terminal or misleads a reader of lines: C0 but for the line feed, DEL, C1, bidi overrides.
  private func isClean(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x0A: true
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF: false
      default: true
      }
    }
  }

  @Test func aHostileCaptureLeavesEveryOutputClean() throws {
    let folder = try Folder()
    let name = "h\u{1b}[2J<&\">.pcap"
    let path = try TestCapture.hostile().write(to: folder, name)
    let xml = folder.url.appending(path: "r.xml").path
    let text = try Tool.run(["check", "--junit", xml, path])
    #expect(text.status == 1)
    #expect(isClean(text.out))
    #expect(isClean(text.err))
    #expect(text.out.utf8.count < 64 << 10)
    #expect(!text.out.contains("secret"))

    let json = try Tool.run(["check", "--json", path])
    #expect(isClean(json.out))
    #expect(json.out.utf8.count < 256 << 10)
    let all = try objects(json.out)
    #expect(all.count { $0["kind"] as? String == "finding" } >= 5)
    for object in all {
      for case let value as String in object.values {
        #expect(isClean(value) && !value.contains("\n") && !value.contains("secret"), "\(object)")
      }
    }

    let data = try Data(contentsOf: URL(filePath: xml))
    let report = try Report(data)
    #expect(isClean(String(decoding: data, as: UTF8.self)))
    #expect(report.all("testsuite").count == 1)
    #expect(report.all("failure").count >= 1)
    #expect(report.isClean(isClean))
    #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
    #expect(data.count < 256 << 10)
  }
}

/// A report read back by an independent XML parser.
final class Report: NSObject, XMLParserDelegate {
  private var elements: [(name: String, attributes: [String: String])] = []
  private var text = ""

  init(_ data: Data) throws {
    super.init()
    let parser = XMLParser(data: data)
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append((name, attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func all(_ name: String) -> [[String: String]] { elements.filter { $0.name == name }.map(\.attributes) }

  func isClean(_ test: (String) -> Bool) -> Bool {
    test(text) && elements.allSatisfy { $0.attributes.values.allSatisfy(test) }
  }
}
