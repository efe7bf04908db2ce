import Foundation
import RigChecks
import RigModel
import RigWire
import Testing

/// Each check of the catalogue with a session that trips it: a check without a row, or a row that trips nothing, fails.
@Suite struct TripTableTests {
  private typealias Edit = @Sendable (inout ScriptedCamera) -> Void
  private static let named = "Session: 4455\n"

  /// The usual session, with one exchange more.
  private static func asks(_ method: String, _ status: String, _ headers: String = "", with more: String = "") -> Edit {
    { camera in
      camera.start()
      camera.video(10)
      camera.ask(method, ScriptedCamera.url + "/", more)
      camera.answer(status, headers)
    }
  }

  private static func sdp(_ old: String, _ new: String, audio: Bool = false) -> Edit {
    { camera in
      camera.sdp = camera.sdp.replacing(old, with: new)
      camera.describe()
    }
  }

  /// The usual session, with packet 30 changed.
  private static func packet(_ change: @escaping @Sendable (inout ScriptedCamera.Packet) -> Void) -> Edit {
    { camera in
      camera.start()
      camera.video(60) { number, packet in
        var packet = packet
        if number == 40 { change(&packet) }
        return [packet]
      }
    }
  }

  private static func rtcp(_ bytes: [UInt8]) -> Edit {
    { camera in
      camera.start()
      camera.video(5)
      camera.send(bytes, channel: 1)
    }
  }

  private static func h265(_ payloads: [[UInt8]], marker: Bool = true) -> Edit {
    { camera in
      camera.sdp = camera.sdp.replacing("H264/90000", with: "H265/90000")
      camera.start()
      camera.send(fieldPacket(65_530, 900_000, marker: true, ssrc: camera.videoSSRC, [0x02, 1, 9]), channel: 0)
      for (index, payload) in payloads.enumerated() {
        camera.send(
          fieldPacket(65_531 + index, 903_600 + index * 3600, marker: marker, ssrc: camera.videoSSRC, payload),
          channel: 0)
      }
    }
  }

  private static let messages: [String: Edit] = [
    "rtsp.line.crlf": { camera in
      camera.ask("OPTIONS")
      camera.script.segment(Array("RTSP/1.0 200 OK\nCSeq: 1\nPublic: PLAY\n\n".utf8), fromServer: true)
    },
    "rtsp.header.fold": asks("OPTIONS", "200 OK", "Public: PLAY,\n SETUP\n"),
    "rtsp.cseq.present": { camera in
      camera.answerCSeq = { _ in nil }
      camera.options()
    },
    "rtsp.cseq.echo": { camera in
      camera.answerCSeq = { "CSeq: \($0 + 7)\n" }
      camera.options()
    },
    "rtsp.response.single": { camera in
      camera.options()
      camera.answer()
    },
    "rtsp.content-length.exact": { camera in
      camera.lengthError = -4
      camera.describe()
      camera.options()
    },
    "rtsp.content-base.absolute": { camera in
      camera.describeHeaders = "Content-Base: /live/\n"
      camera.describe()
    },
    "rtsp.public.truthful": asks("GET_PARAMETER", "501 Not Implemented"),
    "rtsp.options.star": asks("OPTIONS", "400 Bad Request"),
    "rtsp.status.state": asks("PAUSE", "500 Internal Server Error", with: named),
    "rtsp.redirect.sane": asks("DESCRIBE", "302 Moved Temporarily"),
    "rtsp.auth.challenge": asks("DESCRIBE", "401 Unauthorized"),
    "rtsp.auth.stale": asks("DESCRIBE", "401 x", "WWW-Authenticate: Digest realm=\"c\", nonce=\"1\", stale=TRUE\n"),
    "rtsp.url.no-credentials": { $0.ask("OPTIONS", "rtsp://u:p@10.0.0.1/live") },
  ]

  private static let descriptions: [String: Edit] = [
    "sdp.mandatory": sdp("s=camera\n", ""), "sdp.o.syntax": sdp("o=- 1 1 IN IP4 10.0.0.1", "o=- 1"),
    "sdp.c.syntax": sdp("c=IN IP4 0.0.0.0", "c=IN"), "sdp.m.syntax": sdp("m=video 0", "m=video x"),
    "sdp.text": sdp("t=0 0", "t=0 0\n?"), "sdp.rtpmap.dynamic": sdp("a=rtpmap:96 H264/90000\n", ""),
    "sdp.fmtp.pt": sdp("a=fmtp:96", "a=fmtp:99"), "sdp.control": sdp("a=control:*\n", ""),
    "sdp.h264.sprop": sdp(ScriptedCamera.sps, "?"), "sdp.h265.sprop": sdp("H264/90000", "H265/90000"),
    "sdp.aac.params": sdp("H264/90000", "MPEG4-GENERIC/48000"),
  ]

  private static let sessions: [String: Edit] = [
    "transport.present": { camera in
      camera.transportReply = { _ in nil }
      camera.start()
    },
    "transport.syntax": { camera in
      camera.transportReply = { _ in "RTP/AVP/TCP,unicast,interleaved=0-1" }
      camera.start()
    },
    "transport.echo": { camera in
      camera.transportReply = { _ in "RTP/AVP;unicast;client_port=1-2" }
      camera.start()
    },
    "transport.server-port.used": { camera in
      camera.isTCP = false
      camera.transportReply = { _ in "RTP/AVP;unicast;client_port=5000-5001;server_port=1-2" }
      camera.start()
      camera.video(3)
    },
    "transport.interleaved.any": { camera in
      camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=8-9" }
      camera.start()
    },
    "transport.ssrc.match": { camera in
      camera.transportReply = { _ in "RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=1" }
      camera.start()
      camera.video(3)
    },
    "framing.channel.assigned": { camera in
      camera.start()
      camera.send([0x80, 0x60] + [UInt8](repeating: 1, count: 14), channel: 9)
    },
    "framing.intact": { camera in
      camera.start()
      camera.send([], channel: 0)
      camera.video(3)
    },
    "session.id.stable": asks("GET_PARAMETER", "200 OK", "Session: other\n", with: named),
    "session.keepalive": { camera in
      camera.isTCP = false
      camera.timeout = 2
      camera.start()
      camera.video(100)
    },
    "session.expiry": asks("GET_PARAMETER", "454 Session Not Found", with: named),
    "session.teardown": asks("TEARDOWN", "500 x", with: named),
    "play.rtp-info": { camera in
      camera.playHeaders = ""
      camera.start()
    },
  ]

  private static let streams: [String: Edit] = [
    "rtp.version-padding-ext": packet { $0.first = 0x90 }, "rtp.pt.known": packet { $0.payloadType = 99 },
    "rtp.ssrc.stable": packet { $0.ssrc = 5 }, "rtp.seq": packet { $0.sequence &-= 1 },
    "rtp.initial.random": { camera in
      camera.videoSequence = 0
      camera.start()
      camera.video(3)
    },
    "rtp.payload.empty": packet { $0.payload = [] },
    "rtp.size.mtu": packet { $0.payload += [UInt8](repeating: 9, count: 3000) },
    "rtcp.sr.present": { camera in
      camera.start()
      for _ in 0..<8 { camera.video(45, gop: 45) }
    },
    "rtcp.compound": rtcp([0x81, 202, 0, 3, 0x11, 0x11, 0x11, 0x11, 1, 3, 97, 98, 99, 0, 0, 0]),
    "rtcp.length": rtcp([0x80, 200, 0, 99, 0, 0, 0, 1]),
    "rtcp.sr.counts": { camera in
      camera.start()
      camera.video(3)
      camera.report()
      camera.videoPackets += 500
      camera.report()
    },
    "rtcp.sr.mapping": { camera in
      camera.start()
      camera.video(3)
      camera.report()
      camera.report(rtpShift: 90_000)
    },
    "rtcp.bye": { camera in
      camera.start()
      camera.video(10)
      camera.sayBye()
      camera.video(60)
    },
  ]

  private static let payloads: [String: Edit] = [
    "h264.marker.au-end": packet { $0.marker = false },
    "h264.fu": packet { $0.payload = [0x5c, 0xc1, 0x9a, 2] }, "h264.stap": packet { $0.payload = [0x18, 0, 99, 1] },
    "h264.mode": packet { $0.payload = [0x19, 0, 1, 0, 2, 0x41, 0x9a] },
    "h264.no-startcode": packet { $0.payload = [0x41, 0, 0, 1, 0x68] },
    "h265.marker.au-end": h265([[0x02, 1, 9], [0x02, 1, 9]], marker: false),
    "h265.packets": h265([[0x60, 1, 0, 9, 1]]),
    "aac.au-headers": { camera in
      camera = ScriptedCamera(audio: true)
      camera.start()
      camera.audio(5) { _, packet in
        var packet = packet
        packet.payload = [0xff, 0xf1, 1, 2, 3]
        return [packet]
      }
    },
    "timing.monotonic": packet { $0.timestamp &+= 90_000 * 60 },
    "timing.clock-rate": { camera in
      camera.start()
      camera.video(150) { _, packet in
        var packet = packet
        packet.timestamp = 900_000 &+ (packet.timestamp &- 900_000) / 2
        return [packet]
      }
    },
    "timing.av-sync": { camera in
      camera = ScriptedCamera(audio: true)
      camera.start()
      camera.video(5)
      camera.audio(5)
      camera.report()
      let late = RTCPPacket.SenderReport(
        ssrc: camera.audioSSRC, ntp: NTPTime(unixNanoseconds: camera.script.time - 2_000_000_000),
        rtpTime: camera.audioTime, packetCount: 0, octetCount: 0)
      camera.send(RTCPPacket.compound([.senderReport(late)]), channel: 3)
    },
    "media.decodable": { camera in
      camera.start()
      camera.script.wait(6)
      camera.keepAlive()
    },
    "media.gop": { camera in
      camera.start()
      camera.video(60, gop: 30)
    },
    "media.gap": { camera in
      camera.start()
      camera.video(5)
      camera.script.wait(3)
      camera.video(5)
    },
    "media.bitrate": { camera in
      camera.start()
      camera.video(60)
    },
  ]

  private static let tables: [(name: String, rows: [String: Edit])] = [
    ("messages", messages), ("descriptions", descriptions), ("sessions", sessions), ("streams", streams),
    ("payloads", payloads),
  ]

  /// What a session of the table makes the check say.
  private static func findings(_ id: String, _ edit: Edit) -> [Finding] {
    var camera = ScriptedCamera()
    edit(&camera)
    let context = AnalysisContext(
      expectedGOP: 25, askedBitRate: BitRate(bitsPerSecond: 9_000_000), captureDropped: 0)
    return camera.script.analyze(context).findings.filter { $0.check == id }
  }

  @Test(arguments: CheckCatalog.wireInfos.map(\.id))
  func isTripped(_ id: String) throws {
    let edit = try #require(Self.tables.compactMap { $0.rows[id] }.first, "no session trips \(id)")
    #expect(!Self.findings(id, edit).isEmpty)
  }

  /// A line for each check: the session that trips it, and how many healthy captures say nothing of it. `ci/table` shows
  /// it by the environment.
  @Test func theTableIsWhole() throws {
    let healthy = try HealthyCaptureTests.captures.map {
      analyzeCapture(try Fixture.bytes($0.file), context: AnalysisContext(captureDropped: 0)).result.findings
    }
    var lines: [String] = []
    for info in CheckCatalog.wireInfos {
      let table = try #require(Self.tables.first { $0.rows[info.id] != nil })
      let edit = try #require(table.rows[info.id])
      let first = try #require(Self.findings(info.id, edit).first)
      let others = healthy.map { $0.filter { $0.check == info.id } }
      let mentions = others.count { !$0.isEmpty }
      #expect(!others.contains { $0.contains { $0.severity == .error } }, "\(info.id)")
      let worst = others.joined().map(\.severity).max()
      lines.append(
        [
          info.id, first.severity.rawValue, table.name,
          "\(healthy.count - mentions)/\(healthy.count)" + (worst.map { " (\(mentions) \($0.rawValue))" } ?? ""),
          String(first.message.prefix(90)),
        ].joined(separator: "\t"))
    }
    for info in CheckCatalog.acrossRuns {
      lines.append("\(info.id)\t\(info.severity.rawValue)\tover several runs\t-\t-")
    }
    if let file = ProcessInfo.processInfo.environment["STREAMRIG_TRIP_TABLE"] {
      try lines.joined(separator: "\n").appending("\n").write(toFile: file, atomically: true, encoding: .utf8)
    }
  }
}
