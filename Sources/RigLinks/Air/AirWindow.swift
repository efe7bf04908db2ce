public import RigModel

/// A scheduled effect, and the frames that passed while it was in force.
public struct AirWindow: Hashable, Sendable {
  public let entry: AirSchedule.Entry
  /// When it really began and ended; `nil`: not yet.
  public private(set) var began: HostTime?
  public private(set) var ended: HostTime?
  /// What happened in its time.
  public private(set) var down = AirCounters()
  public private(set) var up = AirCounters()
  private var atStart: (down: AirCounters, up: AirCounters)?

  init(_ entry: AirSchedule.Entry) { self.entry = entry }

  public static func == (a: AirWindow, b: AirWindow) -> Bool {
    a.entry == b.entry && a.began == b.began && a.ended == b.ended && a.down == b.down && a.up == b.up
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(entry)
    hasher.combine(began)
    hasher.combine(ended)
  }

  /// Called whenever the schedule is looked at.
  mutating func note(_ down: AirCounters, _ up: AirCounters, at now: HostTime) {
    if began == nil, now >= entry.from {
      began = now
      atStart = (down, up)
    }
    guard ended == nil, let until = entry.until, now >= until else { return }
    self = seen(down, up, at: now)
    ended = now
  }

  /// With the counters as they stand.
  func seen(_ down: AirCounters, _ up: AirCounters, at now: HostTime) -> AirWindow {
    guard let atStart, ended == nil else { return self }
    var window = self
    window.down = down.since(atStart.down)
    window.up = up.since(atStart.up)
    return window
  }

  /// True when frames were treated as the effect says. A lost carrier may meet no frame at all: its witness is
  /// `NamespaceLink.onLost`.
  public var hasActed: Bool { began != nil && (touched.map { $0 > 0 } ?? true) }

  /// Frames that were treated as the effect says; `nil` where frames are not what proves it.
  public var touched: Int? { count.map { path in sum { $0[keyPath: path] } } }

  /// `loss 20 %: 25 of 50 frames down`, for notes and messages.
  public var summary: String {
    let ways = AirDirection.allCases.filter(entry.directions.contains).map(\.rawValue).joined(separator: " and ")
    guard began != nil else { return "\(entry.effect) \(ways): not begun" }
    guard let touched else { return "\(entry.effect): \(ended == nil ? "in force" : "over")" }
    return "\(entry.effect): \(touched) of \(sum(\.seen)) frames \(ways)"
  }

  private var count: KeyPath<AirCounters, Int>? {
    switch entry.effect {
    case .loss: \.lost
    case .delay, .jitter, .rate: \.delayed
    case .reorder: \.reordered
    case .duplicate: \.duplicated
    case .corrupt: \.corrupted
    case .blackout: \.blackedOut
    case .noCarrier: nil
    }
  }

  private func sum(_ part: (AirCounters) -> Int) -> Int {
    (entry.directions.contains(.down) ? part(down) : 0) + (entry.directions.contains(.up) ? part(up) : 0)
  }
}
