/// One entry of the timeline: what happened, at which host time, in which case.
public struct TimelineEntry: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case stageBegan(StageID, deadline: HostTime?)
    case stageEnded(StageID, StageOutcome, reason: String)
    case gate(Gate)
    case event(DeviceEvent)
    case fact(Fact)
    /// Something the harness did: sent a request, opened the URL, joined, asked for a stop.
    case action(String)
    case faultArmed(String, id: String)
    case faultFired(String, proof: String)
    case finding(Finding)
    /// Text outside stage-link records: the device's log.
    case deviceLog(String)
    case note(String)
  }
  public var time: HostTime
  public var what: What
  public init(_ time: HostTime, _ what: What) {
    self.time = time
    self.what = what
  }
}

/// What the runner tells the reports, as it happens. Console, journal and JSON lines all hang on this one stream.
public enum RunEvent: Sendable {
  case runStarted(RunHeader)
  case caseStarted(caseID: String, device: String, at: HostTime)
  case entry(caseID: String, TimelineEntry)
  case caseEnded(RunRecord)
  case runEnded(at: HostTime, interrupted: Bool)
}
