import CStageLinkAgent
import Glibc
import RigModel
import RigTestSupport
import RigWire
import Testing

/// The C agent in this process, with a clock that stands still until it is moved.
private final class CAgent {
  private let agent: UnsafeMutablePointer<sl_agent>
  private let config: UnsafeMutablePointer<sl_config>
  private let world: UnsafeMutablePointer<World>
  private var texts: [UnsafeMutablePointer<CChar>] = []

  struct World {
    var now: UInt64 = 1
    var sent: [UInt8] = []
  }

  init(guarded: Bool) {
    agent = .allocate(capacity: 1)
    config = .allocate(capacity: 1)
    world = .allocate(capacity: 1)
    world.initialize(to: World())
    config.initialize(to: sl_config())
    if let model = strdup("c") { texts.append(model) }
    config.pointee.model = UnsafePointer(texts.first)
    config.pointee.guarded = guarded
    config.pointee.context = UnsafeMutableRawPointer(world)
    config.pointee.send = { context, bytes, count in
      context?.assumingMemoryBound(to: World.self).pointee.sent += UnsafeBufferPointer(start: bytes, count: count)
    }
    config.pointee.now_us = { $0?.assumingMemoryBound(to: World.self).pointee.now ?? 0 }
    config.pointee.start = { _, _, _ in Int32(SL_ACCEPTED) }
    config.pointee.stop = { _, _, _ in }
    sl_init(agent, config, 0x0123_4567_89ab_cdef)
  }

  deinit {
    agent.deallocate()
    config.deallocate()
    world.deinitialize(count: 1)
    world.deallocate()
    for text in texts { free(text) }
  }

  var sent: [UInt8] { world.pointee.sent }
  var damagedCount: Int { Int(sl_damaged(agent)) }
  func receive(_ bytes: [UInt8]) { sl_receive(agent, bytes, bytes.count) }
  func pass(_ us: UInt64) {
    world.pointee.now += us
    sl_tick(agent)
  }
  func event(_ name: String) { sl_event(agent, name, nil, 0) }
}

@Suite struct CAgentTests {
  private let framing = RecordFraming(guarded: true)

  private func record(_ id: Int64, _ method: String, _ params: JSONValue = [:]) -> [UInt8] {
    StageLinkMessage.request(id: id, method: method, params: params).encoded(framing)
  }

  private func records(_ bytes: [UInt8]) -> [JSONValue] {
    var decoder = RecordDecoder(framing)
    decoder.push(bytes, at: .zero)
    var records: [JSONValue] = []
    while let item = decoder.next() { if case .record(let json) = item { records.append(json) } }
    #expect(decoder.damagedCount == 0)
    return records
  }

  @Test func itSaysNothingUntilItIsGreeted() {
    let agent = CAgent(guarded: true)
    agent.event("x.boot")
    agent.pass(5_000_000)
    agent.receive(Array("noise\n\u{1E}{\"half\":".utf8))
    #expect(agent.sent.isEmpty)
    agent.receive(record(1, "hello", ["v": [1], "nonce": "n"]))
    agent.pass(1_000_000)
    let said = records(agent.sent)
    #expect(said.count == 2 && said.first?["result"]?["boot"] == "0123456789abcdef")
    #expect(said.last?["method"] == "hb" && said.last?["params"]?["seq"] == 1)
  }

  /// Sixty-four events are kept, and what is older is said to be lost.
  @Test func theLast64EventsAreReplayedInPages() {
    let agent = CAgent(guarded: false)
    for _ in 0..<100 { agent.event("configureHotspotStarting") }
    var since: Int64 = 0
    var numbers: [Int64] = []
    var lost: Int64 = 0
    for id in 1...20 {
      let before = agent.sent.count
      agent.receive(record(Int64(id), "events", ["since": .integer(since)]))
      let page = records(Array(agent.sent.dropFirst(before))).first?["result"]
      numbers += page?["events"]?.array?.compactMap { $0["seq"]?.integer } ?? []
      lost += page?["lost"]?.integer ?? 0
      since = page?["next"]?.integer ?? 0
      if page?["more"] != true { break }
    }
    #expect(numbers == Array(37...100) && lost == 36)
  }

  @Test func whateverThePiecesAreItSaysTheSame() {
    let talk =
      record(1, "hello", ["v": [1], "nonce": "n"]) + record(2, "echo", ["len": 600]) + [0x1E, 0x7B] + record(3, "state")
      + Array("log\n".utf8) + record(4, "events", ["since": 0]) + record(5, "faults") + record(6, "nothing")
    let whole = CAgent(guarded: true)
    whole.receive(talk)
    for size in [1, 2, 7, 64, 511, 512, 513] {
      let cut = CAgent(guarded: true)
      for start in stride(from: 0, to: talk.count, by: size) { cut.receive(Array(talk[start...].prefix(size))) }
      #expect(cut.sent == whole.sent, "in pieces of \(size)")
    }
    #expect(whole.damagedCount == 1)
  }

  /// What the C agent takes for JSON is what the harness takes for JSON.
  @Test func bothSidesReadTheSameJSON() {
    var random = SplitMix64(seed: 7)
    let seeds = [
      #"{"id":1,"method":"start","params":{"run":"r\u00e9\ud83d\ude00","list":[1,-2.5e3,true,null,"ä😀"]}}"#,
      #"{"a":[[[[[[[]]]]]]],"b":{"c":{"d":{}}},"e":"\"\\\/\b\f\n\r\t"}"#,
      #"{"n":[0,-0,0.1,1e9,1E-2,9007199254740992,-9007199254740992,9007199254740993]}"#,
      #"{ "s" : "\ud800" , "t" : [ ] , "u" : "" }"#,
    ].map { Array($0.utf8) }
    let pieces: [UInt8] = Array("{}[]\",:\\u019.eE+- \t".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC0, 0xC3, 0xED, 0xF0, 0xF4]
    for round in 0..<4000 {
      guard var json = seeds.randomElement(using: &random) else { continue }
      for _ in 0..<(round % 4) {
        let at = Int.random(in: 0..<json.count, using: &random)
        let piece = pieces.randomElement(using: &random) ?? 0x20
        switch Int.random(in: 0..<3, using: &random) {
        case 0: json[at] = piece
        case 1: json.insert(piece, at: at)
        default: json.remove(at: at)
        }
      }
      var isRecord = false
      do throws(JSONError) {
        if case .object = try JSONParser.parse(json[...], maximumDepth: 8) { isRecord = true }
      } catch {
        // The C agent takes the first of two keys, and has no need for numbers beyond what a double holds.
        if error.problem.contains("second time") || error.problem.contains("out of range") { continue }
      }
      let agent = CAgent(guarded: true)
      agent.receive(framing.encode(json))
      #expect((agent.damagedCount == 0) == isRecord, "\(String(decoding: json, as: UTF8.self))")
    }
  }
}
