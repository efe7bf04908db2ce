import RigChecks
import RigModel
import RigReport
import RigWire

extension CaptureText {
  /// One object a line: the capture, its streams, offsets, connections that were not judged, findings.
  static func json(_ judged: JudgedFile) -> [String] {
    let file = TerminalText.line(JudgedFile.name(of: judged.path), columns: 4096)
    var objects = [summary(judged, file)]
    if let result = judged.result {
      objects += result.streams.map { object($0, file) }
      objects += result.offsets.map { object($0, file) }
      objects += result.unjudged.map { object($0, file) }
      objects += result.findings.map { object($0, file) }
    }
    return objects.map(\.text)
  }

  private static func summary(_ judged: JudgedFile, _ file: String) -> JSONValue {
    var members = [
      JSONValue.Member("kind", "capture"), JSONValue.Member("file", .string(file)),
      JSONValue.Member("verdict", .string(judged.verdict.rawValue)),
      JSONValue.Member("reason", .string(TerminalText.line(judged.reason, columns: 700))),
    ]
    func add(_ key: String, _ value: JSONValue) { members.append(JSONValue.Member(key, value)) }
    if let error = judged.error { add("error", .string(TerminalText.line(error, columns: 700))) }
    if let result = judged.result {
      add("packets", .integer(result.packets))
      add("rtp-packets", .integer(result.mediaPackets))
      add("dialogues", .integer(Int64(result.dialogues)))
      add("sessions", .integer(Int64(result.sessions)))
      add("tracks", .integer(Int64(result.tracks)))
      add("incomplete-datagrams", .integer(Int64(result.incompleteDatagrams)))
      add("damaged-packets", .integer(result.damagedPackets))
      add("missing-tcp-bytes", .integer(result.missingTCPBytes))
      add("undelivered-tcp-bytes", .integer(result.undeliveredTCPBytes))
      add("not-judged", .integer(Int64(result.unjudgedCount)))
      if let drops = judged.drops { add("capture-drops", .integer(Int64(clamping: drops))) }
      if let live = judged.live {
        add("received", .integer(Int64(clamping: live.received)))
        if let written = live.written { add("written", .string(TerminalText.line(written, columns: 4096))) }
      }
      add(
        "inconclusive",
        .object(
          result.inconclusive.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }))
      add("judged", .array(result.judged.map { .string($0) }))
    }
    return .object(members)
  }

  private static func object(_ s: StreamStatistics, _ file: String) -> JSONValue {
    [
      "kind": "stream", "file": .string(file), "ssrc": .integer(Int64(s.ssrc)),
      "payload-type": .integer(Int64(s.payloadType)),
      "codec": s.codec.map { .string(TerminalText.line($0, columns: 80)) }, "clock-rate": .integer(Int64(s.clockRate)),
      "transport": .string(s.transport.rawValue), "channel": s.channel.map { .integer(Int64($0)) },
      "flow": .string(s.flow), "packets": .integer(s.packets), "expected": .integer(Int64(s.expected)),
      "received": .integer(Int64(s.received)), "lost": .integer(Int64(s.lost)),
      "loss-bursts": .integer(Int64(s.lossBursts)), "longest-burst": .integer(Int64(s.longestBurst)),
      "duplicates": .integer(Int64(s.duplicates)), "reordered": .integer(Int64(s.reordered)),
      "late": .integer(Int64(s.late)), "restarts": .integer(Int64(s.restarts)), "jitter-seconds": .number(s.jitter),
      "max-jitter-seconds": .number(s.maxJitter), "jitter-ticks": .number(s.jitterTicks),
      "max-jitter-ticks": .number(s.maxJitterTicks), "drift-ppm": number(s.drift), "skew-ppm": number(s.skew),
      "bytes": .integer(s.bytes), "bit-rate": number(s.bitRate), "frames": .integer(s.frames),
      "frame-rate": number(s.frameRate), "media-frame-rate": number(s.mediaFrameRate),
      "key-frames": .integer(s.keyFrames), "key-interval-seconds": number(s.keyInterval),
      "longest-key-interval-seconds": number(s.longestKeyInterval),
      "gop-shortest": s.shortestGOP.map { .integer(Int64($0)) },
      "gop-longest": s.longestGOP.map { .integer(Int64($0)) },
      "gop-lengths": .array(s.gopLengths.map { .integer(Int64($0)) }),
      "sender-reports": .integer(Int64(s.senderReports)), "seconds": .number(s.duration),
      "first-frame": .integer(Int64(s.firstFrame)), "last-frame": .integer(Int64(s.lastFrame)),
      "first-time": .string(String(s.firstTime)), "last-time": .string(String(s.lastTime)),
    ]
  }

  private static func object(_ o: MediaOffset, _ file: String) -> JSONValue {
    [
      "kind": "offset", "file": .string(file), "session": .integer(Int64(o.session)),
      "video-ssrc": .integer(Int64(o.video)), "other-ssrc": .integer(Int64(o.other)),
      "offset-seconds": o.offset.map { .number($0) } ?? .null, "start-gap-seconds": .number(o.startGap),
    ]
  }

  private static func object(_ u: UnjudgedConnection, _ file: String) -> JSONValue {
    [
      "kind": "not-judged", "file": .string(file), "what": .string(u.kind.rawValue), "flow": .string("\(u.flow)"),
      "frame": .integer(Int64(u.place.frame)),
    ]
  }

  private static func object(_ f: Finding, _ file: String) -> JSONValue {
    [
      "kind": "finding", "file": .string(file), "check": .string(f.check), "severity": .string(f.severity.rawValue),
      "message": .string(message(of: f)), "count": .integer(Int64(f.count)),
      "frame": f.first.frame.map { .integer(Int64($0)) }, "time": f.first.time.map { .string(String($0)) },
      "ssrc": f.first.ssrc.map { .integer(Int64($0)) }, "sequence": f.first.sequence.map { .integer($0) },
      "offset": f.first.offset.map { .integer($0) },
      "excerpt": f.first.excerpt.map { .string(excerpt($0)) },
      "last-frame": f.last?.frame.map { .integer(Int64($0)) }, "last-time": f.last?.time.map { .string(String($0)) },
    ]
  }

  private static func number(_ value: Double?) -> JSONValue? { value.map { .number($0) } }
}
