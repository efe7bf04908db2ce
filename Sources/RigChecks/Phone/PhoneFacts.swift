public import RigModel
import RigWire

/// What a decoder made of the pictures of a phone's capture; times are ns since 1970 by this machine's clock.
public struct PlayedPictures: Sendable {
  /// The first key frame that was decoded whole, when its last packet came.
  public var firstKey: Int64?
  public var width = 0
  public var height = 0
  /// When the last picture came.
  public var last: Int64?
  /// Pauses between pictures that are as long as the limit or longer.
  public private(set) var pauses: [(from: Int64, until: Int64)] = []
  private static let pauseLimit = 256

  public init() {}

  /// - Parameter limit: the longest pause that is none, ns.
  public mutating func see(_ time: Int64, isKey: Bool, width: Int, height: Int, limit: Int64) {
    if isKey, firstKey == nil {
      firstKey = time
      (self.width, self.height) = (width, height)
    }
    if firstKey != nil, let last, time &- last >= limit, pauses.count < PlayedPictures.pauseLimit {
      pauses.append((last, time))
    }
    last = max(last ?? time, time)
  }

}

/// What a phone's capture says of one session, as the harness's own player and link would have said it.
///
/// Result and pictures carry times by this machine's wall clock, as `PhoneClock.placed` gives them.
public struct PhoneFacts: Sendable {
  private let clock: PhoneClock
  private let result: AnalysisResult
  private let pictures: PlayedPictures
  /// The latest packet of the capture, whatever it was: so far its recorder ran.
  private let reach: Int64
  private let ended: HostTime
  private let keyFrameDue: HostTime
  private let gap: Duration

  /// - Parameters:
  ///   - reach: the time of the capture's last packet, by this machine's clock.
  ///   - ended: when the session ended, or its stop was asked for.
  ///   - keyFrameDue: until when the first key frame may come.
  ///   - gap: the longest time without media.
  public init(
    _ clock: PhoneClock, _ result: AnalysisResult, _ pictures: PlayedPictures, reach: Int64, ended: HostTime,
    keyFrameDue: HostTime, gap: Duration
  ) {
    self.clock = clock
    self.result = result
    self.pictures = pictures
    self.reach = reach
    self.ended = ended
    self.keyFrameDue = keyFrameDue
    self.gap = gap
  }

  /// - Parameter shift: an offset inside the clock's range; `nil`: the likeliest.
  /// - Returns: facts in the order of time, on the harness's clock.
  public func facts(shift: Int64? = nil) -> [Fact] {
    func fact(_ kind: FactKind, _ time: Int64, _ detail: String) -> Fact {
      Fact(kind, by: .phone, at: clock.host(placed: time, shift: shift), detail: detail)
    }
    var list: [Fact] = []
    if let played = result.exchanges.first(where: { $0.method == "PLAY" && 200..<300 ~= ($0.status ?? 0) }) {
      list.append(fact(.mediaOpened, played.time, "PLAY was answered \(played.status ?? 0) (frame \(played.frame))"))
    }
    if let first = result.streams.min(by: { $0.firstTime < $1.firstTime }) {
      list.append(fact(.firstPacket, first.firstTime, "frame \(first.firstFrame)"))
    }
    guard let key = pictures.firstKey else {
      if let failed = failure(fact) { list.append(failed) }
      return list.sorted { $0.time < $1.time }
    }
    list.append(fact(.keyFrame, key, "\(pictures.width)×\(pictures.height)"))
    for pause in pictures.pauses {
      let length = Duration.nanoseconds(pause.until &- pause.from).text
      list.append(fact(.mediaGap, pause.from &+ gap.nanoseconds, gap.text))
      list.append(fact(.mediaResumed, pause.until, length))
    }
    let last = pictures.last ?? key
    let due = min(reach, clock.placed(ended.nanoseconds &+ (shift ?? clock.best)))
    if due &- last >= gap.nanoseconds {
      list.append(fact(.mediaGap, last &+ gap.nanoseconds, gap.text))
      if result.streams.contains(where: { $0.isVideo && ($0.byeLead ?? 0) > 0 }) {
        list.append(fact(.mediaEnded, last, "the source said BYE"))
      }
    }
    return list.sorted { $0.time < $1.time }
  }

  /// What kept the player from any key frame, where that is known; else it simply never came.
  private func failure(_ fact: (FactKind, Int64, String) -> Fact) -> Fact? {
    if clock.openings.allSatisfy(\.isRefused), let last = clock.openings.last {
      return fact(
        .mediaUnreachable, clock.placed(last.time),
        "the phone's connection to \(last.server) was refused (frame \(last.frame))")
    }
    let steps = ["DESCRIBE", "SETUP", "PLAY"]
    let succeeded = Set(result.exchanges.filter { 200..<300 ~= ($0.status ?? 0) && !$0.isCut }.map(\.method))
    let failed = result.exchanges.last { exchange in
      guard steps.contains(exchange.method), !succeeded.contains(exchange.method) else { return false }
      return exchange.status.map { $0 >= 300 || exchange.isCut } ?? (exchange.closedBy == "server")
    }
    guard let failed else { return nil }
    let what =
      failed.status.map { failed.isCut ? "got a part of an answer (\($0))" : "was answered \($0)" }
      ?? "was not answered, the server closed the connection"
    return fact(.mediaFailed, failed.time, "\(failed.method) \(what) (frame \(failed.frame))")
  }

  /// That the phone was on the device's network: the device answered it; `nil`: it never did.
  public var join: Fact? {
    let answered = result.exchanges.first { $0.status != nil || $0.closedBy != nil }
    let refused = clock.openings.first(where: \.isRefused)
    guard let frame = answered?.frame ?? refused?.frame ?? result.streams.first?.firstFrame,
      let time = answered?.time ?? refused.map({ clock.placed($0.time) }) ?? result.streams.first?.firstTime,
      let server = clock.openings.first?.server
    else { return nil }
    return Fact(
      .linkJoined, by: .phone, at: clock.host(placed: time),
      detail: "\(server.address) answered the phone (frame \(frame))",
      data: ["host": .string("\(server.address)")])
  }

  /// Why the capture cannot speak for the whole session; `nil`: it can.
  public var shortfall: String? {
    // A player that took its leave was seen to its end, however late it began. Else, where the clock is not known well,
    // a capture that broke off must not seem whole.
    let isWhole = result.exchanges.contains { $0.method == "TEARDOWN" }
    let end = clock.host(placed: reach, shift: isWhole ? clock.offset.lowerBound : clock.offset.upperBound)
    if pictures.firstKey == nil {
      guard failure({ Fact($0, by: .phone, at: clock.host(placed: $1), detail: $2) }) == nil else { return nil }
      // What broke off before a key frame was due does not say that none came.
      let due = min(keyFrameDue, ended)
      guard end < due else { return nil }
      return
        "it ends \((due - end).text) before the first key frame was due; expected packets up to then"
    }
    let missing = ended - end
    guard missing > gap else { return nil }
    return "it ends \(missing.text) before the session did; expected packets up to the stop"
  }
}
