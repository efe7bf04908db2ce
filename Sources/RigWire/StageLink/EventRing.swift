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

  /// Result of `events{since}`: the events after `since` that fit `limit` bytes, and how many before them are gone for
  /// good. An event that no record can hold is gone as well.
  public func page(since: Int64, limit: Int) -> JSONValue {
    var wanted = events.filter { $0.sequence > since }[...]
    let since = max(0, since)
    var last = max(since, (events.first?.sequence ?? nextSequence) - 1)
    // Room for the reply's own members.
    let room = limit - 160
    func size(_ event: StageLinkEvent) -> Int { event.params.text.utf8.count + 1 }
    while let first = wanted.first, size(first) > room {
      last = first.sequence
      wanted = wanted.dropFirst()
    }
    let lost = last - since
    var page: [JSONValue] = []
    var used = 0
    for event in wanted {
      used += size(event)
      if used > room { break }
      page.append(event.params)
      last = event.sequence
    }
    return [
      "events": .array(page), "next": .integer(last), "more": .bool(page.count < wanted.count), "lost": .integer(lost),
    ]
  }
}
