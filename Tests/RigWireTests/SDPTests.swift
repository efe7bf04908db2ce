import RigModel
import RigWire
import Testing

@Suite struct SDPTests {
  static let healthy = """
    v=0\r\no=- 7 1 IN IP4 192.0.2.10\r\ns=Live\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n\
    m=video 0 RTP/AVP 96\r\nb=AS:2000\r\na=rtpmap:96 H264/90000\r\n\
    a=fmtp:96 packetization-mode=1; profile-level-id=64001F;sprop-parameter-sets=Z2QAKQ==,aPqPLA==,aF6jzA==\r\n\
    a=control:trackID=0\r\n\
    m=audio 0 RTP/AVP 97\r\na=rtpmap:97 MPEG4-GENERIC/44100/2\r\n\
    a=fmtp:97 streamtype=5;mode=AAC-hbr;config=1210;SizeLength=13;indexlength=3;indexdeltalength=3\r\n\
    a=control:trackID=1\r\n
    """

  @Test func healthy() throws {
    let session = SDPSession(parsing: Self.healthy)
    #expect(session.deviations.isEmpty)
    #expect(session.control == "*")
    #expect(session.media.map(\.control) == ["trackID=0", "trackID=1"])
    let video = try #require(session.media.first)
    #expect(video.primary?.isEncoding("h264") == true)
    #expect(video.bandwidths == [.init(type: "AS", value: 2000)])
    let h264 = H264FormatParameters(try #require(video.fmtp(96)))
    #expect(h264.packetizationMode == 1)
    #expect(h264.profileLevelID == 0x64001F)
    #expect(h264.sequenceParameterSets == [[0x67, 0x64, 0, 0x29]])
    #expect(h264.pictureParameterSets.count == 2)
    #expect(h264.undecodable.isEmpty)
    let audio = session.media[1]
    #expect(audio.primary?.channels == 2)
    let aac = AACFormatParameters(try #require(audio.fmtp(97)))
    #expect(aac.isHighBitRate)
    #expect([aac.sizeLength, aac.indexLength, aac.indexDeltaLength] == [13, 3, 3])
    #expect(AudioSpecificConfig(parsing: try #require(aac.config))?.sampleRate == 44100)
  }

  @Test func writtenReadsBack() {
    let session = SDPSession(parsing: Self.healthy)
    #expect(SDPSession(parsing: session.text) == session)
  }

  @Test(arguments: [
    // No origin; c= after a=.
    (
      "v=0\r\ns=cam\r\nt=0 0\r\na=control:*\r\nc=IN IP4 0.0.0.0\r\nm=video 0 RTP/AVP 96\r\na=control:t1\r\n",
      [SDPDeviation(.order, line: 5, "c=IN IP4 0.0.0.0"), SDPDeviation(.missingLine, line: 0, "o=")]
    ),
    (
      "v=0\r\no=- 1001 1 IN \r\ns=x\r\nc=IN \r\nt=0 0\r\n",
      [SDPDeviation(.badOrigin, line: 2, "o=- 1001 1 IN "), SDPDeviation(.badConnection, line: 4, "c=IN ")]
    ),
    (
      "v=0\r\no=- 1 1 IN IP4 fe80::1\r\ns=x\r\nt=0 0\r\n",
      [SDPDeviation(.addressType, line: 2, "o=- 1 1 IN IP4 fe80::1")]
    ),
    // Ids beyond 64 bits are only digits.
    ("v=0\r\no=RTSP 19599440071187478912 13656283801756621937 IN IP4 0.0.0.0\r\ns=x\r\nt=0 0\r\n", []),
    ("v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=x\r\nt=0 0\r\na=control:t1", [SDPDeviation(.noFinalLineEnd, line: 5)]),
    (
      "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=x\nnonsense\n\nt=0 0\n",
      [
        SDPDeviation(.bareLF, line: 1), SDPDeviation(.badLine, line: 4, "nonsense"),
        SDPDeviation(.emptyLine, line: 5),
      ]
    ),
  ])
  func deviations(text: String, expected: [SDPDeviation]) {
    #expect(SDPSession(parsing: text).deviations == expected)
  }

  @Test func vendorMedia() {
    let session = SDPSession(
      parsing: "m=application/ACME 0 RTP/AVP smart/1/90000\r\na=rtpmap:95 ACME/90000\r\nm=video 0 RTP/AVP 96\r\n")
    #expect(session.media.map(\.isPlayable) == [false, true])
    #expect(session.deviations.map(\.kind).prefix(2) == [.badMedia, .foreignPayloadType])
  }

  @Test func negativePortAndBinary() {
    let bytes =
      Array("v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=x\r\nt=0 0\r\nm=video -1353744643 RTP/AVP 96\r\nc=IN IP4 '&".utf8)
      + [0xFF, 0xFE, 0x0D, 0x0A] + Array("a=control:t0\r\n".utf8)
    let session = SDPSession(parsing: bytes)
    #expect(session.media.first?.port == nil)
    #expect(session.media.first?.control == "t0")
    #expect(Set(session.deviations.map(\.kind)) == [.badPort, .notUTF8, .badConnection])
  }

  @Test func formatForAnotherType() {
    let session = SDPSession(
      parsing: "m=audio 0 RTP/AVP 104\r\na=rtpmap:104 MPEG4-GENERIC/16000\r\na=fmtp:97 config=1408\r\n")
    #expect(session.deviations.contains { $0.kind == .foreignPayloadType && $0.line == 3 })
    #expect(session.media[0].fmtp(104)?["config"] == "1408")
  }

  @Test func emptySprop() throws {
    let parameters = try #require(SDPFormatParameters(parsing: "96 packetization-mode=1;sprop-parameter-sets="))
    let h264 = H264FormatParameters(parameters)
    #expect(h264.parameterSets?.isEmpty == true)
    #expect(h264.undecodable == [""])
  }

  @Test func huge() {
    let big = "a=fmtp:96 sprop-parameter-sets=" + String(repeating: "QUJD", count: 20_000)
    let session = SDPSession(parsing: "v=0\r\nm=video 0 RTP/AVP 96\r\n\(big)\r\n")
    #expect(session.media[0].fmtp(96)?["sprop-parameter-sets"]?.utf8.count == 80_000)
    let lines = String(repeating: "a=x\r\n", count: 5000)
    #expect(SDPSession(parsing: lines).deviations.contains { $0.kind == .tooLarge })
    #expect(SDPSession(parsing: lines).attributes.count == SDPSession.maximumLines)
  }

  @Test func mutations() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<2000 {
      let bytes = mutated(Array(Self.healthy.utf8), &random)
      let session = SDPSession(parsing: bytes)
      #expect(session.deviations.count <= bytes.count)
      for media in session.media {
        for format in media.formatParameters {
          _ = H264FormatParameters(format)
          _ = H265FormatParameters(format)
          _ = AACFormatParameters(format).config.map { AudioSpecificConfig(parsing: $0) }
        }
      }
    }
  }
}
