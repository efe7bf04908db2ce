import RigDevice
import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

/// What a device answers to bytes that no driver would send.
@Suite struct DeviceWireTests {
  /// Sends raw text (`␞` is RS, `⏎` LF) and gives the JSON of what comes back inside a second.
  private func answers(_ text: String, guarded: Bool = false) throws -> [String] {
    let loop = VirtualLoop()
    return try loop.run {
      let bench = DeviceBench(loop, guarded: guarded)
      bench.end()
      let (mine, theirs) = MemoryChannel.pair()
      #expect(await bench.device.accept(theirs))
      var decoder = RecordDecoder(RecordFraming(guarded: true))
      try await mine.write(Array(text.replacing("␞", with: "\u{1E}").replacing("⏎", with: "\n").utf8))
      try await loop.sleep(for: .seconds(1))
      loop.spawn {
        try await loop.sleep(for: .seconds(1))
        mine.close()
      }
      decoder.push(try await mine.read(), at: loop.now)
      var lines: [String] = []
      while let item = decoder.next() {
        guard case .record(let json) = item else {
          lines.append("\(item)")
          continue
        }
        let body = json["error"].map { "error \($0["code"]?.integer ?? 0)" } ?? "result \(json["result"]?.text ?? "-")"
        lines.append("\(json["id"]?.text ?? "-") \(body)")
      }
      return lines
    }
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"len":2}}⏎"#, [#"1 result {"data":"ee"}"#]),
    (#"␞{"id":1,"method":"echo","params":{"len":1},"extra":{"x.y":[1]}}⏎"#, [#"1 result {"data":"e"}"#]),
    (#"{"id":1,"method":"echo"}⏎{"id":2,"method":"x.dance"}⏎"#, ["1 error -32602", "2 error -32601"]),
    (#"{"id":1,"method":⏎"#, ["null error -32700"]),
    (#"␞{"id":1,"method":"echo","params":{"len":2}} *00000000⏎"#, ["null error -32700"]),
    ("{\"a\":\"" + String(repeating: "x", count: 5000) + "\"}⏎", ["null error -32009"]),
    ("{}⏎", ["null error -32600"]), (#"{"id":7}⏎"#, ["7 error -32600"]),
    (#"{"method":"stop","params":{"run":"r"}}⏎"#, []), (#"{"id":1,"result":{}}⏎"#, []), ("hello?⏎", []),
  ])
  func requests(_ text: String, _ wanted: [String]) throws {
    #expect(try answers(text) == wanted)
  }

  @Test func aGuardedPortWantsRSAndChecksum() throws {
    #expect(try answers(#"{"id":1,"method":"echo","params":{"len":2}}⏎"#, guarded: true).isEmpty)
    #expect(try answers(#"␞{"id":1,"method":"echo","params":{"len":2}}⏎"#, guarded: true) == ["null error -32700"])
  }

  /// Numbers at the ends of their range, in each place that takes one.
  @Test func extremeNumbersDoNotTrap() throws {
    let wild = ["9007199254740992", "-9007199254740992", "1e300", "-1e300", "0.5", "-1", "0", "null", "\"7\"", "[]"]
    var text = ""
    for (n, number) in wild.enumerated() {
      text += #"{"id":\#(n),"method":"echo","params":{"len":\#(number)}}⏎"#
      text += #"{"id":\#(n),"method":"events","params":{"since":\#(number)}}⏎"#
      text += #"{"id":\#(n),"method":"faults","params":{"from":\#(number)}}⏎"#
      text += #"{"id":\#(n),"method":"log","params":{"since":\#(number),"max":\#(number)}}⏎"#
      text += #"{"id":\#(n),"method":"ping","params":{"h0":\#(number)}}⏎"#
      text +=
        #"{"id":\#(n),"method":"inject","params":{"fault":"delay","at":{"stage":"enter-live-mode"},"count":\#(number),"ttlMs":\#(number),"args":{"for":\#(number)}}}⏎"#
      let params = #"{"bitrate":\#(number),"qualityFactor":\#(number),"iFrameInterval":\#(number)}"#
      text +=
        #"{"id":\#(n),"method":"start","params":{"run":"r\#(n)","flow":"rtsp-hotspot","params":\#(params),"ownerTimeoutMs":\#(number)}}⏎"#
      text += #"{"id":\#(n),"method":"stop","params":{"run":"r\#(n)"}}⏎"#
    }
    let lines = try answers(text)
    // Each has an answer; what begins without an id is an event of a run that was started.
    #expect(lines.filter { !$0.hasPrefix("- ") }.count == wild.count * 8)
  }
}
