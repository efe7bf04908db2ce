public import RigModel

/// The device's side of event replay: the last events, and pages of them that fit a record.
public struct EventRing: Sendable {
  public static let leastCapacity = 64

  private var events: [StageLinkEvent] = []
  private let capacity: Int
  public private(set) var nextSequence: Int64 = 1

  public init(capacity: Int = 256) { self.capacity = max(EventRing.leastCapacity, capacity) }

  /// Numbers an event and keeps it.
  public mutating func add(
    boot: String, run: String?, deviceTime: Int64, name: String, source: String, data: JSONValue
  ) -> StageLinkEvent {
    let event = StageLinkEvent(
      sequence: nextSequence, boot: boot, run: run, deviceTime: deviceTime, name: name, source: source, data: data)
    nextSequence += 1
    if events.count == capacity { events.removeFirst() }
    events.append(event)
    return event
  }

  /// Result of `events{since}`: the events after `since` that fit `limit` bytes, and how many are gone for good.
  public func page(since: Int64, limit: Int) -> JSONValue {
    let wanted = events.filter { $0.sequence > since }
    let firstKept = events.first?.sequence ?? nextSequence
    let lost = max(0, firstKept - 1 - max(0, since))
    var page: [JSONValue] = []
    // Room for the reply's own members.
    var room = limit - 160
    for event in wanted {
      let params = event.params
      room -= params.text.utf8.count + 1
      if room < 0 { break }
      page.append(params)
    }
    let last = page.isEmpty ? since : wanted[page.count - 1].sequence
    return [
      "events": .array(page), "next": .integer(last), "more": .bool(page.count < wanted.count), "lost": .integer(lost),
    ]
  }
}
