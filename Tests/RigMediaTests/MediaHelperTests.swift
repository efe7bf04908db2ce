import Foundation
import RigModel
import Testing

@Suite("streamrig-media", .timeLimit(.minutes(2)))
struct MediaHelperTests {
  @Test("a clip has the GOP, the size and the bit rate asked for, and every counter reads back")
  func encodeAndCheck() throws {
    try MediaHelperProcess.withDirectory { directory in
      let file = directory.appendingPathComponent("a.clip")
      let encoded = try MediaHelperProcess.run([
        "encode", "--out", file.path, "--width", "320", "--height", "240", "--fps", "15", "--gop", "10", "--bitrate",
        "400000", "--seconds", "3",
      ])
      #expect(encoded.status == 0, "\(encoded.output)\(encoded.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.clip"])

      let clip = try MediaHelperClip(file)
      #expect(clip.pictures.count == 50, "whole GOPs, at least three seconds")
      #expect(clip.keys == [0, 10, 20, 30, 40])
      let rate = clip.videoBytes * 8 * 15 / 50
      #expect((360_000...440_000).contains(rate))

      let checked = try MediaHelperProcess.run(["check", file.path])
      #expect(checked.status == 0, "\(checked.output)")
      let summary = try #require(checked.summary)
      #expect(summary["frames"] == 50)
      #expect(summary["key-frames"] == 5)
      #expect(summary["gop-lengths"] == [["length": 10, "count": 4]])
      #expect(summary["unreadable-counters"] == 0)
      #expect(summary["lost-counters"] == 0)
      #expect(summary["black-frames"] == 0)
      #expect(summary["fps"]?.double == 15)
    }
  }

  @Test("with audio both tracks are equally long, and the same seed gives the same bytes")
  func encodeAudio() throws {
    try MediaHelperProcess.withDirectory { directory in
      let files = ["a.clip", "b.clip"].map { directory.appendingPathComponent($0) }
      for file in files {
        let encoded = try MediaHelperProcess.run([
          "encode", "--out", file.path, "--width", "160", "--height", "120", "--fps", "15", "--gop", "8", "--bitrate",
          "150000", "--seconds", "1", "--audio", "--seed", "5",
        ])
        #expect(encoded.status == 0, "\(encoded.output)")
      }
      #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]))
      let clip = try MediaHelperClip(files[0])
      #expect(clip.pictures.count * 48_000 == clip.audioUnits * 1024 * 15)
      #expect(clip.header["audio"]?["config"]?.string == "1188", "AAC-LC, 48 kHz, mono")
      let checked = try MediaHelperProcess.run(["check", files[0].path])
      #expect(checked.status == 0, "\(checked.output)")
    }
  }

  @Test("a larger quality factor never takes more bytes")
  func quality() throws {
    try MediaHelperProcess.withDirectory { directory in
      let sizes = try ["0", "15", "35"].map { quality in
        let file = directory.appendingPathComponent(quality)
        _ = try MediaHelperProcess.run([
          "encode", "--out", file.path, "--width", "160", "--height", "120", "--seconds", "1", "--quality", quality,
        ])
        return try MediaHelperClip(file).videoBytes
      }
      #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == 3)
    }
  }

  @Test(
    "wrong usage ends with status 2, a message, and nothing on standard output",
    arguments: [
      [], ["no-such-command"], ["probe", "rtsp://h/x"], ["encode"], ["encode", "--out"],
      ["encode", "--out", "x", "--gop"],
      ["encode", "--out", "x", "--width", "321"], ["encode", "--out", "x", "--width", "9"],
      ["encode", "--out", "x", "--fps", "-1"], ["encode", "--out", "x", "--gop", "997", "--fps", "24", "--audio"],
      ["encode", "--out", "x", "--seed", "1", "--seed", "2"], ["check"], ["check", "a", "b"],
    ])
  func badUsage(arguments: [String]) throws {
    let outcome = try MediaHelperProcess.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("usage:"))
  }

  @Test("help and version answer", arguments: ["--help", "--version"])
  func help(option: String) throws {
    let outcome = try MediaHelperProcess.run([option])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("streamrig-media"))
  }

  @Test("a clip file that is broken is refused at the byte that is wrong")
  func brokenClip() throws {
    try MediaHelperProcess.withDirectory { directory in
      let file = directory.appendingPathComponent("a.clip")
      _ = try MediaHelperProcess.run([
        "encode", "--out", file.path, "--width", "160", "--height", "120", "--seconds", "1", "--bitrate", "100000",
      ])
      let whole = try Data(contentsOf: file)
      var wrongTrack = whole
      let units = try #require(whole.dropFirst(17).firstIndex(of: 0x0A)) + 1
      wrongTrack[units] = 9
      for broken in [Data(), Data("streamrig-clip/1\n".utf8), whole.dropLast(1), whole + [0], wrongTrack] {
        try broken.write(to: file)
        let outcome = try MediaHelperProcess.run(["check", file.path])
        #expect(outcome.status == 1)
        #expect(outcome.lines("failed").first?["message"]?.string?.contains("at byte") == true, "\(outcome.output)")
      }
      #expect(try MediaHelperProcess.run(["check", directory.path]).status == 1)
    }
  }
}
