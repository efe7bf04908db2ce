import RigModel

extension Clip {
  /// The first line of a clip file.
  public static let magic = "streamrig-clip/1"
  private static let unitHead = 16

  /// Reads a clip file.
  ///
  /// Layout: the magic line; one JSON line with the members `video` and `audio`, each an object or null; then units
  /// `[u8 track: 0 video, 1 audio][u8 flags, bit 0 key][u16 0][u32 size][u64 pts][bytes]` in network byte order. Time
  /// stamps count 1/90000 s for video and samples for audio.
  /// - Throws: `ClipError` with the offset of what is wrong.
  public init(parsing file: [UInt8]) throws(ClipError) {
    let magicLine = try Clip.line(in: file, from: 0, limit: 64)
    guard file[magicLine].elementsEqual(Clip.magic.utf8) else {
      throw ClipError(offset: 0, problem: "the file does not begin with \(Clip.magic)")
    }
    let headerLine = try Clip.line(in: file, from: magicLine.upperBound + 1, limit: 1 << 20)
    let offset = headerLine.lowerBound
    let header: JSONValue
    do {
      header = try JSONParser.parse(file[headerLine])
    } catch {
      throw ClipError(offset: offset + error.offset, problem: error.problem)
    }
    func member(_ key: String) -> JSONValue? { header[key].flatMap { $0.isNull ? nil : $0 } }
    var entries: [ClipHeaderEntry?] = [nil, nil]
    if let video = member("video") { entries[0] = try ClipHeaderEntry(video: video, at: offset) }
    if let audio = member("audio") { entries[1] = try ClipHeaderEntry(audio: audio, at: offset) }
    guard entries.contains(where: { $0 != nil }) else {
      throw ClipError(offset: offset, problem: "neither video nor audio")
    }
    let units = try Clip.units(in: file, from: headerLine.upperBound + 1, entries)
    var tracks: [ClipTrack?] = []
    for (entry, units) in zip(entries, units) {
      if let entry { tracks.append(try ClipTrack(entry, units: units, at: offset)) } else { tracks.append(nil) }
    }
    self.init(data: file, video: tracks[0], audio: tracks[1])
  }

  /// The bytes from `start` to before the next LF.
  private static func line(in file: [UInt8], from start: Int, limit: Int) throws(ClipError) -> Range<Int> {
    guard start < file.count else { throw ClipError(offset: file.count, problem: "the file ends in its header") }
    guard let end = file[start..<min(file.count, start + limit)].firstIndex(of: 0x0A) else {
      throw ClipError(offset: start, problem: "no line end within \(limit) bytes")
    }
    return start..<end
  }

  private static func units(
    in file: [UInt8], from start: Int, _ entries: [ClipHeaderEntry?]
  ) throws(ClipError) -> [[ClipTrack.Unit]] {
    var units = [[ClipTrack.Unit]](repeating: [], count: entries.count)
    var place = start
    while place < file.count {
      let left = file.count - place - unitHead
      guard left >= 0 else { throw ClipError(offset: place, problem: "the file ends in a unit's head") }
      let track = Int(file[place])
      guard track < entries.count, entries[track] != nil else {
        throw ClipError(offset: place, problem: "a unit of track \(track), which the header does not describe")
      }
      let size = file[(place + 4)..<(place + 8)].reduce(0) { $0 << 8 | Int($1) }
      let time = file[(place + 8)..<(place + 16)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard time < 1 << 48 else { throw ClipError(offset: place + 8, problem: "time stamp \(time) is out of range") }
      guard size > 0, size <= left else {
        throw ClipError(offset: place + 4, problem: "a unit of \(size) bytes where \(left) are left")
      }
      let bytes = (place + unitHead)..<(place + unitHead + size)
      if track == 0 {
        try checkLengths(in: file, bytes)
      } else if size > maximumAudioFrame {
        throw ClipError(offset: place + 4, problem: "an audio frame of more than \(maximumAudioFrame) bytes")
      }
      units[track].append(
        ClipTrack.Unit(
          presentation: Int64(time), decode: 0, duration: 0, isKey: track == 1 || file[place + 1] & 1 == 1,
          bytes: bytes))
      place = bytes.upperBound
    }
    return units
  }

  /// What the 13 bits of AU-size can tell (RFC 3640 3.3.6).
  private static let maximumAudioFrame = 8191

  private static func checkLengths(in file: [UInt8], _ bytes: Range<Int>) throws(ClipError) {
    var place = bytes.lowerBound
    while place < bytes.upperBound {
      guard let nal = nalUnit(in: file, at: place, end: bytes.upperBound) else {
        throw ClipError(offset: place, problem: "a NAL unit's length does not fit its access unit")
      }
      place = nal.upperBound
    }
  }
}

extension ClipTrack {
  /// Orders times and closes the loop.
  init(_ entry: ClipHeaderEntry, units: [Unit], at offset: Int) throws(ClipError) {
    guard units.count == entry.frames else {
      throw ClipError(offset: offset, problem: "\(units.count) units of a track where \(entry.frames) are announced")
    }
    guard units.contains(where: \.isKey) else {
      throw ClipError(offset: offset, problem: "a track without a key frame")
    }
    let sorted = units.map(\.presentation).sorted()
    for (early, late) in zip(sorted, sorted.dropFirst()) where early == late {
      throw ClipError(offset: offset, problem: "two units of one track share time stamp \(early)")
    }
    let first = sorted[0]
    let span = sorted[sorted.count - 1] - first
    let length = max(span + 1, entry.loopLength)
    guard length >= entry.clockRate / 50 else {
      throw ClipError(offset: offset, problem: "a track shorter than 20 ms cannot be repeated")
    }
    var placed = units
    for index in units.indices {
      let decode = sorted[index] - first
      placed[index].presentation -= first
      placed[index].decode = decode
      placed[index].duration = (index + 1 < sorted.count ? sorted[index + 1] - first : length) - decode
    }
    self.init(coding: entry.coding, clockRate: entry.clockRate, units: placed, loopLength: length)
  }
}
