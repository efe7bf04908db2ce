import Foundation
import RigModel
import Testing

@Suite("streamrig-media probe", .timeLimit(.minutes(2)))
struct MediaHelperProbeTests {
  /// Three GOPs of ten small pictures.
  private func withClip(_ body: (MediaHelperClip) throws -> Void) throws {
    try MediaHelperProcess.withDirectory { directory in
      let file = directory.appendingPathComponent("a.clip")
      let encoded = try MediaHelperProcess.run([
        "encode", "--out", file.path, "--width", "320", "--height", "180", "--fps", "10", "--gop", "10", "--seconds",
        "3", "--bitrate", "300000",
      ])
      try #require(encoded.status == 0, "\(encoded.output)")
      try body(try MediaHelperClip(file))
    }
  }

  private func probe(_ listener: MediaHelperListener, _ members: [String: JSONValue] = [:]) throws
    -> MediaHelperProcess.Outcome
  {
    try MediaHelperProcess.probe("RTSP://u:secret@127.0.0.1:\(listener.port)/live", members)
  }

  @Test("every frame of a session is decoded and reported, and the server's end is the end")
  func session() throws {
    try withClip { clip in
      let listener = try MediaHelperListener(listens: true)
      MediaHelperServer.serve(clip, on: listener)
      let outcome = try probe(listener, ["counter": true, "counter-modulus": 30])
      #expect(outcome.status == 0)
      #expect(!outcome.output.contains("secret"))
      let kinds = outcome.lines.compactMap { $0["kind"]?.string }
      #expect(Array(kinds.prefix(4)) == ["opened", "first-packet", "key-frame", "frame"])
      #expect(Array(kinds.suffix(2)) == ["ended", "summary"])
      let stream = try #require(outcome.lines("opened").first?["streams"]?.array?.first)
      #expect(stream["type"] == "video" && stream["codec"] == "h264" && stream["time-base"] == "1/90000")
      let key = try #require(outcome.lines("key-frame").first)
      #expect(key["width"] == 320 && key["height"] == 180 && key["pts"] == 0)
      let frames = outcome.lines("frame")
      #expect(frames.map { $0["counter"]?.integer } == (0..<30).map { Int64($0) })
      #expect(frames.map { $0["pts"]?.integer } == (0..<30).map { Int64($0) * 9000 })
      let times = outcome.lines.compactMap { $0["t"]?.integer }
      #expect(times.count == outcome.lines.count && times == times.sorted())
      #expect(outcome.ended?["reason"] == "eof")
      let summary = try #require(outcome.summary)
      #expect(summary["frames"] == 30 && summary["key-frames"] == 3 && summary["decode-errors"] == 0)
      #expect(summary["gop-lengths"] == [["length": 10, "count": 2]])
      #expect(summary["lost-counters"] == 0 && summary["repeated-counters"] == 0)
    }
  }

  @Test("frames that never came are counted as lost")
  func lostFrames() throws {
    try withClip { clip in
      let listener = try MediaHelperListener(listens: true)
      // The last frame of a GOP: no later frame refers to it, so every other frame is whole.
      MediaHelperServer.serve(clip, on: listener, dropping: [9, 19])
      let summary = try #require(try probe(listener, ["counter": true]).summary)
      #expect(summary["frames"] == 28)
      #expect(summary["lost-counters"] == 2)
      #expect(summary["unreadable-counters"] == 0)
    }
  }

  @Test("half a frame is a decode error, and the session goes on")
  func truncatedFrames() throws {
    try withClip { clip in
      let listener = try MediaHelperListener(listens: true)
      MediaHelperServer.serve(clip, on: listener, truncating: [4, 5, 6])
      let outcome = try probe(listener)
      #expect(outcome.ended?["reason"] == "eof")
      #expect(outcome.lines("decode-error").isEmpty == false)
      let errors = try #require(outcome.summary?["decode-errors"]?.integer)
      #expect((1...10).contains(errors))
      #expect(outcome.lines("frame").suffix(10).allSatisfy { $0["corrupt"] == nil })
    }
  }

  @Test("without its first key frame a stream has no frame until the next one")
  func firstKeyFrame() throws {
    try withClip { clip in
      let listener = try MediaHelperListener(listens: true)
      MediaHelperServer.serve(clip, on: listener, dropping: [0])
      let outcome = try probe(listener, ["counter": true])
      let key = try #require(outcome.lines("key-frame").first)
      #expect(key["pts"] == 81_000, "frame 10, nine frames after the first that came")
      #expect(outcome.lines("frame").first { $0["corrupt"] == nil }?["counter"] == 10)
    }
  }

  @Test(
    "no other URL than RTSP is opened, and nothing is repaired",
    arguments: [
      "file:///etc/passwd", "http://127.0.0.1/x", "rtsps://127.0.0.1/x", "rtsp://", "rtsp:///x", "rtsp://u:p@/x",
      "rtsp://127.0.0.1/a b", "rtsp://127.0.0.1/\r\nX", " rtsp://127.0.0.1/", "/dev/stdin", "",
    ])
  func refusedURL(url: String) throws {
    let outcome = try MediaHelperProcess.probe(url)
    #expect(outcome.status == 1)
    #expect(outcome.ended?["reason"] == "error")
    #expect(outcome.ended?["refused"] == true)
    #expect(outcome.summary?["frames"] == 0)
    #expect(outcome.lines("opened").isEmpty)
  }

  @Test("a port where nobody listens is an error")
  func deadPort() throws {
    let outcome = try probe(try MediaHelperListener(listens: false))
    #expect(outcome.status == 1)
    #expect(outcome.ended?["reason"] == "error")
    #expect(outcome.ended?["code"] == .integer(Int64(-ECONNREFUSED)))
    #expect(outcome.ended?["unreachable"] == true)
  }

  @Test("a connection that nobody takes is told apart from a server that says nothing")
  func nobodyThere() throws {
    let listener = try MediaHelperListener(listens: true)
    let waiting = try listener.fillBacklog()
    defer { for descriptor in waiting { close(descriptor) } }
    let outcome = try probe(listener, ["timeout-ms": 60_000, "connect-timeout-ms": 200])
    #expect(outcome.status == 1)
    #expect(outcome.ended?["reason"] == "timeout")
    #expect(outcome.ended?["unreachable"] == true)
  }

  @Test("a server that accepts and says nothing is a timeout")
  func silentServer() throws {
    let outcome = try probe(try MediaHelperListener(listens: true), ["timeout-ms": 400, "connect-timeout-ms": 100])
    #expect(outcome.status == 1)
    #expect(outcome.ended?["reason"] == "timeout")
    #expect(outcome.ended?["unreachable"] == nil)
  }

  @Test("the end of input ends the helper: before an open command silently, after it with a report")
  func endOfInput() throws {
    let idle = try MediaHelperProcess.run(["probe"])
    #expect(idle.status == 0 && idle.output == "")
    let listener = try MediaHelperListener(listens: true)
    let opening = try MediaHelperProcess.run(
      ["probe"], input: #"{"cmd":"open","url":"rtsp://127.0.0.1:\#(listener.port)/x","timeout-ms":60000}"# + "\n")
    #expect(opening.ended?["reason"] == "interrupted")
    #expect(opening.summary != nil)
  }

  @Test("commands that are none are named, and the next one still counts")
  func badCommands() throws {
    let outcome = try MediaHelperProcess.run(
      ["probe"], input: "nonsense\n{\"cmd\":\"dance\"}\n\n{\"cmd\":\"open\",\"url\":\"rtsp://h/\",\"colour\":1}\n")
    #expect(outcome.lines("bad-command").count == 2)
    #expect(outcome.ended?["message"] == "refused: unknown member colour")
  }
}
