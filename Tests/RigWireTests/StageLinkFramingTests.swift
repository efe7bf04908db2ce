import RigModel
import RigWire
import Testing

@Suite struct StageLinkFramingTests {
  @Test func checksumIsZlibs() {
    #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
    #expect(framed(#"{"a":1}"#) == wire(#"␞{"a":1} *561bacaf⏎"#))
  }

  /// What stands on the wire, what a serial port (RS and CRC required) makes of it, and what TCP does.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let stream: String
    let guarded: [String]
    let open: [String]
    var testDescription: String { name }

    init(_ name: String, _ stream: String, guarded: [String], open: [String]) {
      self.name = name
      self.stream = stream
      self.guarded = guarded
      self.open = open
    }
    init(_ name: String, _ stream: String, both: [String]) {
      self.init(name, stream, guarded: both, open: both)
    }
  }

  static let ok = #"record {"a":1}"#
  static let samples = [
    Sample("whole", #"␞{"a":1} *561bacaf⏎"#, both: [ok]),
    Sample("upper-case checksum", #"␞{"a":1} *561BACAF⏎"#, both: [ok]),
    Sample("CRLF", "␞{\"a\":1} *561bacaf\r⏎", both: [ok]),
    Sample("without RS", #"{"a":1} *561bacaf⏎"#, guarded: [#"log: {"a":1} *561bacaf"#], open: [ok]),
    Sample(
      "without checksum", #"␞{"a":1}⏎"#, guarded: ["damaged: \(RecordDecoder.Damage.noChecksum.rawValue)"], open: [ok]),
    Sample("plain line", #"{"a":1}⏎"#, guarded: [#"log: {"a":1}"#], open: [ok]),
    Sample("wrong checksum", #"␞{"a":1} *561bacae⏎"#, both: ["damaged: bad checksum"]),
    Sample("changed byte", #"␞{"a":2} *561bacaf⏎"#, both: ["damaged: bad checksum"]),
    Sample(
      "checksum of another length", #"␞{"a":1} *561baca⏎"#,
      guarded: ["damaged: \(RecordDecoder.Damage.noChecksum.rawValue)"], open: ["damaged: not a JSON object"]),
    Sample(
      "cut by the next record", #"␞{"a":␞{"a":1} *561bacaf⏎"#, both: ["damaged: cut short by the next record", ok]),
    Sample("RS twice", #"␞␞{"a":1} *561bacaf⏎"#, both: [ok]),
    Sample("log before a record", #"[12] wifi up␞{"a":1} *561bacaf⏎"#, both: ["log: [12] wifi up", ok]),
    Sample("log lines between", #"one⏎⏎␞{"a":1} *561bacaf⏎two⏎"#, both: ["log: one", ok, "log: two"]),
    Sample(
      "log spliced in", #"␞{"a"[12] wifi up⏎:1} *561bacaf⏎␞{"a":1} *561bacaf⏎"#,
      guarded: ["damaged: \(RecordDecoder.Damage.noChecksum.rawValue)", "log: :1} *561bacaf", ok],
      open: ["damaged: not a JSON object", "log: :1} *561bacaf", ok]),
    Sample("an array", "␞[1] *4c2f32b8⏎", both: ["damaged: not a JSON object"]),
    Sample("nothing", "⏎⏎", both: []),
  ]

  @Test(arguments: samples) func whatStandsOnTheWire(_ sample: Sample) {
    let stream = wire(sample.stream)
    #expect(RecordDecoder.items(stream, guarded: true).map(text) == sample.guarded)
    #expect(RecordDecoder.items(stream, guarded: false).map(text) == sample.open)
  }

  @Test func damageIsCounted() {
    var decoder = RecordDecoder(RecordFraming(guarded: true))
    decoder.push(wire(#"␞{"a":2} *561bacaf⏎log⏎␞{"a":␞{"a":1} *561bacaf⏎"#), at: .zero)
    #expect(decoder.damagedCount == 2)
    #expect(decoder.drain().count == 4)
  }

  @Test(arguments: [
    "{\"a\":\"\u{1}\"}", #"{"a":1,"a":2}"#, #"{"a":1} {"b":2}"#, #"{"a":01}"#, #"{"a":9007199254740993}"#,
    #"{"a":-9007199254740993}"#, #"{"a":[[[[[[[[1]]]]]]]]}"#, #"{"a":1"#,
  ])
  func notARecordEvenWithTheRightChecksum(_ json: String) {
    #expect(RecordDecoder.items(framed(json), guarded: true) == [.damaged(.badJSON)])
  }

  @Test func invalidUTF8IsNoRecord() {
    let json: [UInt8] = [0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xC3, 0x28, 0x22, 0x7D]
    #expect(RecordDecoder.items(RecordFraming(guarded: true).encode(json), guarded: true) == [.damaged(.badJSON)])
  }

  @Test(arguments: [
    #"{"a":9007199254740992}"#, #"{"a":-9007199254740992}"#, #"{"a":[[[[[[[1]]]]]]]}"#, #"{"a":"\u0001é😀"}"#, "{}",
  ])
  func stillARecord(_ json: String) throws {
    let value = try JSONParser.parse(json)
    #expect(RecordDecoder.items(framed(json), guarded: true) == [.record(value)])
  }

  // MARK: Limits

  static func json(of size: Int) -> String { "{\"a\":\"" + String(repeating: "x", count: size - 8) + "\"}" }

  @Test(arguments: [(4096, 4096), (512, 512), (100, 512), (9999, 4096), (-1, 512)])
  func theLimitIsOfTheJSON(_ asked: Int, _ limit: Int) {
    for guarded in [true, false] {
      let whole = framed(Self.json(of: limit))
      #expect(RecordDecoder.items(whole, guarded: guarded, limit: asked).count == 1)
      #expect(RecordDecoder.items(whole, guarded: guarded, limit: asked).allSatisfy { $0 != .damaged(.tooLarge) })
      let crlf = Array(whole.dropLast()) + [0x0D, 0x0A]
      #expect(RecordDecoder.items(crlf, guarded: guarded, limit: asked).allSatisfy { $0 != .damaged(.tooLarge) })
      let over = framed(Self.json(of: limit + 1))
      #expect(RecordDecoder.items(over, guarded: guarded, limit: asked) == [.damaged(.tooLarge)])
      // Without a checksum there is room in the line, but not in the limit.
      let plain = Array(Self.json(of: limit + 5).utf8) + [0x0A]
      if !guarded { #expect(RecordDecoder.items(plain, guarded: false, limit: asked) == [.damaged(.tooLarge)]) }
    }
  }

  @Test(arguments: [true, false]) func anEndlessLineTakesBoundedMemory(_ guarded: Bool) {
    var decoder = RecordDecoder(RecordFraming(guarded: guarded))
    let block = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
    decoder.push([0x1E, UInt8(ascii: "{")], at: .zero)
    for _ in 0..<100 {
      decoder.push(block, at: .zero)
      #expect(decoder.heldBytes <= 4096 + 12)
    }
    #expect(decoder.drain() == [.damaged(.tooLarge)])
    // A record is found inside the thrown-away line, and after it.
    decoder.push(framed(#"{"a":1}"#) + framed(#"{"a":2}"#), at: .zero)
    #expect(decoder.drain().map(text) == [#"record {"a":1}"#, #"record {"a":2}"#])
  }

  @Test func ofALongLogLineTheBeginningIsKept() {
    let line = String(repeating: "log ", count: 3000)
    let items = RecordDecoder.items(Array(line.utf8) + [0x0A] + framed("{}"), guarded: true)
    #expect(items.map(text) == ["log: \(line.prefix(4096))", "record {}"])
  }

  // MARK: Time

  @Test func aRecordMayTakeOneSecond() {
    let stream = framed(#"{"a":1}"#)
    var decoder = RecordDecoder(RecordFraming(guarded: true))
    decoder.push(stream.prefix(5), at: .zero)
    decoder.push(stream.dropFirst(5), at: .zero + .seconds(1))
    #expect(decoder.drain().map(text) == [#"record {"a":1}"#])
  }

  @Test func aRecordWithoutLineFeedIsDroppedAfterOneSecond() {
    let stream = framed(#"{"a":1}"#)
    var decoder = RecordDecoder(RecordFraming(guarded: true))
    decoder.push(stream.prefix(5), at: .zero)
    decoder.dropStale(at: .zero + .seconds(1))
    #expect(decoder.drain().isEmpty)
    decoder.dropStale(at: .zero + .milliseconds(1001))
    #expect(decoder.drain() == [.damaged(.stale)])
    decoder.dropStale(at: .zero + .seconds(5))
    #expect(decoder.drain().isEmpty)
    // Its rest is no record; the next one is.
    decoder.push(stream.dropFirst(5) + stream, at: .zero + .seconds(6))
    #expect(decoder.drain().map(text) == [#"log: :1} *561bacaf"#, #"record {"a":1}"#])
  }

  @Test func theSecondCountsFromTheRecordNotFromTheLine() {
    var decoder = RecordDecoder(RecordFraming(guarded: true))
    decoder.push(wire("wifi "), at: .zero)
    decoder.push(wire(#"␞{"a":1}"#), at: .zero + .milliseconds(900))
    decoder.push(wire(" *561bacaf⏎"), at: .zero + .milliseconds(1800))
    #expect(decoder.drain().map(text) == ["log: wifi ", #"record {"a":1}"#])
  }

  @Test func aPromptWithoutLineFeedIsLog() {
    var decoder = RecordDecoder(RecordFraming(guarded: true))
    decoder.push(wire("login: "), at: .zero)
    decoder.push(framed("{}"), at: .zero + .seconds(3))
    #expect(decoder.drain().map(text) == ["log: login: ", "record {}"])
    #expect(decoder.damagedCount == 0)
  }

  // MARK: Pieces

  @Test(arguments: [true, false]) func anyCutIntoReadsGivesTheSame(_ guarded: Bool) {
    var stream = Self.samples.flatMap { wire($0.stream) }
    stream += framed(Self.json(of: 4096)) + framed(Self.json(of: 4097)) + framed("{}")
    stream += [UInt8](repeating: 0x41, count: 9000) + [0x0A] + framed(#"{"b":2}"#)
    let whole = RecordDecoder.items(stream, guarded: guarded)
    #expect(whole.count > 20)
    for size in [1, 2, 3, 7, 64, 1000] {
      #expect(RecordDecoder.items(stream, guarded: guarded, pieces: size) == whole)
    }
  }
}
