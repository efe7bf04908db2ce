import RigModel
import Testing

@testable import RigPlan

@Suite struct QuantityTests {
  private func duration(_ text: String) -> (FieldValue, String)? {
    (try? QuantityReader.duration(text, positive: false).get()).map { ($0.value, $0.text) }
  }

  @Test func durationsAreExact() throws {
    let expected: [(String, Duration, String)] = [
      ("3 s", .seconds(3), "3 s"), ("250ms", .milliseconds(250), "250 ms"), ("2 min", .seconds(120), "2 min"),
      ("0.000001 ms", .nanoseconds(1), "0.000001 ms"), ("1.50 s", .milliseconds(1500), "1.5 s"),
      ("007 s", .seconds(7), "7 s"), ("2.0s", .seconds(2), "2 s"), ("0.1 min", .seconds(6), "0.1 min"),
      ("1440 min", .seconds(86_400), "1440 min"), ("24 h", .seconds(86_400), "24 h"),
      ("1.5h", .seconds(5_400), "1.5 h"),
      ("0 s", .zero, "0 s"),
    ]
    for (text, value, spelling) in expected {
      let read = try #require(duration(text), "\(text)")
      #expect(read.0 == .duration(value))
      #expect(read.1 == spelling)
    }
  }

  @Test(arguments: [
    "3", "s", "", "-3 s", "+3 s", "3  s", " 3 s", "3 s ", "3,5 s", "3. s", ".5 s", "3 sec", "3 S", "1e3 s", "1 H",
    "9999999999 s", "999999999 min", "1440.1 min", "24.1 h", "999999999 h", "1.1234567 s", "٣ s", "3\u{A0}s",
  ])
  func otherDurationsAreRefused(_ text: String) { #expect(duration(text) == nil) }

  @Test func bitRatesAndPercentages() throws {
    let rates: [(String, Int64)] = [
      ("4 Mbit/s", 4_000_000), ("0.5 kbit/s", 500), ("64000 bit/s", 64_000), ("0", 0), ("0 Mbit/s", 0), ("0.0", 0),
    ]
    for (text, value) in rates {
      let read = try QuantityReader.bitRate(text, zeroIsDefault: true).get()
      #expect(read.value == .bitRate(BitRate(bitsPerSecond: value)))
    }
    for text in ["4", "4 Mbps", "1.5 bit/s", "0.0001 kbit/s", "999999999 Mbit/s", "4 mbit/s", "4Mb"] {
      #expect(throws: ScalarProblem.self) { try QuantityReader.bitRate(text, zeroIsDefault: true).get() }
    }
    #expect(throws: ScalarProblem.self) { try QuantityReader.bitRate("0", zeroIsDefault: false).get() }
    #expect(try QuantityReader.percent("2.5 %").get().value == .percent(Percent(fraction: 0.025)))
    #expect(try QuantityReader.percent("100%").get().text == "100 %")
    for text in ["5", "100.1 %", "-1 %", "5 percent"] {
      #expect(throws: ScalarProblem.self) { try QuantityReader.percent(text).get() }
    }
  }

  @Test func messagesSayWhatToWrite() {
    func message(_ outcome: QuantityReader.Outcome) -> String {
      if case .failure(let problem) = outcome { problem.message } else { "accepted" }
    }
    #expect(
      message(QuantityReader.duration("3", positive: true))
        == "\"3\" needs a unit, expected ms, s, min or h, such as 3 s")
    #expect(
      message(QuantityReader.duration("soon", positive: true))
        == "\"soon\" is not a duration, expected a number with a unit, ms, s, min or h, such as 3 s")
    #expect(
      message(QuantityReader.duration("3 mins", positive: true))
        == "unknown unit \"mins\", expected ms, s, min or h, such as 3 s; did you mean \"min\"?")
    #expect(
      message(QuantityReader.duration("0 ms", positive: true)) == "\"0 ms\" is no time at all, expected more than 0 s")
    #expect(
      message(QuantityReader.bitRate("4 Mbps", zeroIsDefault: true))
        == "unknown unit \"Mbps\", expected bit/s, kbit/s or Mbit/s, such as 4 Mbit/s")
  }
}

@Suite struct NameTests {
  @Test func suggestionsAreNearAndFirstOfEquals() {
    let words = ["transport", "title", "tags", "play-for", "plan"]
    #expect(NearestName.suggestion(for: "tilte", among: words) == "title")
    #expect(NearestName.suggestion(for: "Transport", among: words) == "transport")
    #expect(NearestName.suggestion(for: "play_for", among: words) == "play-for")
    #expect(NearestName.suggestion(for: "plam", among: words) == "plan")
    #expect(NearestName.suggestion(for: "quality", among: words) == nil)
    #expect(NearestName.suggestion(for: "", among: words) == nil)
    #expect(NearestName.suggestion(for: String(repeating: "plan", count: 100_000), among: words) == nil)
    #expect(NearestName.distance(Array("ab".utf8), Array("ba".utf8)) == 1)
    #expect(NearestName.distance(Array("kitten".utf8), Array("sitting".utf8)) == 3)
    #expect(NearestName.distance([], Array("abc".utf8)) == 3)
  }

  @Test func globs() {
    let cases: [(String, String, Bool)] = [
      ("*", "", true), ("*", "any", true), ("cam-*", "cam-1", true), ("cam-*", "box", false), ("c?m", "cam", true),
      ("c?m", "cm", false), ("*a*b*", "xxaxxbxx", true), ("a*b", "ab", true), ("a*bc", "abbc", true), ("", "", true),
      ("", "a", false), ("a", "ab", false), ("p[x=1]", "p[x=1]", true),
    ]
    for (pattern, name, matches) in cases { #expect(NameGlob(pattern).matches(name) == matches, "\(pattern) \(name)") }
    let stars = String(repeating: "*a", count: 100) + "b"
    #expect(!NameGlob(stars).matches(String(repeating: "a", count: 2_000)))
  }

  @Test func namePatternsAgreeWithTheirRegexes() throws {
    let texts = ["a", "a-b-9", "A", "a_b", "", " a", "a ", "a b", "cam-*", "é", "a\n", "a,b", "[x]", "?", "a=b", "!a"]
    for pattern in [NamePattern.identifier, .modelGlob] {
      let regex = try Regex(pattern.regex)
      for text in texts where !text.hasSuffix("\n") {
        #expect(pattern.matches(text) == (text.wholeMatch(of: regex) != nil), "\(pattern) \(text)")
      }
      #expect(!pattern.matches("a\n"))
      #expect(pattern.matches(String(repeating: "a", count: 64)))
      #expect(!pattern.matches(String(repeating: "a", count: 65)))
    }
  }

  @Test func printableTextHasNoControls() {
    #expect(PrintableText.quote("a\u{1B}[31m\u{202E}\n") == "\"a\\u{1B}[31m\\u{202E}\\u{A}\"")
    #expect(PrintableText.cut("abcdef", to: 3) == "abc…")
    #expect(PrintableText.cut("abc", to: 3) == "abc")
    let diagnostic = PlanDiagnostic(.init(file: "a\u{7}.yaml", line: 1, column: 2), keyPath: "\u{9B}", "x\u{0}")
    #expect(diagnostic.description == "a\\u{7}.yaml:1:2: \\u{9B}: x\\u{0}")
  }
}
