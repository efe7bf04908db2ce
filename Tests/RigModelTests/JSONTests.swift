import RigModel
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    #"{"a":[1,-2,3.5,true,null],"b":{"c":"é\n"}}"#, "[]", "{}", #""x""#, "0", "-0.5", #"["\u001b"]"#,
  ])
  func writesWhatItRead(_ text: String) throws {
    #expect(try JSONParser.parse(text).text == text)
  }

  @Test func readsEscapesAndSurrogates() throws {
    #expect(try JSONParser.parse(#""\ud83d\ude00\u0041\/\ud800""#).string == "😀A/\u{FFFD}")
  }

  @Test(arguments: [
    "", "{", "[1,]", #"{"a":1,"a":2}"#, "01", "1.", "-", "1e", "9007199254740993", "\"\u{1}\"", "nul", "[1] x",
    #"{"a" 1}"#, #""\x""#, #""\u12g4""#, "1e999",
  ])
  func refuses(_ text: String) {
    #expect(throws: JSONError.self) { try JSONParser.parse(text) }
  }

  @Test func refusesInvalidUTF8AndDepth() {
    #expect(throws: JSONError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    let deep = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
    #expect(throws: JSONError.self) { try JSONParser.parse(deep, maximumDepth: 8) }
    #expect(throws: Never.self) { try JSONParser.parse(deep, maximumDepth: 9) }
  }

  @Test func saysWhere() {
    #expect { try JSONParser.parse(#"{"a": x}"#) } throws: { ($0 as? JSONError)?.offset == 6 }
  }

  @Test func writesNoRawControls() throws {
    let text = JSONValue.string("a\u{1B}[31m\u{9B}\u{0}\u{2028}").text
    #expect(text == #""a\u001b[31m\u009b\u0000\u2028""#)
    #expect(JSONValue.number(.nan).text == "null")
  }

  @Test func decimalsAreFixedAndLocaleFree() {
    #expect(Decimal3(1032.5).fixed == "1032.500")
    #expect(Decimal3(1e-5).fixed == "0.000")
    #expect(Decimal3(.nan).fixed == "0.000")
    #expect(Decimal3(-0.25).fixed == "-0.250")
    #expect(Decimal3(2.5).description == "2.5")
    #expect(Duration.milliseconds(1500).text == "1.5 s")
    #expect(Duration.milliseconds(2).text == "2 ms")
  }
}
