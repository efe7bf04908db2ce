import RigBytes
import RigWire

extension CaptureAnalyzer {
  /// Takes the RTCP packets of a datagram or interleaved frame.
  mutating func seeRTCP(_ route: Int, _ bytes: RawSpan, _ range: Range<Int>, _ place: WirePlace) {
    let compound = RTCPCompound(parsing: bytes.extracting(range))
    let track = routes[route].track
    let fromSender = routes[route].role != .receiver
    if fromSender, track >= 0 {
      for packet in compound.packets {
        switch packet {
        case .senderReport(let report):
          world.tracks[track].senderReports += 1
          note(report, on: world.tracks[track].streams, place)
        case .bye: world.tracks[track].sourceBye = bye(route, place)
        default: break
        }
      }
    }
    // A flow that only looks like RTCP is not judged before something is known of it.
    guard track >= 0 || (routes[route].channel != nil && compound.problems.isEmpty) else { return }
    emit(
      .rtcp(
        RTCPEvent(place: place, track: track, compound: compound, fromSender: fromSender, length: range.count)))
  }

  private func bye(_ route: Int, _ place: WirePlace) -> SourceBye {
    let index = routes[route].connection
    guard connections.indices.contains(index), routes[route].channel != nil else { return SourceBye(place: place) }
    let other = routes[route].flow == connections[index].key ? 1 : 0
    return SourceBye(
      place: place, connection: index, acknowledged: connections[index].sides[other].stream.acknowledged)
  }

  private mutating func note(_ report: RTCPPacket.SenderReport, on streams: [Int], _ place: WirePlace) {
    guard let stream = streams.last(where: { world.streams[$0].ssrc == report.ssrc }) else { return }
    world.streams[stream].senderReports += 1
    world.streams[stream].reports.see(report, arrival: place.time)
  }
}
