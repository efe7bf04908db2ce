import RigEmulator
import Testing

@Suite struct ClipTests {
  @Test func readsTracksUnitsAndTheirBytes() throws {
    let file = ClipFile()
    let clip = try file.parsed()
    let video = try #require(clip.video)
    let audio = try #require(clip.audio)
    #expect(video.units.count == 10 && audio.units.count == 10)
    #expect(video.loopLength == 18_000 && audio.loopLength == 10_240)
    #expect(video.units.map(\.isKey) == (0..<10).map { $0 % 5 == 0 })
    #expect(video.units.allSatisfy { $0.duration == 1800 })
    #expect(audio.units.map(\.presentation) == (0..<10).map { $0 * 1024 })
    for (frame, unit) in video.units.enumerated() {
      #expect(clip.nalUnits(of: unit).map { Array($0) } == file.nalUnits(frame))
    }
    #expect(Array(clip.bytes(of: audio.units[3])) == file.audio(3))
    guard case .h264(let h264) = video.coding, case .aac(let aac) = audio.coding else {
      Issue.record("the codings are not H.264 and AAC")
      return
    }
    #expect(h264.sequenceParameterSets == [ClipFile.sps] && h264.pictureParameterSets == [ClipFile.pps])
    #expect(aac.config == [0x11, 0x88] && aac.sampleRate == 48_000)
  }

  @Test func timesCountOnAcrossTheLoop() throws {
    let video = try #require(try ClipFile().parsed().video)
    var cursor = ClipCursor(video)
    var times: [Int64] = []
    for _ in 0..<25 {
      times.append(cursor.presentation)
      cursor.advance()
    }
    #expect(times == (0..<25).map { $0 * 1800 })
    #expect(cursor.loop == 2 && cursor.index == 5)
  }

  @Test(
    arguments: [(0, 0), (1, 9000), (9000, 9000), (9001, 18_000), (17_000, 18_000), (40_000, 45_000)] as [(Int64, Int64)]
  )
  func aCursorStartsAtTheNextKeyFrame(from: Int64, at: Int64) throws {
    let video = try #require(try ClipFile().parsed().video)
    #expect(ClipCursor(video, from: from).decode == at)
  }

  /// I0 P2 B1 P4 B3: shown out of order, sent evenly.
  @Test func reorderedPicturesAreSentAtAnEvenPace() throws {
    let video = try #require(try ClipFile(frames: 5, audioFrames: 0, order: [0, 2, 1, 4, 3]).parsed().video)
    #expect(video.units.map(\.presentation) == [0, 3600, 1800, 7200, 5400])
    #expect(video.units.map(\.decode) == [0, 1800, 3600, 5400, 7200])
  }

  @Test func nanosecondsDoNotOverflow() throws {
    let video = try #require(try ClipFile().parsed().video)
    #expect(video.nanoseconds(90_000 * 86_400 * 365) == 31_536_000_000_000_000)
    #expect(video.nanoseconds(1800) == 20_000_000)
    #expect(video.ticks(nanoseconds: 20_000_000) == 1800)
  }

  /// Wherever the file is cut, it is refused, and never traps.
  @Test func everyTruncationIsRefused() {
    let bytes = ClipFile(frames: 5, audioFrames: 2, keySize: 60).bytes
    for count in 0..<bytes.count {
      #expect(throws: ClipError.self) { try Clip(parsing: Array(bytes[..<count])) }
    }
  }

  @Test func errorsTellTheOffset() throws {
    let file = ClipFile(frames: 5, audioFrames: 0, keySize: 60)
    let start = Clip.magic.utf8.count + 1 + file.header.utf8.count
    func problem(_ change: (inout [UInt8]) -> Void) -> ClipError? {
      var bytes = file.bytes
      change(&bytes)
      do {
        _ = try Clip(parsing: bytes)
        return nil
      } catch { return error }
    }
    #expect(problem { $0[0] = 0x20 }?.offset == 0)
    #expect(problem { $0[17] = 0x5B }?.problem.isEmpty == false)
    #expect(problem { $0[start] = 1 }?.offset == start)
    #expect(problem { $0[start] = 9 }?.offset == start)
    #expect(problem { $0[start + 4] = 0xFF }?.offset == start + 4)
    #expect(problem { $0[start + 8] = 0xFF }?.offset == start + 8)
    // The first NAL unit's length.
    #expect(problem { $0[start + 16] = 0xFF }?.offset == start + 16)
    #expect(problem { $0[start + 1] = 0 }?.problem == "a track without a key frame")
    #expect(problem { $0[start + 15] = 8 } == nil)
  }

  @Test func hostileHeadersAreRefused() {
    for (from, to) in [
      (#""fps":50"#, #""fps":0"#), (#""fps":50"#, #""fps":1e99"#), (#""frames":5,"#, #""frames":6,"#),
      (#""codec":"h264""#, #""codec":"vp8""#), (#""width":640"#, #""width":-1"#), (#""sps":"Z"#, #""sps":"A"#),
    ] {
      let file = ClipFile(frames: 5, audioFrames: 0, keySize: 60)
      let header = file.header
      guard let range = header.range(of: from) else {
        Issue.record("\(from) is not in the header")
        continue
      }
      let changed = header.replacingCharacters(in: range, with: to)
      let units = file.bytes.dropFirst(Clip.magic.utf8.count + 1 + header.utf8.count)
      #expect(throws: ClipError.self, "\(to)") {
        try Clip(parsing: Array((Clip.magic + "\n" + changed).utf8) + units)
      }
    }
  }
}

extension String {
  fileprivate func range(of text: String) -> Range<String.Index>? {
    let found = ranges(of: text)
    return found.first
  }
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
