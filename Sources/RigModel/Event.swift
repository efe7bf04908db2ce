/// `error = {domain, code, message}` as the device sent it. The message is shown and never decides a verdict.
public struct DeviceError: Hashable, Sendable, CustomStringConvertible {
  public var domain: String
  public var code: Int64
  public var message: String
  public init(domain: String, code: Int64, message: String) {
    self.domain = domain
    self.code = code
    self.message = message
  }
  public var description: String { "\(domain) \(code): \(message)" }
}

/// Something the device, SDK or backend reported. Never a verdict by itself.
public struct DeviceEvent: Hashable, Sendable {
  /// When the harness received it.
  public var received: HostTime
  /// The device's own time translated to the host clock, and its error bound; `nil` before clock sync.
  public var occurred: HostTime?
  public var timeError: Duration?
  public var sequence: Int64
  public var boot: String
  /// The run that the event names; `nil` where it names none.
  public var run: String?
  public var name: String
  public var source: String
  /// Everything else the event carries (`success`, `error`, `address`, …).
  public var data: JSONValue

  public init(
    received: HostTime, occurred: HostTime? = nil, timeError: Duration? = nil, sequence: Int64, boot: String,
    run: String?, name: String, source: String, data: JSONValue
  ) {
    self.received = received
    self.occurred = occurred
    self.timeError = timeError
    self.sequence = sequence
    self.boot = boot
    self.run = run
    self.name = name
    self.source = source
    self.data = data
  }

  /// Names that begin with `x.` are claims: attached to the timeline, never a proof.
  public var isClaim: Bool { name.hasPrefix("x.") }
  public var success: Bool? { data["success"]?.bool }
  public var error: DeviceError? {
    guard let e = data["error"], case .object = e else { return nil }
    return DeviceError(
      domain: e["domain"]?.string ?? "", code: e["code"]?.integer ?? 0, message: e["message"]?.string ?? "")
  }
}

/// Who observed a fact.
public enum Witness: String, Sendable {
  case link, capture, media, control, rig
  /// The capture of the phone that played.
  case phone
}

public enum FactKind: String, CaseIterable, Sendable {
  /// The harness reached the device over the link (TCP connect to the announced probe port, a lease, a station).
  case linkJoined = "link.joined"
  /// The link could not be proven although the device reported success.
  case linkNotJoined = "link.not-joined"
  case linkLost = "link.lost"
  /// The harness's own station failed (its radio is switched off, its supplicant ended): of the device's hotspot that
  /// says nothing. The rig's fault.
  case stationFailed = "link.station-failed"
  /// A fault that the link itself performed, with what it counted.
  case linkImpaired = "link.impaired"
  /// After the session: the access point no longer answers.
  case hotspotGone = "link.hotspot-gone"
  case hotspotStillUp = "link.hotspot-still-up"
  case mediaOpened = "media.opened"
  case mediaFailed = "media.failed"
  /// Nobody answers at the address: the connection was refused, or never came about.
  case mediaUnreachable = "media.unreachable"
  case firstPacket = "media.first-packet"
  case keyFrame = "media.key-frame"
  case mediaGap = "media.gap"
  /// The gap that was reported is over.
  case mediaResumed = "media.resumed"
  case mediaEnded = "media.ended"
  case decodeError = "media.decode-error"
  case portClosed = "wire.port-closed"
  case portStillOpen = "wire.port-still-open"
  case wireQuiet = "wire.quiet"
  case wireBusy = "wire.busy"
  /// An RTSP request and what became of it.
  case rtspExchange = "wire.rtsp-exchange"
  /// What the capture measured of one stream.
  case streamMeasured = "wire.stream"
  /// What the decoder measured of all pictures.
  case picturesMeasured = "media.pictures"
  case controlLost = "control.lost"
  case controlBack = "control.back"
  case rebooted = "control.rebooted"
  /// After a case: whether the device takes another start.
  case nextStartAccepted = "next-start.accepted"
  case nextStartRefused = "next-start.refused"
  /// The control channel's device left the bus; the host's own transfers said so.
  case controlUnplugged = "control.unplugged"
  /// A transfer of the control channel ended with a stall.
  case transferStalled = "control.transfer-stalled"
  /// A transfer of the control channel timed out.
  case transferTimedOut = "control.transfer-timed-out"
  /// Bytes of an earlier owner were in the control channel when it was opened.
  case staleData = "control.stale-data"
  /// The device sends its records in crumbs.
  case shortPackets = "control.short-packets"
}

/// An observation by a witness other than the event's source: what a verdict may rest on.
public struct Fact: Hashable, Sendable {
  public var time: HostTime
  public var witness: Witness
  public var kind: FactKind
  /// For people.
  public var detail: String
  /// The same for machines, where something is to be measured or compared; each kind has its own members.
  public var data: JSONValue
  public init(
    _ kind: FactKind, by witness: Witness, at time: HostTime, detail: String = "", data: JSONValue = .null
  ) {
    self.kind = kind
    self.witness = witness
    self.time = time
    self.detail = detail
    self.data = data
  }
}
