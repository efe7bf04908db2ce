import RigBytes
import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

@Suite struct RTSPReplyFaultTests {
  /// The answer to DESCRIBE and what the parser says of it.
  private func describe(_ fault: RTSPFault) throws -> (message: RTSPMessage, deviations: [RTSPDeviation.Kind]) {
    try ServerBench.run(faults: [fault]) { bench in
      let client = try await bench.client()
      let message = try await client.send("DESCRIBE", bench.url)
      #expect(await bench.acted(fault.name))
      return (message, client.deviations.map(\.kind))
    }
  }

  @Test func linesMayBeFoldedOrBare() throws {
    let folded = try describe(.headerFold)
    #expect(folded.deviations.contains(.folded))
    #expect(folded.message.status == 200 && folded.message.headers["Content-Type"] == "application/sdp")
    let bare = try describe(.bareLF)
    #expect(bare.deviations.contains(.bareLF))
    #expect(SDPSession(parsing: bare.message.body).deviations.isEmpty)
  }

  @Test func contentBaseMayBeRelative() throws {
    #expect(try describe(.badContentBase).message.headers["Content-Base"] == "/live/")
  }

  @Test func contentLengthMayBeShort() throws {
    let whole = try describe(.badContentBase).message.body.count
    #expect(try describe(.badContentLength(by: -10)).message.body.count == whole - 10)
  }

  @Test func redirectsGoInCircles() throws {
    let answer = try describe(.redirectLoop).message
    #expect(answer.status == 302 && answer.headers["Location"]?.hasSuffix("/live") == true)
  }

  @Test func descriptionsMayBeBroken() throws {
    let noMap = SDPSession(parsing: try describe(.missingRTPMap).message.body)
    #expect(noMap.media.count == 2 && noMap.media.allSatisfy { $0.rtpmaps.isEmpty })
    let noControl = SDPSession(parsing: try describe(.noControl).message.body)
    #expect(noControl.media.count == 2 && noControl.media.allSatisfy { $0.control == nil })
    #expect(SDPSession(parsing: try describe(.badPort).message.body).media.first?.port == nil)
    #expect(try describe(.binarySDP).message.body.contains(0xFF))
    #expect(try describe(.noFinalCRLF).message.body.last != 0x0A)
    #expect(try describe(.hugeSDP(bytes: 200_000)).message.body.count > 200_000)
  }

  @Test func setUpMayNameNoSession() throws {
    try ServerBench.run(faults: [.noSession]) { bench in
      let client = try await bench.client()
      let answer = try await client.send("SETUP", bench.track(0), RTSPDialogueTests.tcp)
      #expect(answer.status == 200 && answer.session == nil)
      #expect(await bench.acted("no-session"))
    }
  }

  @Test func anAnswerMayStandInsideAFrame() throws {
    try ServerBench.run(faults: [.replyInsideFrame(at: "OPTIONS")]) { bench in
      let client = try await bench.client()
      #expect(try await client.send("OPTIONS", "*").status == 200)
      #expect(client.deviations.map(\.kind).contains(.rtspInFrame))
      #expect(await bench.acted("reply-inside-frame"))
    }
  }

  @Test func anAnswerMayEndInTheMiddle() throws {
    try ServerBench.run(faults: [.partialReply(at: "DESCRIBE")]) { bench in
      let client = try await bench.client()
      try await client.write("DESCRIBE", bench.url)
      #expect(await client.isClosedByServer())
      #expect(await bench.acted("partial-reply"))
    }
  }
}
