import RigChecks
import RigModel
import Testing

@Suite struct SDPCheckTests {
  private func judge(_ edit: (inout String) -> Void, _ check: any WireCheck.Type, audio: Bool = true) -> [Finding] {
    var camera = ScriptedCamera(audio: audio)
    edit(&camera.sdp)
    camera.describe()
    return camera.script.analyze().of(check)
  }

  private func without(_ line: String) -> (inout String) -> Void {
    { text in
      text = text.split(separator: "\n").filter { !$0.hasPrefix(line) }.map { $0 + "\n" }.joined()
    }
  }

  private func replace(_ old: String, _ new: String) -> (inout String) -> Void {
    { text in
      let parts = text.split(separator: old, omittingEmptySubsequences: false)
      text = parts.joined(separator: new)
    }
  }

  @Test(arguments: ["o=", "s=", "t="])
  func mandatoryLine(_ line: String) {
    #expect(judge(without(line), MandatoryLinesCheck.self).map(\.severity) == [.error])
  }

  @Test func connectionLine() {
    #expect(judge(without("c="), MandatoryLinesCheck.self).map(\.severity) == [.warning])
  }

  @Test func rtpmapOfADynamicType() {
    #expect(judge(without("a=rtpmap:96"), DynamicPayloadCheck.self).map(\.severity) == [.error])
    #expect(judge(replace("H264/90000", "H264"), DynamicPayloadCheck.self).map(\.severity) == [.error])
  }

  @Test func fmtpOfAnotherType() {
    #expect(judge(replace("a=fmtp:97", "a=fmtp:104"), FormatTypeCheck.self).map(\.severity) == [.error])
  }

  @Test func controls() {
    #expect(judge(without("a=control:audio"), ControlCheck.self).map(\.severity) == [.error])
    #expect(judge(replace("a=control:audio", "a=control:video"), ControlCheck.self).map(\.severity) == [.error])
    #expect(judge(without("a=control:*"), ControlCheck.self).map(\.severity) == [.warning])
    // One media needs none of its own.
    #expect(judge(without("a=control:video"), ControlCheck.self, audio: false).isEmpty)
  }

  @Test func spropParameterSets() {
    let check = H264ParameterSetsCheck.self
    #expect(judge(replace(ScriptedCamera.pps, "a*b"), check).contains { $0.severity == .error })
    #expect(judge(replace("," + ScriptedCamera.pps, ""), check).map(\.severity) == [.warning])
    #expect(judge(without("a=fmtp:96"), check).map(\.severity) == [.warning])
    #expect(judge(replace("42c00c", "640029"), check).map(\.severity) == [.warning])
  }

  @Test func aacParameters() {
    let check = AACParametersCheck.self
    #expect(judge(replace("config=1188;", ""), check).map(\.severity) == [.error])
    #expect(judge(replace("sizelength=13", "sizelength=16"), check).map(\.severity) == [.error])
    #expect(judge(without("a=fmtp:97"), check).map(\.severity) == [.error])
    #expect(judge(replace("mode=AAC-hbr;", ""), check).map(\.severity) == [.error])
    #expect(judge(replace("GENERIC/48000", "GENERIC/16000"), check).map(\.severity) == [.warning])
  }

  @Test func originConnectionAndMediaLines() {
    #expect(judge(replace("o=- 1 1 IN IP4 10.0.0.1", "o=- 1 1 IN"), OriginSyntaxCheck.self).map(\.severity) == [.error])
    #expect(
      judge(replace("o=- 1 1 IN IP4 10.0.0.1", "o=- 1 1 IN IP4 fe80::1"), OriginSyntaxCheck.self).map(\.severity)
        == [.warning])
    #expect(judge(replace("c=IN IP4 0.0.0.0", "c=IN"), ConnectionSyntaxCheck.self).map(\.severity) == [.error])
    #expect(judge(replace("m=video 0", "m=video -5"), MediaSyntaxCheck.self).map(\.severity) == [.error])
  }

  @Test func text() {
    #expect(judge(replace("s=camera", "s=ca\u{1}mera"), DescriptionTextCheck.self).map(\.severity) == [.error])
    #expect(
      judge({ while $0.hasSuffix("\n") { $0.removeLast() } }, DescriptionTextCheck.self).map(\.severity) == [.warning])
  }

  @Test func h265ParameterSets() {
    let lines = { (sets: String) in
      { (text: inout String) in
        text += "m=video 0 RTP/AVP 98\na=rtpmap:98 H265/90000\na=fmtp:98 \(sets)\na=control:second\n"
      }
    }
    let check = H265ParameterSetsCheck.self
    #expect(judge(lines("sprop-vps=QAE=;sprop-sps=QgE=;sprop-pps=RAE="), check).isEmpty)
    #expect(judge(lines("sprop-vps=QAE="), check).map(\.severity) == [.warning])
    #expect(judge(lines("sprop-vps=QAE=;sprop-sps=?;sprop-pps=RAE="), check).contains { $0.severity == .error })
  }
}
