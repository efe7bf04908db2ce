import RigChecks
import RigModel
import RigWire

/// A scripted camera and its player. Without changes it breaks no rule; each test changes one thing.
struct ScriptedCamera {
  struct Packet {
    var first: UInt8 = 0x80
    var payloadType: UInt8
    var marker: Bool
    var sequence: UInt16
    var timestamp: UInt32
    var ssrc: UInt32
    var payload: [UInt8]

    var bytes: [UInt8] {
      [first, marker ? payloadType | 0x80 : payloadType, UInt8(sequence >> 8), UInt8(sequence & 255)]
        + [timestamp, ssrc].flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        + payload
    }
  }

  static let sps = "Z0LADNkBQfsBagwMDUoAAAMAAgAAAwA9HihUkA=="
  static let pps = "aMuMsg=="
  static let spsBytes: [UInt8] = [0x67, 0x42, 0xc0, 0x0c, 0xd9]
  static let ppsBytes: [UInt8] = [0x68, 0xcb, 0x8c, 0xb2]
  static let url = "rtsp://10.0.0.1/live"

  var script = WireScript()
  var isTCP: Bool
  var sdp: String
  var describeHeaders = "Content-Base: \(url)/\n"
  /// Added to the true Content-Length of the description.
  var lengthError = 0
  var publicMethods = "OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"
  var session = "4455"
  var timeout = 60
  var videoSSRC: UInt32 = 0x1111_1111
  var audioSSRC: UInt32 = 0x2222_2222
  /// `nil`: no Transport header.
  var transportReply: ((_ channel: Int) -> String?)?
  var playHeaders = "RTP-Info: url=\(url)/video;seq=65530;rtptime=900000\n"
  var cseq = 0
  /// CSeq line of a response to the request numbered so; `nil`: none.
  var answerCSeq: (Int) -> String? = { "CSeq: \($0)\n" }
  var withAudio: Bool
  var videoSequence: UInt16 = 65_530
  var videoTime: UInt32 = 900_000
  var audioSequence: UInt16 = 7
  var audioTime: UInt32 = 4_800
  var videoPackets: UInt32 = 0

  init(tcp: Bool = true, audio: Bool = false) {
    isTCP = tcp
    withAudio = audio
    sdp = """
      v=0
      o=- 1 1 IN IP4 10.0.0.1
      s=camera
      c=IN IP4 0.0.0.0
      t=0 0
      a=control:*
      m=video 0 RTP/AVP 96
      a=rtpmap:96 H264/90000
      a=fmtp:96 packetization-mode=1;profile-level-id=42c00c;sprop-parameter-sets=\(Self.sps),\(Self.pps)
      a=control:video

      """
    if audio {
      sdp += """
        m=audio 0 RTP/AVP 97
        a=rtpmap:97 MPEG4-GENERIC/48000/1
        a=fmtp:97 mode=AAC-hbr;config=1188;sizelength=13;indexlength=3;indexdeltalength=3
        a=control:audio

        """
    }
    script.open()
  }

  // MARK: dialogue

  mutating func ask(_ method: String, _ url: String = ScriptedCamera.url, _ headers: String = "") {
    cseq += 1
    script.client("\(method) \(url) RTSP/1.0\nCSeq: \(cseq)\n\(headers)\n")
  }

  mutating func answer(_ status: String = "200 OK", _ headers: String = "", body: String = "") {
    let length = body.isEmpty ? "" : "Content-Length: \(WireScript.text(body).count + lengthError)\n"
    script.server("RTSP/1.0 \(status)\n\(answerCSeq(cseq) ?? "")\(headers)\(length)\n\(body)")
  }

  mutating func options() {
    ask("OPTIONS")
    answer("200 OK", "Public: \(publicMethods)\n")
  }

  mutating func describe() {
    ask("DESCRIBE")
    answer("200 OK", "Content-Type: application/sdp\n" + describeHeaders, body: sdp)
    lengthError = 0
  }

  mutating func setup(_ name: String, first: Int) {
    let ssrc = name == "video" ? videoSSRC : audioSSRC
    let asked =
      isTCP
      ? "RTP/AVP/TCP;unicast;interleaved=\(first)-\(first + 1)"
      : "RTP/AVP;unicast;client_port=\(5000 + first)-\(5001 + first)"
    let given =
      asked + (isTCP ? "" : ";server_port=\(6000 + first)-\(6001 + first)") + ";ssrc=" + String(ssrc, radix: 16)
    let reply = transportReply.map { $0(first) } ?? given
    let known = first > 0 ? "Session: \(session)\n" : ""
    ask("SETUP", Self.url + "/" + name, "Transport: \(asked)\n\(known)")
    let transport = reply.map { "Transport: \($0)\n" } ?? ""
    answer("200 OK", transport + "Session: \(session);timeout=\(timeout)\n")
  }

  mutating func play() {
    ask("PLAY", Self.url + "/", "Session: \(session)\n")
    answer("200 OK", "Session: \(session)\n" + playHeaders)
  }

  mutating func start() {
    options()
    describe()
    setup("video", first: 0)
    if withAudio { setup("audio", first: 2) }
    play()
  }

  mutating func keepAlive(_ status: String = "200 OK") {
    ask("GET_PARAMETER", Self.url + "/", "Session: \(session)\n")
    answer(status, "Session: \(session)\n")
  }

  mutating func teardown() {
    sayBye()
    ask("TEARDOWN", Self.url + "/", "Session: \(session)\n")
    answer("200 OK", "Session: \(session)\n")
  }

  // MARK: media

  mutating func send(_ bytes: [UInt8], channel: Int) {
    if isTCP {
      script.segment(
        [0x24, UInt8(channel), UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes, fromServer: true)
    } else {
      script.udp(bytes, fromServer: true, serverPort: 6000 + channel, clientPort: 5000 + channel)
    }
  }

  /// The packets of one picture: a key picture brings SPS and PPS and is cut into fragments.
  mutating func picture(isKey: Bool) -> [Packet] {
    var payloads: [[UInt8]] = []
    if isKey {
      payloads.append(
        [0x18, 0, UInt8(Self.spsBytes.count)] + Self.spsBytes + [0, UInt8(Self.ppsBytes.count)] + Self.ppsBytes)
      payloads += [[0x7c, 0x85, 0x88, 1, 2], [0x7c, 0x05, 3, 4, 5], [0x7c, 0x45, 6, 7]]
    } else {
      payloads = [[0x41, 0x9a, 1, 2, 3]]
    }
    return payloads.enumerated().map { index, payload in
      let packet = Packet(
        payloadType: 96, marker: index == payloads.count - 1, sequence: videoSequence, timestamp: videoTime,
        ssrc: videoSSRC, payload: payload)
      videoSequence &+= 1
      return packet
    }
  }

  /// Sends pictures at 25 a second, a key picture every `gop`; `edit` may change or drop (by `nil`) each packet, and
  /// knows its number over all pictures of the call.
  mutating func video(_ count: Int, gop: Int = 25, edit: (Int, Packet) -> [Packet] = { [$1] }) {
    var number = 0
    for index in 0..<count {
      for packet in picture(isKey: index % gop == 0) {
        for sent in edit(number, packet) { send(sent.bytes, channel: 0) }
        number += 1
        videoPackets += 1
      }
      if index % 100 == 50 { report() }
      videoTime &+= 3600
      script.wait(0.04)
    }
  }

  mutating func audio(_ count: Int, edit: (Int, Packet) -> [Packet] = { [$1] }) {
    for index in 0..<count {
      let packet = Packet(
        payloadType: 97, marker: true, sequence: audioSequence, timestamp: audioTime, ssrc: audioSSRC,
        payload: [0, 16, 0, 3 << 3, 0x21, 0x10, 0x04])
      for sent in edit(index, packet) { send(sent.bytes, channel: 2) }
      audioSequence &+= 1
      audioTime &+= 1024
      script.wait(0.0213)
      // The picture clock runs on.
      videoTime &+= 1917
    }
  }

  /// SR and SDES of the video.
  mutating func report(rtpShift: UInt32 = 0, cut: Int = 0) {
    let report = RTCPPacket.SenderReport(
      ssrc: videoSSRC, ntp: NTPTime(unixNanoseconds: script.time), rtpTime: videoTime &+ rtpShift,
      packetCount: videoPackets, octetCount: 0)
    let bytes = RTCPPacket.compound([
      .senderReport(report), .sourceDescription([.init(ssrc: videoSSRC, cname: "camera")]),
    ])
    send(Array(bytes.dropLast(cut)), channel: 1)
  }

  mutating func sayBye() {
    for (ssrc, channel) in [(videoSSRC, 1), (audioSSRC, 3)] where channel == 1 || withAudio {
      let bytes = RTCPPacket.compound([
        .receiverReport(.init(ssrc: ssrc)), .sourceDescription([.init(ssrc: ssrc, cname: "camera")]),
        .bye(ssrcs: [ssrc], reason: nil),
      ])
      send(bytes, channel: channel)
    }
  }
}

extension AnalysisResult {
  func of(_ check: any WireCheck.Type) -> [Finding] { findings.filter { $0.check == check.info.id } }
}
