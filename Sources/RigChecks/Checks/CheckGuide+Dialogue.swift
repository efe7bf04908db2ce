extension CheckGuide {
  static let dialogue: [String: CheckGuide] = [
    "rtsp.line.crlf": CheckGuide(
      "A line of a message ends in LF without CR, or has a CR that no LF follows.",
      "rtsp && tcp.payload contains 0a:0a"),
    "rtsp.header.fold": CheckGuide(
      "A header goes on in the next line, which begins with a blank. A line of blanks alone counts too.",
      "rtsp && (tcp.payload contains 0d:0a:20 || tcp.payload contains 0d:0a:09)"),
    "rtsp.cseq.present": CheckGuide(
      "A request or response has no CSeq, or one that is no number.",
      "rtsp && (rtsp.request || rtsp.response) && !(frame matches \"(?i)cseq: *[0-9]\")"),
    "rtsp.cseq.echo": CheckGuide(
      "The CSeq of a response is that of no open request; the response is paired by order.", "rtsp.response"),
    "rtsp.response.single": CheckGuide(
      "A response that no request asked for, or a request that the server had and did not answer: in 5 s, or before it "
        + "closed. What its FIN, or its BYE, does not acknowledge it did not have.",
      "rtsp || tcp.flags.fin == 1 || tcp.flags.reset == 1"),
    "rtsp.content-length.exact": CheckGuide(
      "The body is shorter than announced, bytes follow it that belong to nothing, or Content-Length is no number.",
      "rtsp.content-length || rtsp.content-type"),
    "rtsp.content-base.absolute": CheckGuide(
      "Content-Base is no absolute URL; or (warning) it lacks the final slash that relative control URLs need.",
      "rtsp && frame contains \"Content-Base\""),
    "rtsp.public.truthful": CheckGuide(
      "A method that Public lists is answered with 405, 501 or, without a body, 400; or (warning) an unlisted one works.",
      "rtsp.method == \"OPTIONS\" || rtsp.status == 405 || rtsp.status == 501 || rtsp.status == 400"),
    "rtsp.options.star": CheckGuide(
      "OPTIONS, for * or a URL, is refused; or (warning) answered without the list of methods.",
      "rtsp.method == \"OPTIONS\" || rtsp.response"),
    "rtsp.status.state": CheckGuide(
      "455 in a state that allows the method, 459 of a single media, 460 of the whole session, 461 of no SETUP; PLAY that "
        + "works before SETUP or after TEARDOWN; 500, 502, 504 at all, and (warning) 503.",
      "rtsp.status >= 454 || rtsp.method == \"PLAY\" || rtsp.method == \"TEARDOWN\""),
    "rtsp.redirect.sane": CheckGuide(
      "301, 302 or 303 without an absolute Location, back to the same URL (over several hops too), through more than five "
        + "hops, or from rtsps to rtsp.",
      "rtsp.status >= 300 && rtsp.status < 400"),
    "rtsp.auth.challenge": CheckGuide(
      "401 without WWW-Authenticate, or a Digest challenge without realm or nonce.", "rtsp.status == 401"),
    "rtsp.auth.stale": CheckGuide(
      "A nonce that was accepted is refused with a new one and without stale=TRUE; stale=TRUE comes with the old nonce, or "
        + "twice in a row; or (warning) to a request without credentials.",
      "rtsp.status == 401 || (rtsp && frame contains \"Authorization\")"),
    "rtsp.url.no-credentials": CheckGuide(
      "A request line, Content-Base or Location holds user:password@. The report does not repeat it.",
      "rtsp && frame matches \"rtsps?://[^/ ]*@\""),
  ]

  static let description: [String: CheckGuide] = [
    "sdp.mandatory": CheckGuide(
      "v=, o=, s= or t= is missing, or there is no m=; or (warning) neither the session nor each media has c=.", "sdp"),
    "sdp.o.syntax": CheckGuide(
      "o= has not six fields, its ids are no digits; or (warning) the address does not fit IP4 or IP6.", "sdp.owner"),
    "sdp.c.syntax": CheckGuide("c= has not three fields.", "sdp.connection_info || sdp"),
    "sdp.m.syntax": CheckGuide(
      "m= lacks fields, its media type is no word, its port no number up to 65535, or a format no payload type.",
      "sdp.media"),
    "sdp.text": CheckGuide(
      "Bytes that are no UTF-8, control characters, lines that are not letter=value; or (warning) bare LF, no line end at "
        + "the end, lines out of order, more than 16 kB.",
      "sdp"),
    "sdp.rtpmap.dynamic": CheckGuide(
      "A payload type from 96 to 127 has no a=rtpmap, or one that cannot be read.",
      "sdp.media_attribute.field == \"rtpmap\" || sdp"),
    "sdp.fmtp.pt": CheckGuide(
      "a=fmtp or a=rtpmap names a payload type that its m= line does not list.", "sdp.fmtp.parameter || sdp"),
    "sdp.control": CheckGuide(
      "One of several media has no a=control, or two have the same; or (warning) the session has none.",
      "sdp && frame contains \"a=control\" || sdp"),
    "sdp.h264.sprop": CheckGuide(
      "An entry of sprop-parameter-sets is no base64; or (warning) SPS or PPS is missing, profile-level-id is not the "
        + "SPS's, bytes follow the SPS.",
      "sdp.nal_unit_1_string || sdp.fmtp.parameter"),
    "sdp.h265.sprop": CheckGuide(
      "An entry of sprop-vps, sprop-sps or sprop-pps is no base64; or (warning) one of them is missing.",
      "sdp.fmtp.parameter"),
    "sdp.aac.params": CheckGuide(
      "MPEG4-GENERIC without mode or config, AAC-hbr with other lengths than 13, 3, 3; or (warning) config has another "
        + "sampling rate.",
      "sdp.fmtp.parameter"),
  ]
}
