import RigWire

/// Why a request was never answered: whom that speaks against is a fact of the packets.
extension CaptureAnalyzer {
  func ending(of request: RTSPRequest, from side: Int, connectionEnded: Bool) -> Ending {
    let connection = connections[request.connection]
    let acknowledged = connection.sides[side].stream.acknowledged
    if let atClose = connection.sides[1 - side].acknowledgedAtClose {
      if let end = request.end, atClose < end { return .crossed }
      if cameAfterBye(request) { return .crossed }
    } else if let end = request.end, acknowledged < end {
      // Every segment of the other side acknowledges something: without that, none of its segments is here.
      return acknowledged < 0 ? .notCaptured : .notReceived
    }
    if request.mayBeAnswered { return .notCaptured }
    let closer = connection.firstCloser
    if connectionEnded { return isServer(request.connection, closer ?? 0) ? .serverClosed : .clientClosed }
    // The server has closed its side, and the client's is open still: no answer can come any more.
    let isOver = closer == 1 - side && isServer(request.connection, 1 - side)
    return isOver ? .serverClosed : .captureEnded
  }

  /// The server was ending the session by itself before the request reached it. The end begins with the BYE of the last
  /// source that sends, or with the first BYE where nothing but BYEs followed it.
  private func cameAfterBye(_ request: RTSPRequest) -> Bool {
    let tracks = tracks(of: request).map { world.tracks[$0] }.filter { !$0.streams.isEmpty }
    let byes = tracks.compactMap(\.sourceBye)
    guard !byes.isEmpty, byes.count == tracks.count else { return false }
    let before = byes.filter { bye in
      // In the connection itself the BYE tells what had come by then.
      if let had = bye.acknowledged, bye.connection == request.connection, let end = request.end { return had < end }
      return bye.place.frame < request.place.frame
    }
    guard let last = before.max(by: { $0.place.isBefore($1.place) }) else { return false }
    let sent = tracks.flatMap(\.streams).map { world.streams[$0].last }
    return before.count == byes.count || !sent.contains { last.place.isBefore($0) }
  }

  /// Those of its session, else of all sessions that its connection made; none where they are very many.
  private func tracks(of request: RTSPRequest) -> [Int] {
    let connection = request.connection
    let sessions =
      session(of: request.message, on: connection).map { [$0] } ?? Array(connections[connection].sessions.values)
    guard sessions.count <= Route.streamLimit else { return [] }
    let tracks = sessions.flatMap { world.sessions[$0].tracks.prefix(Route.streamLimit + 1) }
    return tracks.count <= Route.streamLimit ? tracks : []
  }
}
