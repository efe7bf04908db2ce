/// What the server tells its owner, on the loop, as it happens.
public enum RTSPServerEvent: Hashable, Sendable {
  /// A request was read, before it is answered.
  case request(method: String, url: String)
  /// An answer was queued.
  case answered(method: String, status: Int)
  case sessionCreated(id: String)
  case played(id: String, transport: RTSPTransportKind)
  case paused(id: String)
  /// Access units are left out from now on because the reader of an interleaved connection is too slow; told once.
  case readerTooSlow(id: String)
  case ended(id: String, reason: RTSPSessionEnd)
  /// A fault did what it is for; told once per session and fault, or each time where no session is known.
  case faultActed(name: String, session: String?, detail: String)
}

public enum RTSPTransportKind: String, Sendable { case udp, interleaved }

public enum RTSPSessionEnd: String, Sendable {
  case teardown
  /// Neither requests nor receiver reports for the session's timeout.
  case expired
  /// The connection that carried its interleaved media closed.
  case connectionClosed
  case serverStopped
}
