extension CheckGuide {
  static let session: [String: CheckGuide] = [
    "transport.present": CheckGuide(
      "SETUP succeeds without a Transport header.",
      "rtsp.method == \"SETUP\" || (rtsp.status == 200 && !rtsp.transport)"),
    "transport.syntax": CheckGuide(
      "A comma for a semicolon, a port pair that is not n and n + 1, neither unicast nor multicast, a value that is none.",
      "rtsp.transport"),
    "transport.echo": CheckGuide(
      "The answer has other client ports, another lower transport, or multicast where unicast was asked for.",
      "rtsp.transport"),
    "transport.server-port.used": CheckGuide(
      "The first RTP packet comes from another port than server_port=.", "rtsp.transport || (udp && rtp)"),
    "transport.interleaved.any": CheckGuide(
      "A channel above 255, or one given to two media; (warning) no interleaved= in the answer; (policy) other channels "
        + "than asked for.",
      "rtsp.transport"),
    "transport.ssrc.match": CheckGuide(
      "The first packet carries another SSRC than ssrc= of the Transport header.", "rtsp.transport || rtp.seq"),
    "framing.channel.assigned": CheckGuide(
      "An interleaved frame on a channel that no SETUP of the connection assigned.", "rtsp.channel"),
    "framing.intact": CheckGuide(
      "Bytes between messages and frames, a frame shorter than announced, a message inside a frame, headers without end; "
        + "or (warning) a frame of length 0.",
      "rtsp.magic || rtsp"),
    "session.id.stable": CheckGuide(
      "SETUP succeeds without a session, or a response names another one than the request; or (warning) a request carries "
        + "timeout= with its id.",
      "rtsp.session"),
    "session.keepalive": CheckGuide(
      "Media goes on 2 s after a request in its session was refused with 454; or (warning; over TCP policy) the client "
        + "gives no sign for longer than the timeout.",
      "rtsp.session || rtcp.pt == 201"),
    "session.expiry": CheckGuide(
      "A session is refused with 454 although requests came within its timeout; or (warning) media still flows 30 s after "
        + "the timeout.",
      "rtsp.status == 454 || rtsp.session"),
    "session.teardown": CheckGuide(
      "TEARDOWN is refused, or not answered by a server that had it before its own BYE or FIN; or media still comes 2 s "
        + "after it.",
      "rtsp.method == \"TEARDOWN\" || tcp.flags.fin == 1 || tcp.flags.reset == 1 || rtp"),
    "play.rtp-info": CheckGuide(
      "PLAY is answered without RTP-Info, with one that does not keep to its grammar, or whose seq or rtptime is far from "
        + "the first packet's.",
      "rtsp && frame contains \"RTP-Info\""),
  ]

  static let stream: [String: CheckGuide] = [
    "rtp.version-padding-ext": CheckGuide(
      "Fewer than 12 bytes, another version than 2, or padding, CSRC list or extension that go beyond the packet.",
      "rtp.version != 2 || rtp.padding == 1 || rtp.ext == 1"),
    "rtp.pt.known": CheckGuide("A payload type that the description does not list.", "rtp.p_type"),
    "rtp.ssrc.stable": CheckGuide(
      "A second SSRC appears on a track whose source did not say BYE.", "rtp.ssrc"),
    "rtp.seq": CheckGuide(
      "Numbers are missing, come elsewhere of a sudden (restart), or number 0 is left out at each wrap; or (warning) "
        + "packets come twice or late, or the capture may have lost them.",
      "rtp.seq"),
    "rtp.initial.random": CheckGuide(
      "A stream begins with sequence number 0 or 1, or timestamp 0.", "rtp.seq <= 1 || rtp.timestamp == 0"),
    "rtp.payload.empty": CheckGuide("A packet is all header.", "rtp && !rtp.payload"),
    "rtp.size.mtu": CheckGuide(
      "A datagram above 1,472 bytes, or one in IP fragments; or (policy) an interleaved frame above 2,048 bytes.",
      "udp.length > 1480 || ip.flags.mf == 1 || ip.frag_offset > 0 || rtsp.length > 2048"),
    "rtcp.sr.present": CheckGuide("Ten seconds of media without a sender report.", "rtcp.pt == 200"),
    "rtcp.compound": CheckGuide("A compound begins with neither SR nor RR, or has no CNAME.", "rtcp"),
    "rtcp.length": CheckGuide(
      "A length field, report count, SDES item or padding goes beyond the compound, or the version is not 2.",
      "rtcp.length_check.bad || rtcp"),
    "rtcp.sr.counts": CheckGuide(
      "From report to report the packet count grows by more than 5 packets (and 5 %) otherwise than the stream.",
      "rtcp.sender.packetcount"),
    "rtcp.sr.mapping": CheckGuide(
      "Between two reports NTP time and RTP time advance by more than 50 ms apart.", "rtcp.timestamp.rtp"),
    "rtcp.bye": CheckGuide(
      "A source sends more than 1 s after its BYE, or never says BYE though its session was torn down.",
      "rtcp.pt == 203"),
  ]

  static let payload: [String: CheckGuide] = [
    "h264.marker.au-end": CheckGuide(
      "The timestamp changes and the packet before had no marker, or packets with the same timestamp follow a marker.",
      "rtp.marker == 1"),
    "h264.fu": CheckGuide(
      "A fragment has S and E, fragments begin or go on out of turn, or carry a type that cannot be fragmented.",
      "h264.start.bit || h264.end.bit"),
    "h264.stap": CheckGuide(
      "The sizes in a STAP-A do not add up, or a payload begins with a type that is reserved.",
      "h264.nal_unit_type == 24 || h264"),
    "h264.mode": CheckGuide(
      "STAP-A or FU-A in packetization-mode 0, STAP-B, MTAP or FU-B in mode 1, others in mode 2; a warning where the "
        + "description states no mode, which means 0.",
      "sdp.fmtp.h264_packetization_mode || h264.nal_unit_type >= 24"),
    "h264.no-startcode": CheckGuide(
      "00 00 01 stands in a payload: the byte stream was cut into packets as it was.", "rtp.payload contains 00:00:01"),
    "h265.marker.au-end": CheckGuide(
      "The timestamp changes and the packet before had no marker, or packets with the same timestamp follow a marker.",
      "rtp.marker == 1"),
    "h265.packets": CheckGuide(
      "The sizes in an aggregate do not add up, fragments lie out of turn, or the payload structure is unknown.",
      "h265.nal_unit_type >= 48"),
    "aac.au-headers": CheckGuide(
      "AU headers are cut, their sizes do not add up to the data, or ADTS frames stand in their place.", "rtp.payload"),
    "timing.monotonic": CheckGuide(
      "A timestamp goes back (more than a second, or at all where the SPS rules reordering out), or moves away from the "
        + "clock by ten seconds at once.",
      "rtp.timestamp"),
    "timing.clock-rate": CheckGuide(
      "Over five seconds or more RTP time runs a tenth faster or slower than the capture's clock.", "rtp.timestamp"),
    "timing.av-sync": CheckGuide(
      "By their sender reports two media of a session arrive more than half a second apart.", "rtcp.pt == 200"),
    "media.decodable": CheckGuide(
      "A key frame before its parameter sets, none in 5 s, no packet in 5 s after PLAY, or other picture sizes in band than "
        + "promised; or (warning) 2 s to the first key frame, another rate.",
      "h264.nal_unit_type == 5 || h264.nal_unit_type == 7 || h265.nal_unit_type == 33"),
    "media.gop": CheckGuide(
      "A group of pictures is longer than asked for; or (warning) shorter. Needs iFrameInterval of a plan.",
      "h264.nal_unit_type == 5"),
    "media.gap": CheckGuide("More than two seconds without a packet while the session plays.", "rtp"),
    "media.bitrate": CheckGuide(
      "The average is below half or above one and a half of the bit rate asked for. Needs bitrate of a plan.", "rtp"),
    "media.quality-factor": CheckGuide(
      "Over the cells of a matrix, mean bytes per frame rise with the factor. No single capture shows it.", ""),
  ]
}
