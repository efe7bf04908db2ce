import RigBytes
import RigLoop
import RigModel
import RigWire

/// DESCRIBE, PLAY, PAUSE and TEARDOWN (RFC 2326 10.2, 10.5–10.7).
extension RTSPServer {
  func describe(
    _ request: RTSPMessage, _ url: String, _ target: RTSPTarget, _ connection: RTSPConnection
  ) -> RTSPReply {
    guard target == .presentation else { return RTSPReply(404) }
    if let accept = request.headers["Accept"] {
      let types = ASCII.split(accept, on: ",").map { ASCII.trimmed(ASCII.cut($0, at: ";").head) }
      let fits = types.contains { type in
        ["application/sdp", "application/*", "*/*"].contains { ASCII.equal($0, type) }
      }
      guard fits else { return RTSPReply(406) }
    }
    let host = connection.local.host
    let description = StreamDescription(prepared, host: host, sessionID: "\(presentationID)")
    var reply = RTSPReply(
      200, ["Content-Type": "application/sdp", "Content-Base": baseURL(url) + "/", "Cache-Control": "no-cache"])
    reply.body = describe(description)
    return reply
  }

  /// The request URL up to the presentation's path: clients reach the same device under more than one name.
  private func baseURL(_ url: String) -> String {
    guard var parsed = try? RTSPURL(parsing: url) else { return url }
    parsed.pathAndQuery = mount
    return parsed.credentialsRemoved
  }

  // MARK: PLAY

  func play(_ request: RTSPMessage, _ url: String, _ target: RTSPTarget, _ session: RTSPSession) -> RTSPReply {
    if let refused = refusal(target, session) { return refused }
    if let range = request.headers["Range"], let status = rangeProblem(range) {
      return RTSPReply(status, [:], session)
    }
    guard !session.tracks.isEmpty else { return RTSPReply(455, [:], session) }
    let base = baseURL(url)
    var reply = RTSPReply(200, ["Range": "npt=now-"], session)
    let starts = !session.isPlaying
    // Begun before the answer, so that RTP-Info tells what will be sent; the first packet leaves after it.
    if starts { play(session) }
    reply.headers.add("RTP-Info", RTPInfoHeader(session.tracks.map { streamInfo($0, session, base) }).text)
    if starts, let transport = session.transport {
      let id = session.id
      reply.then = { [observer] in observer(.played(id: id, transport: transport)) }
    }
    return reply
  }

  private func streamInfo(_ track: SessionTrack, _ session: RTSPSession, _ base: String) -> RTPInfoHeader.Stream {
    RTPInfoHeader.Stream(
      url: "\(base)/\(track.media.control)", sequence: track.sequence, rtpTime: session.timestamp(track))
  }

  /// A live presentation plays from now on whatever the range says, as long as the range says something.
  private func rangeProblem(_ range: String) -> Int? {
    let (unit, rest) = ASCII.cut(ASCII.cut(range, at: ";").head, at: "=")
    guard let rest else { return 457 }
    switch ASCII.lowercased(ASCII.trimmed(unit)) {
    case "npt":
      let (from, to) = ASCII.cut(ASCII.trimmed(rest), at: "-")
      guard let to, !(from.isEmpty && to.isEmpty), isNPT(from), isNPT(to) else { return 457 }
      return nil
    case "clock", "smpte", "smpte-30-drop", "smpte-25": return nil
    // RFC 2326 12.29: a unit that is not understood.
    default: return 501
    }
  }

  /// `now`, seconds, `h:mm:ss`, or nothing (RFC 2326 3.6).
  private func isNPT(_ text: String) -> Bool {
    text == "now" || text.utf8.allSatisfy { ASCII.isDigit($0) || $0 == 0x2E || $0 == 0x3A }
  }

  // MARK: PAUSE, TEARDOWN

  func pause(_ target: RTSPTarget, _ session: RTSPSession) -> RTSPReply {
    if let refused = refusal(target, session) { return refused }
    guard session.isPlaying else { return RTSPReply(455, [:], session) }
    pause(session)
    observer(.paused(id: session.id))
    return RTSPReply(200, [:], session)
  }

  /// PLAY and PAUSE speak of all tracks at once (RFC 2326 10.5; status 460).
  private func refusal(_ target: RTSPTarget, _ session: RTSPSession) -> RTSPReply? {
    guard case .track(let index) = target else { return nil }
    if session.tracks.count > 1 { return RTSPReply(460, [:], session) }
    return session.tracks.first?.media.index == index ? nil : RTSPReply(455, [:], session)
  }

  func tearDown(_ target: RTSPTarget, _ session: RTSPSession) -> RTSPReply {
    if faults.contains(.ignoreTeardown) {
      session.ignoresTeardown = true
      acted(.ignoreTeardown, in: session, "TEARDOWN answered 200, media goes on")
      return RTSPReply(200)
    }
    if case .track(let index) = target, session.tracks.count > 1 {
      guard !session.isPlaying else { return RTSPReply(460, [:], session) }
      session.tracks.filter { $0.media.index == index }.forEach { $0.close() }
      session.tracks.removeAll { $0.media.index == index }
      return RTSPReply(200, [:], session)
    }
    // BYE goes out before the answer: after it a client may no longer listen.
    end(session, .teardown)
    return RTSPReply(200)
  }
}
