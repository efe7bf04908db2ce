import RigEmulator

enum ClipTarget {
  /// A clip file. Its units lie inside of it and follow each other, also where the clip begins anew.
  static func check(_ input: UnsafeRawBufferPointer) throws {
    guard let clip = try? Clip(parsing: [UInt8](input)) else { return }
    for track in clip.tracks {
      try require(!track.units.isEmpty && track.loopLength > 0, "a track that cannot be played")
      for unit in track.units {
        try require(unit.duration > 0 && unit.decode < track.loopLength, "\(unit)")
        try require(!clip.bytes(of: unit).isEmpty, "an empty unit")
        guard track.isVideo else { continue }
        let nals = clip.nalUnits(of: unit)
        try require(nals.reduce(0) { $0 + $1.count + 4 } == unit.bytes.count, "NAL units do not fill \(unit)")
      }
      for start in [0, track.loopLength / 2, track.loopLength &* 3 &- 1] {
        var cursor = ClipCursor(track, from: start)
        var last = cursor.decode
        for _ in 0..<min(64, track.units.count * 2 + 1) {
          cursor.advance()
          try require(cursor.decode > last, "unit at \(cursor.decode) after \(last)")
          last = cursor.decode
          _ = track.ticks(nanoseconds: cursor.due)
        }
      }
    }
  }
}
