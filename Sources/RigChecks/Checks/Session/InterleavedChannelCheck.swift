public import RigModel
import RigWire

/// `transport.interleaved.any`
///
/// The server may choose any channels, and a player must follow. Frames on others are `framing.channel.assigned`.
public struct InterleavedChannelCheck: WireCheck {
  public static let info = CheckInfo(
    id: "transport.interleaved.any",
    rule: "SETUP over TCP is answered with channels, at most 255 and free; that they are those asked for is usual.",
    reference: "RFC 2326 10.12, 12.39", severity: .error)
  public static let interest = WireInterest([.tracks])

  private struct Channel: Hashable, Sendable {
    var connection: Int
    var number: UInt16
  }
  /// Which track a channel belongs to.
  private var taken: [Channel: Int] = [:]

  public init(_ context: AnalysisContext) {}

  public mutating func see(_ event: WireEvent, in world: borrowing WireWorld, log: inout FindingLog) {
    guard case .track(let index, let response) = event, world.tracks[index].isInterleaved,
      let value = response.message.headers["Transport"]
    else { return }
    let track = world.tracks[index]
    let place = response.place.evidence(
      sequence: response.message.cseq.map { Int64($0) }, excerpt: value)
    guard let given = track.header.interleaved else {
      log.note(
        Self.info, "none", subject: index, at: place, severity: .warning,
        message: "SETUP over TCP is answered without interleaved=: the channels asked for are taken")
      return
    }
    let numbers = [given.first, given.second ?? given.first &+ 1]
    if numbers.contains(where: { $0 > 255 }) {
      log.note(
        Self.info, "range", subject: index, at: place, message: "interleaved=\(given), and a channel is one byte")
    }
    for number in numbers {
      let channel = Channel(connection: track.connection, number: number)
      if let other = taken[channel], world.tracks[other].url != track.url,
        track.session < 0 || !world.sessions[world.tracks[other].session].isOver
      {
        log.note(
          Self.info, "clash", subject: index, at: place,
          message: "channel \(number) is given to \(track.url) and to \(world.tracks[other].url)")
      }
      if taken.count < 65_536 { taken[channel] = index }
    }
    let asked = response.request?.message.headers["Transport"].map { TransportHeader.parse($0) } ?? []
    if asked.contains(where: { $0.interleaved != nil }),
      !asked.contains(where: { $0.interleaved?.first == given.first })
    {
      log.note(
        Self.info, "other", subject: index, at: place, severity: .policy,
        message: "interleaved=\(given) is given, and other channels were asked for: a player must follow")
    }
  }
}
