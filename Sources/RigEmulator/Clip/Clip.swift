/// Coded media that an emulated device plays again and again: at most one H.264 and one AAC track.
///
/// The file format (`streamrig-clip/1`) holds what a packetizer needs and nothing else, so that no demuxer is linked.
public struct Clip: Sendable {
  /// The bytes that `ClipTrack.Unit.bytes` points into.
  public let data: [UInt8]
  public let video: ClipTrack?
  public let audio: ClipTrack?

  init(data: [UInt8], video: ClipTrack?, audio: ClipTrack?) {
    self.data = data
    self.video = video
    self.audio = audio
  }

  /// Video first.
  public var tracks: [ClipTrack] { [video, audio].compactMap { $0 } }

  /// The coded bytes of a unit: NAL units with 4-byte lengths, or a raw AAC frame.
  public func bytes(of unit: ClipTrack.Unit) -> ArraySlice<UInt8> { data[unit.bytes] }

  /// The NAL units of a video access unit, without their lengths.
  public func nalUnits(of unit: ClipTrack.Unit) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var place = unit.bytes.lowerBound
    while let nal = Clip.nalUnit(in: data, at: place, end: unit.bytes.upperBound) {
      found.append(data[nal])
      place = nal.upperBound
    }
    return found
  }

  /// The range of the NAL unit whose 4-byte length stands at `place`; `nil` where none fits before `end`.
  static func nalUnit(in data: [UInt8], at place: Int, end: Int) -> Range<Int>? {
    guard end - place > 4 else { return nil }
    let length = data[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard length > 0, length <= end - place - 4 else { return nil }
    return (place + 4)..<(place + 4 + length)
  }
}
