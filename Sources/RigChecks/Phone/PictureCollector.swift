import RigBytes
import RigWire

/// Puts coded pictures together from the RTP packets of a session's video (RFC 6184 5, modes 0 and 1; RFC 7798 4.4).
///
/// A NAL unit of which a packet is missing is left out, as a receiver would; a packet that came twice, or too late, is
/// not taken. Memory is bounded: one picture, and what was not yet drained.
struct PictureCollector: Sendable {
  private static let pictureLimit = 8 << 20
  private static let startCode: [UInt8] = [0, 0, 0, 1]

  private var stream = -1
  private var track = -1
  private var codec = CodedPicture.Codec.h264
  private var timestamp: UInt32 = 0
  private var place = WirePlace(frame: 0, time: 0)
  private var bytes: [UInt8] = []
  /// The NAL unit whose fragments are coming; empty: none.
  private var unit: [UInt8] = []
  private var ready: [CodedPicture] = []

  mutating func take(_ event: RTPEvent, _ payload: RawSpan, _ world: borrowing WireWorld) {
    guard !event.notes.contains(.duplicate), !event.notes.contains(.reordered), event.stream >= 0 else { return }
    if event.stream != stream {
      guard let codec = world.streams[event.stream].codec, codec.isVideo, mayFollow(event.track, world) else { return }
      end()
      track = event.track
      stream = event.stream
      self.codec = codec == .h265 ? .h265 : .h264
      timestamp = event.timestamp
      if event.track >= 0 { addParameterSets(world.tracks[event.track]) }
    }
    if event.timestamp != timestamp { end() }
    timestamp = event.timestamp
    place = event.place
    if event.missing > 0, event.notes.contains(.gap) { unit = [] }
    switch codec {
    case .h264: takeH264(payload)
    case .h265: takeH265(payload)
    }
    if event.marker { end() }
  }

  /// A second video beside the first is not played. The same under another source is, and one of another session.
  private func mayFollow(_ other: Int, _ world: borrowing WireWorld) -> Bool {
    guard stream >= 0, track >= 0, other >= 0, other != track else { return true }
    return world.tracks[track].session != world.tracks[other].session
  }

  /// The pictures since the last call.
  mutating func drain() -> [CodedPicture] {
    defer { ready = [] }
    return ready
  }

  private mutating func end() {
    unit = []
    if !bytes.isEmpty {
      ready.append(CodedPicture(codec: codec, time: place.time, frame: place.frame, bytes: bytes))
    }
    bytes = []
  }

  private mutating func add(_ nal: RawSpan) {
    guard nal.byteCount > 0, bytes.count + nal.byteCount <= Self.pictureLimit else { return }
    bytes += Self.startCode
    nal.withUnsafeBytes { bytes += $0 }
  }

  private mutating func add(_ nal: [UInt8]) {
    if !nal.isEmpty { add(nal.span.bytes) }
  }

  private mutating func addParameterSets(_ track: MediaTrack) {
    guard let media = track.media else { return }
    for type in media.payloadTypes {
      guard let format = media.fmtp(type) else { continue }
      switch codec {
      case .h264:
        let sets = H264FormatParameters(format)
        for set in sets.sequenceParameterSets + sets.pictureParameterSets { add(set) }
      case .h265:
        let sets = H265FormatParameters(format)
        for set in (sets.videoParameterSets ?? []) + (sets.sequenceParameterSets ?? [])
          + (sets.pictureParameterSets ?? [])
        {
          add(set)
        }
      }
    }
  }

  private mutating func takeH264(_ payload: RawSpan) {
    guard let first = payload.u8(at: 0) else { return }
    switch first & 31 {
    case 1...23: add(payload)
    case 24: takeAggregate(payload, from: 1)
    case 28:
      guard let header = payload.u8(at: 1), payload.byteCount > 2 else { return }
      takeFragment(payload, from: 2, header: header, nal: [first & 0xE0 | header & 31])
    default: break
    }
  }

  private mutating func takeH265(_ payload: RawSpan) {
    guard let first = payload.u8(at: 0), let second = payload.u8(at: 1), payload.byteCount > 2 else { return }
    switch first >> 1 & 63 {
    case 0...47: add(payload)
    case 48: takeAggregate(payload, from: 2)
    case 49:
      guard let header = payload.u8(at: 2), payload.byteCount > 3 else { return }
      takeFragment(payload, from: 3, header: header, nal: [first & 0x81 | (header & 63) << 1, second])
    default: break
    }
  }

  private mutating func takeAggregate(_ payload: RawSpan, from start: Int) {
    var reader = ByteReader(payload)
    guard reader.skip(start) else { return }
    while !reader.isAtEnd, let size = reader.u16(), let nal = reader.take(Int(size)) { add(nal) }
  }

  private mutating func takeFragment(_ payload: RawSpan, from start: Int, header: UInt8, nal: [UInt8]) {
    if header & 0x80 != 0 { unit = nal }
    // Without its beginning a unit is worth nothing.
    guard !unit.isEmpty, unit.count + payload.byteCount <= Self.pictureLimit else {
      unit = []
      return
    }
    payload.extracting(start..<payload.byteCount).withUnsafeBytes { unit += $0 }
    if header & 0x40 != 0 {
      add(unit)
      unit = []
    }
  }
}
