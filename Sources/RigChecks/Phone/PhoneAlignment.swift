import RigModel

/// Finds one session in a phone's capture, and how far the phone's clock is off.
///
/// Two things are certain. Nobody asked for the address before it was received, and the capture holds nothing that came
/// after it was fetched: each bounds the offset from one side. Which requests are the session's is told by what the
/// agent said of the phone's clock; else by this machine's clock, where requests lie where the session lay; else they
/// are the last ones, for the capture was fetched right after the session.
public struct PhoneAlignment: Sendable {
  /// Why a capture does not hold the session, and what was expected.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Errors of clocks that nobody tells: drift, time stamps set late.
  private static let slack: Int64 = 250_000_000
  /// How far a clock that is set over the network may be off.
  private static let synchronized: Int64 = 5_000_000_000
  /// What the agent says at different moments must fit together this well.
  private static let steady: Int64 = 2_000_000_000
  /// Looked at around a session.
  private static let margin: Int64 = 1_000_000_000

  private let session: PhoneSession
  private let scan: PhoneScan
  private let all: [RTSPOpening]

  public static func align(_ session: PhoneSession, with scan: PhoneScan) throws(Refusal) -> PhoneClock {
    try PhoneAlignment(session, scan).align()
  }

  private init(_ session: PhoneSession, _ scan: PhoneScan) {
    self.session = session
    self.scan = scan
    all = scan.openings
  }

  private var received: Int64 { session.received.nanoseconds &- session.receivedError.nanoseconds }
  private var ended: Int64 { session.ended.nanoseconds }
  private var fetched: Int64 { session.fetched.nanoseconds }

  private func align() throws(Refusal) -> PhoneClock {
    guard scan.packets > 0 else { throw refuse("it holds no packets") }
    guard !all.isEmpty else {
      let others = scan.otherURLs
      throw refuse(
        others.isEmpty
          ? "it holds no RTSP request" : "it holds RTSP requests for \(others.joined(separator: ", ")) only")
    }
    let fresh = all.filter { opening in session.seenBefore.map { opening.time > $0 } ?? true }
    guard !fresh.isEmpty else { throw refuse("it holds only what it held before the session") }
    if !session.clockWords.isEmpty { return try byAgent(fresh) }
    let near = fresh.filter { opening in
      let host = opening.time &- session.wallOffset
      return host >= received &- Self.synchronized && host <= ended &+ Self.synchronized
    }
    // Of those the last that lie together: a session may have been before it in these seconds.
    return near.isEmpty
      ? try byRequests(lastGroup(fresh, reach: scan.last), .requests)
      : try byRequests(lastGroup(near, reach: near.last?.time ?? 0), .machine)
  }

  private func refuse(_ what: String) -> Refusal {
    Refusal(description: "\(what); expected requests for \(session.address) after it was received")
  }

  /// The first opening from which on all fit between the address and the end of the session, and the rest of the
  /// capture before it was fetched.
  private func lastGroup(_ openings: [RTSPOpening], reach: Int64) -> ArraySlice<RTSPOpening> {
    guard let last = openings.last else { return [] }
    return openings.dropLast().drop {
      last.time &- $0.time > ended &- received &+ Self.slack || reach &- $0.time > fetched &- received &+ Self.slack
    } + [last]
  }

  // MARK: By the agent's word

  private func byAgent(_ fresh: [RTSPOpening]) throws(Refusal) -> PhoneClock {
    let words = session.clockWords.map { word in
      (
        low: word.wall &- word.host.nanoseconds &- word.error.nanoseconds,
        high: word.wall &- word.host.nanoseconds &+ word.error.nanoseconds
      )
    }
    let low = words.map(\.low).min() ?? 0
    let high = words.map(\.high).max() ?? 0
    guard high &- low <= Self.steady else {
      throw Refusal(
        description:
          "the phone's clock moved by \(Duration.nanoseconds(high &- low).text) during the session; expected "
          + "a steady clock")
    }
    let from = received &+ low &- Self.slack
    let until = ended &+ high &+ Self.slack
    let mine = fresh.filter { $0.time >= from && $0.time <= until }
    guard let first = mine.first else {
      let nearest =
        fresh.map { $0.time < from ? $0.time &- from : $0.time &- until }
        .min { $0.magnitude < $1.magnitude } ?? 0
      throw refuse(
        "its requests for the address lie outside of the session, the nearest \(Duration.nanoseconds(Int64(clamping: nearest.magnitude)).text) "
          + (nearest < 0 ? "before" : "after") + " it by what the agent says of the phone's clock")
    }
    // The request cannot have come before the address: the clock is off by no more than that.
    let range = low...max(low, min(high, first.time &- received))
    return clock(range, .agent, mine)
  }

  // MARK: By the requests

  private func byRequests(_ mine: ArraySlice<RTSPOpening>, _ basis: PhoneClock.Basis) throws(Refusal) -> PhoneClock {
    guard let first = mine.first, let last = mine.last else { throw refuse("no request lies in the session") }
    let high = first.time &- received
    var low = last.time &- ended
    // Nothing in the capture came after it was fetched. Where this machine's clock places the session, what lies far
    // behind it shows that the phone's clock was set later, and bounds nothing.
    let atFetch = scan.last &- fetched
    if basis != .machine || atFetch <= high &+ Self.slack { low = max(low, atFetch) }
    // A device that is in order sends no media behind the session. Where that does not fit, it bounds nothing.
    if let finished = session.finished, let media = scan.lastMedia(before: following(last)), media >= first.time {
      let atFinish = media &- finished.nanoseconds &- Self.slack
      if atFinish <= high { low = max(low, atFinish) }
    }
    guard low <= high &+ Self.slack else {
      throw refuse(
        "from its request for the address to its end it is \(Duration.nanoseconds(low &- high).text) longer than the "
          + "session was")
    }
    return clock(min(low, high)...high, basis, Array(mine))
  }

  private func following(_ opening: RTSPOpening) -> RTSPOpening? { all.first { $0.time > opening.time } }

  private func clock(_ offset: ClosedRange<Int64>, _ basis: PhoneClock.Basis, _ mine: [RTSPOpening]) -> PhoneClock {
    let from = (mine.first?.time ?? 0) &- Self.margin
    var until = fetched &+ offset.upperBound &+ Self.margin
    // What follows is another session's.
    if let last = mine.last, let next = following(last) { until = min(until, next.time &- 1) }
    return PhoneClock(
      offset: offset, basis: basis, openings: mine, window: min(from, until)...max(from, until),
      deviation: PhoneClock.best(offset) &- session.wallOffset)
  }
}
