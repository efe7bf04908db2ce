/// A place in a track that repeats without end: times go on counting where the clip begins anew.
///
/// Each track repeats after its own length, without a gap. Tracks of unlike length drift apart in what they show,
/// never in their time stamps.
public struct ClipCursor: Sendable {
  private let track: ClipTrack
  public private(set) var index: Int
  public private(set) var loop: Int64 = 0

  /// Starts at the first key unit that is due at or after `start` ticks; the loop goes round if need be.
  public init(_ track: ClipTrack, from start: Int64 = 0) {
    self.track = track
    index = 0
    guard start > 0 else {
      seekKey()
      return
    }
    loop = start / track.loopLength
    let within = start % track.loopLength
    index = track.units.firstIndex { $0.decode >= within } ?? track.units.count
    wrap()
    seekKey()
  }

  public var unit: ClipTrack.Unit { track.units[index] }
  /// Ticks since the clip first began.
  public var presentation: Int64 { unit.presentation &+ loop &* track.loopLength }
  /// Ticks since the clip first began.
  public var decode: Int64 { unit.decode &+ loop &* track.loopLength }
  /// Nanoseconds of media time at which the unit is to be sent.
  public var due: Int64 { track.nanoseconds(decode) }

  public mutating func advance() {
    index += 1
    wrap()
  }

  private mutating func wrap() {
    guard index >= track.units.count else { return }
    index = 0
    loop += 1
  }

  private mutating func seekKey() {
    for _ in 0..<track.units.count where !unit.isKey { advance() }
  }
}
