/// A clip cut into RTP payloads once, for all sessions that play it.
struct PreparedClip: Sendable {
  struct Track: Sendable {
    let clip: ClipTrack
    /// The media section's place in the SDP, and the number in its control URL.
    let index: Int
    let payloadType: UInt8
    /// By unit, then by packet.
    let payloads: [[[UInt8]]]
    var control: String { "trackID=\(index)" }
  }

  let tracks: [Track]
  /// Whether SDP and stream carry parameter sets.
  let hasParameterSets: Bool
  /// Whether fragmentation units hold start codes (a fault).
  let hasStartCodes: Bool

  init(_ clip: Clip, payloadLimit: Int, faults: RTSPFaults = []) {
    let hasSets = !faults.contains(.noParameterSets)
    let startCodes = faults.contains(.annexBInFU)
    func isParameterSet(_ nal: [UInt8]) -> Bool { nal[0] & 31 == 7 || nal[0] & 31 == 8 }
    // RTP over UDP ends at 65,507 bytes; this is far beyond any path's MTU already.
    let limit = faults.contains(.oversize) ? 9000 : payloadLimit
    hasParameterSets = hasSets
    hasStartCodes = startCodes
    tracks = clip.tracks.enumerated().map { index, track in
      Track(
        clip: track, index: index, payloadType: UInt8(96 + index),
        payloads: track.units.map { unit in
          switch track.coding {
          case .h264(let h264):
            let nals = clip.nalUnits(of: unit).map { Array($0) }.filter { hasSets || !isParameterSet($0) }
            // In front of each key frame, so that a player that joins late, or ignores the SDP, can decode.
            let isBare = unit.isKey && hasSets && !nals.contains(where: isParameterSet)
            let sets = isBare ? h264.sequenceParameterSets + h264.pictureParameterSets : []
            return PreparedClip.payloads(sets + nals, limit: limit, startCodes: startCodes)
          case .aac:
            return PreparedClip.payloads(frame: Array(clip.bytes(of: unit)), limit: limit)
          }
        })
    }
  }
}
