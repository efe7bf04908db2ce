import RigModel
import RigWire
import Testing

/// The promise of the framing, on a console shared with logs.
@Suite struct StageLinkNoiseTests {
  private static func event(_ n: Int, _ random: inout SplitMix64) -> String {
    let names = ["hotspotConfigureCompletion", "waitingForHotspotOpen", "rtspAddressReceived", "x.thermal"]
    let name = names[Int.random(in: 0..<names.count, using: &random)]
    let pad = String(repeating: "m", count: Int.random(in: 0...200, using: &random))
    return #"{"jsonrpc":"2.0","method":"event","params":{"seq":\#(n),"boot":"b1","run":"r1","t":\#(n * 977),"#
      + #""name":"\#(name)","src":"sdk","success":true,"error":{"domain":"d","code":\#(n % 7),"message":"\#(pad)"}}}"#
  }

  private static func logLine(_ random: inout SplitMix64) -> [UInt8] {
    let lines = [
      "[  12.345] wifi: state 3", "E (4711) ap: {\"err\":-2}", "{", "}", "{\"jsonrpc\":\"2.0\"}", "",
      "dhcp offer *deadbeef",
    ]
    return Array(lines[Int.random(in: 0..<lines.count, using: &random)].utf8) + [0x0A]
  }

  /// 2 % of the records spliced by log text, 1 % cut, 0.5 % with a flipped bit, logs between them.
  @Test(arguments: [true, false], [1, 2] as [UInt64])
  func noFalseRecordAndNoneLost(_ guarded: Bool, _ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var sent: [JSONValue] = []
    var whole: Set<JSONValue> = []
    var stream: [UInt8] = []
    let count = 5000
    for n in 0..<count {
      let json = Self.event(n, &random)
      let value = try JSONParser.parse(json)
      var bytes = framed(json)
      sent.append(value)
      switch Double.random(in: 0..<1, using: &random) {
      case ..<0.02:
        bytes.insert(contentsOf: Self.logLine(&random), at: Int.random(in: 1..<bytes.count - 1, using: &random))
      case ..<0.03:
        bytes = Array(bytes.prefix(Int.random(in: 1..<bytes.count - 1, using: &random)))
      case ..<0.035:
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      default: whole.insert(value)
      }
      stream += bytes
      if Int.random(in: 0..<4, using: &random) == 0 { stream += Self.logLine(&random) }
    }
    #expect(whole.count < count - 120 && whole.count > count - 260)
    var decoder = RecordDecoder(RecordFraming(guarded: guarded))
    var got: [JSONValue] = []
    var rest = stream[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...900, using: &random))
      rest = rest.dropFirst(piece.count)
      decoder.push(piece, at: .zero)
      for case .record(let json) in decoder.drain() { got.append(json) }
    }
    // Log text may itself be a JSON line where no RS is required.
    let foreign: JSONValue = ["jsonrpc": "2.0"]
    if !guarded { got.removeAll { $0 == foreign } }
    let falseOnes = Set(got).subtracting(sent)
    let lost = whole.subtracting(got)
    #expect(falseOnes.isEmpty)
    #expect(lost.isEmpty)
    #expect(got.count == Set(got).count)
    #expect(got == sent.filter(Set(got).contains))
    #expect(decoder.damagedCount > 100)
  }

  @Test(arguments: [true, false]) func mutatedStreamsNeverTrapNorGrow(_ guarded: Bool) {
    var random = SplitMix64(seed: 7)
    let records = (1...4).map { Self.event($0, &random) }
    let stream = records.flatMap { framed($0) + Array("a log line\r\n".utf8) }
    let sent = Set(records.compactMap { try? JSONParser.parse($0) })
    var damaged = 0
    for _ in 0..<10_000 {
      let bytes = mutated(stream, &random)
      var decoder = RecordDecoder(RecordFraming(guarded: guarded, limit: 512))
      decoder.push(bytes, at: .zero)
      var count = 0
      while let item = decoder.next() {
        count += 1
        guard guarded, case .record(let json) = item else { continue }
        if !sent.contains(json) { Issue.record("a false record: \(json.text)") }
      }
      if count > bytes.count { Issue.record("more items than bytes") }
      if decoder.heldBytes > 512 + 12 { Issue.record("\(decoder.heldBytes) bytes held") }
      damaged += decoder.damagedCount
    }
    #expect(damaged > 7_000)
  }
}
