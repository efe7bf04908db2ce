import RigModel
import RigWire
import Testing

@Suite struct StageLinkEventTests {
  private func fill(_ ring: inout EventRing, _ count: Int, size: Int = 20) {
    for n in 0..<count {
      _ = ring.add(
        boot: "b1", run: "r1", deviceTime: Int64(n), name: "e\(n)", source: "sdk",
        data: ["message": .string(String(repeating: "m", count: size))])
    }
  }

  /// The reply as it goes onto the wire, with a long id.
  private func replySize(_ page: JSONValue) -> Int {
    StageLinkMessage.reply(id: 1 << 53, result: page).json.text.utf8.count
  }

  private func all(_ ring: EventRing, since first: Int64, limit: Int) -> (numbers: [Int64], lost: Int64, pages: Int) {
    var since = first
    var numbers: [Int64] = []
    var lost: Int64 = 0
    var pages = 0
    while pages < 1000 {
      let page = ring.page(since: since, limit: limit)
      pages += 1
      #expect(replySize(page) <= limit)
      numbers += page["events"]?.array?.compactMap { $0["seq"]?.integer } ?? []
      lost += page["lost"]?.integer ?? 0
      guard page["more"]?.bool == true else { break }
      #expect((page["next"]?.integer ?? 0) > since)
      since = page["next"]?.integer ?? .max
    }
    return (numbers, lost, pages)
  }

  @Test(arguments: [512, 1000, 4096]) func pagesFitTheRecordAndBringEverything(_ limit: Int) {
    var ring = EventRing(capacity: 256)
    fill(&ring, 200)
    let whole = all(ring, since: 0, limit: limit)
    #expect(whole.numbers == Array(1...200))
    #expect(whole.lost == 0)
    #expect(whole.pages >= 200 * 100 / limit)
    #expect(all(ring, since: 190, limit: limit).numbers == Array(191...200))
    #expect(all(ring, since: 200, limit: limit).numbers.isEmpty)
    #expect(all(ring, since: 5000, limit: limit).numbers.isEmpty)
  }

  @Test func whatFellOutIsCounted() {
    var ring = EventRing(capacity: 1)
    fill(&ring, 100)
    let kept = all(ring, since: 10, limit: 4096)
    #expect(kept.numbers == Array(37...100))
    #expect(kept.lost == 26)
    #expect(all(ring, since: 99, limit: 4096).lost == 0)
  }

  /// Such an event can be sent in no record: it is lost, and does not bar the way to those after it.
  @Test func anEventLargerThanARecordIsLost() {
    var ring = EventRing()
    fill(&ring, 2)
    fill(&ring, 2, size: 5000)
    fill(&ring, 2)
    let whole = all(ring, since: 0, limit: 4096)
    #expect(whole.numbers == [1, 2, 5, 6])
    #expect(whole.lost == 2)
    let late = all(ring, since: 2, limit: 4096)
    #expect(late.numbers == [5, 6])
    #expect(late.lost == 2)
  }

  @Test func anEventSurvivesTheWire() throws {
    var ring = EventRing()
    let event = ring.add(
      boot: "b1", run: nil, deviceTime: 1 << 52, name: "rtspAddressReceived", source: "sdk",
      data: ["address": "rtsp://10.0.0.1/\u{7}é", "nested": ["a": [1, .number(2.5), .null]]])
    let bytes = StageLinkMessage.notification(method: "event", params: event.params).encoded(
      RecordFraming(guarded: true))
    guard case .record(let json)? = RecordDecoder.items(bytes, guarded: true).first,
      case .notification("event", let params)? = StageLinkMessage(json)
    else {
      Issue.record("no event")
      return
    }
    #expect(StageLinkEvent(params: params) == event)
  }

  /// Whatever the order, the repeats and the replays: each event once, in order.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func aSequenceIsDeliveredInOrder(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func event(_ n: Int64) -> StageLinkEvent {
      StageLinkEvent(sequence: n, boot: "b", run: nil, deviceTime: n, name: "e", source: "", data: .object([]))
    }
    var sequence = EventSequence()
    var delivered: [Int64] = []
    func take(_ step: EventSequence.Step) {
      if case .deliver(let events) = step { delivered += events.map(\.sequence) }
    }
    for start in stride(from: Int64(1), to: 400, by: 20) {
      var wave = Array(start..<start + 20) + [start, start + 3, max(1, start - 5)]
      wave.shuffle(using: &random)
      for n in wave where Int.random(in: 0..<6, using: &random) > 0 { take(sequence.receive(event(n))) }
      for n in sequence.last + 1..<start + 20 { take(sequence.receive(event(n))) }
    }
    #expect(delivered == Array(1...400))
    #expect(sequence.missing == 0)
  }

  @Test func aFloodAfterAGapIsBounded() {
    var sequence = EventSequence(last: 0)
    for n in Int64(2)...5000 {
      let event = StageLinkEvent(
        sequence: n, boot: "b", run: nil, deviceTime: 0, name: "e", source: "", data: .object([]))
      #expect(sequence.receive(event) == .gap(since: 0))
    }
    #expect(sequence.missing == 1)
    #expect(sequence.skip(to: 1).count == 256)
    #expect(sequence.skip(to: -5).isEmpty)
  }
}
