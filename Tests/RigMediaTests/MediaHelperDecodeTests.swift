import Foundation
import RigModel
import Testing

@Suite("streamrig-media decode", .timeLimit(.minutes(2)))
struct MediaHelperDecodeTests {
  private static let origin: Int64 = 1_796_000_000_000_000_000
  private static let end = [UInt8](repeating: 0, count: 12)

  private func record(_ bytes: [UInt8], _ time: Int64) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bytes.count >> $0) }
      + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) } + bytes
  }

  /// A second of video, a picture each 66.667 ms, the parameter sets before the first.
  private func records() throws -> [[UInt8]] {
    try MediaHelperProcess.withDirectory { directory in
      let file = directory.appendingPathComponent("a.clip")
      let encoded = try MediaHelperProcess.run([
        "encode", "--out", file.path, "--width", "160", "--height", "120", "--fps", "15", "--gop", "5", "--bitrate",
        "100000", "--seconds", "1",
      ])
      #expect(encoded.status == 0, "\(encoded.errors)")
      let clip = try MediaHelperClip(file)
      let sets = clip.parameterSets.split(separator: ",").compactMap { Data(base64Encoded: String($0)) }
      #expect(sets.count == 2)
      return clip.pictures.enumerated().map { i, picture in
        let head = i == 0 ? sets.flatMap { [0, 0, 0, 1] + $0 } : []
        return record(
          head + [0, 0, 0, 1] + picture, MediaHelperDecodeTests.origin + Int64(i) * 66_667_000)
      }
    }
  }

  @Test("each picture comes out with the time that it was given")
  func picturesKeepTheirTimes() throws {
    let records = try records()
    let decoded = try MediaHelperProcess.run(
      ["decode", "--codec", "h264"], bytes: records.flatMap { $0 } + MediaHelperDecodeTests.end)
    #expect(decoded.status == 0, "\(decoded.errors)")
    #expect(decoded.summary?["frames"]?.integer == Int64(records.count))
    #expect(decoded.summary?["key-frames"] == 3 && decoded.summary?["decode-errors"] == 0)
    let times = decoded.lines("frame").compactMap { $0["at"]?.string.flatMap { Int64($0) } }
    #expect(times == records.indices.map { MediaHelperDecodeTests.origin + Int64($0) * 66_667_000 })
    #expect(decoded.lines("key-frame").map { $0["at"]?.string } == ["\(MediaHelperDecodeTests.origin)"])
    #expect(decoded.lines("key-frame").first?["width"] == 160)
  }

  @Test("without a key frame none is reported")
  func noKeyFrame() throws {
    let records = try records()[1..<5]
    let decoded = try MediaHelperProcess.run(
      ["decode", "--codec", "h264"], bytes: records.flatMap { $0 } + MediaHelperDecodeTests.end)
    #expect(decoded.lines("key-frame").isEmpty)
    #expect(decoded.summary?["key-frames"] == 0)
  }

  @Test("input that breaks off, or that is none, fails the command and not the helper")
  func brokenInput() throws {
    let records = try records()
    let cut = try MediaHelperProcess.run(["decode", "--codec", "h264"], bytes: records[0] + records[1].dropLast(3))
    #expect(cut.status == 1)
    #expect(cut.summary?["frames"] == 1)
    let huge = try MediaHelperProcess.run(
      ["decode", "--codec", "h264"], bytes: [255, 255, 255, 255] + [UInt8](0..<40))
    #expect(huge.status == 1 && huge.summary?["frames"] == 0)
    let noise = try MediaHelperProcess.run(
      ["decode", "--codec", "h265"],
      bytes: record((0..<400).map { UInt8(truncatingIfNeeded: $0 &* 73) }, 5) + MediaHelperDecodeTests.end)
    #expect(noise.status == 0 && noise.summary?["frames"] == 0)
    #expect(try MediaHelperProcess.run(["decode"]).status == 2)
    #expect(try MediaHelperProcess.run(["decode", "--codec", "vp8"]).status == 2)
  }
}
