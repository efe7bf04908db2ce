import RigChecks
import RigFlow
import RigModel

/// The flow's rules a second time, over the whole list at once: what the checks of RigChecks find in one pass must be
/// what the list shows.
enum FlowCheckTwins {
  /// A check that finds something where the list shows nothing, or the other way round; `nil`: they agree.
  static func difference(_ c: SessionRuleContext) -> String? {
    var checks = FlowChecks(FlowContext(flow: .rtspHotspot, run: SessionSequence.run))
    for entry in timeline(c) { checks.see(entry) }
    let findings = checks.finish()
    let found = Set(findings.map(\.check))
    let own = c.moments.indices.compactMap { i in c.ownEvent(i).map { (moment: i, event: $0) } }
    for (id, isBroken) in twins(c, own) where found.contains(id) != isBroken {
      let said = findings.first { $0.check == id }.map { ": \($0.message)" } ?? ""
      return isBroken ? "\(id) finds nothing, and the rule is broken" : "\(id) finds what is not there\(said)"
    }
    // Only the session itself could break these.
    for finding in findings
    where ["flow.no-early-success", "flow.keep-player-until-end"].contains(finding.check)
      || finding.check == "flow.other-run" && finding.severity == .error
      || finding.message == "a URL was opened that was not received"
    {
      return "\(finding.check): \(finding.message)"
    }
    return nil
  }

  private typealias Own = [(moment: Int, event: DeviceEvent)]

  private static func twins(_ c: SessionRuleContext, _ own: Own) -> [(String, Bool)] {
    let known = own.filter { Flow.rtspHotspot.events.contains($0.event.name) }
    let facts = c.moments.indices.compactMap { i in c.fact(i).map { (moment: i, kind: $0) } }
    return [
      ("flow.order", !isInOrder(c, own)), ("flow.address-vs-start", isBeforeJoin(known)),
      ("flow.finish-once", !finishesOnce(c, known)), ("flow.user-stop-told-apart", !isToldApart(c, known)),
      ("flow.failure-is-terminal", followsFailure(own)),
      ("flow.known-events", known.count < own.count),
      ("flow.clean-end", facts.contains { [.portStillOpen, .wireBusy, .hotspotStillUp].contains($0.kind) }),
      ("flow.stay-on-hotspot", facts.contains { $0.kind == .linkLost && c.isRunning(.running, $0.moment) }),
      ("flow.corroborated", isContradicted(known, facts)),
      (
        "flow.url-never-guessed",
        known.contains { item in
          guard item.event.name == "rtspAddressReceived" else { return false }
          if case .failure = AddressRule.check(item.event.data["address"]?.string) { return true }
          return false
        }
      ),
      (
        "flow.other-run",
        c.moments.contains {
          if case .event(let event) = $0.input {
            event.run == SessionSequence.otherRun && !event.isClaim
          } else {
            false
          }
        }
      ),
    ]
  }

  private static let ladder = [
    "configureHotspotStarting", "hotspotConfigureCompletion", "enterLiveStreamingModeStarting",
    "enterLiveStreamingModeCompleted", "waitingForHotspotOpen", "connectDeviceHotspotStarting",
    "deviceHotspotConnectCompletion",
  ]

  /// Up to the failure or the finish, the events of the way to the hotspot are the beginning of the ladder, and what
  /// comes beside it comes once.
  private static func isInOrder(_ c: SessionRuleContext, _ own: Own) -> Bool {
    let failed = c.ends.first { $0.outcome == .failed }?.moment ?? .max
    let finished = own.first { $0.event.name == "sessionFinish" }?.moment ?? .max
    let names = own.filter { $0.moment <= failed && $0.moment < finished }.map(\.event.name)
    for single in ["rtspAddressReceived", "sessionStartCompletion"] where names.count(where: { $0 == single }) > 1 {
      return false
    }
    let rungs = names.filter(ladder.contains)
    return rungs == Array(ladder.prefix(rungs.count))
  }

  private static func isBeforeJoin(_ known: Own) -> Bool {
    let joined = known.firstIndex {
      $0.event.name == "deviceHotspotConnectCompletion" && $0.event.data["success"]?.bool == true
    }
    return known[..<(joined ?? known.count)].contains {
      $0.event.name == "rtspAddressReceived"
        || $0.event.name == "sessionStartCompletion" && $0.event.data["success"]?.bool == true
    }
  }

  private static func finishesOnce(_ c: SessionRuleContext, _ known: Own) -> Bool {
    if let first = known.firstIndex(where: { $0.event.name == "sessionFinish" }) { return first == known.count - 1 }
    let wasActive = c.moments.contains { $0.actions.contains(.gate(.active)) }
    let wasCleaned = c.ends.contains { $0.stage == .cleanUp && [.passed, .failed].contains($0.outcome) }
    let isExcused = c.moments.indices.contains { i in
      switch c.moments[i].input {
      case .controlLost, .rebooted, .abort: true
      default: [FactKind.controlLost, .rebooted].contains(c.fact(i))
      }
    }
    return !wasActive || !wasCleaned || isExcused
  }

  private static func isToldApart(_ c: SessionRuleContext, _ known: Own) -> Bool {
    guard let finish = known.first(where: { $0.event.name == "sessionFinish" }) else { return true }
    // The finish that answers a clean-up's stop says nothing of users.
    if let ended = c.ended, ended < finish.moment, c.stoppedAsCleanUp(ended) { return true }
    let isAsked = c.moments[..<finish.moment].contains { $0.actions.contains(.sendStop) }
    return switch finish.event.data["userStopped"]?.bool {
    case true: isAsked
    case false: !isAsked && finish.event.error != nil
    default: false
    }
  }

  private static func followsFailure(_ own: Own) -> Bool {
    guard let failed = own.firstIndex(where: { $0.event.data["success"]?.bool == false }) else { return false }
    return own[(failed + 1)...].contains {
      $0.event.name != "sessionFinish" && Flow.rtspHotspot.events.contains($0.event.name)
    }
  }

  private static func isContradicted(_ known: Own, _ facts: [(moment: Int, kind: FactKind)]) -> Bool {
    let reported = known.first {
      $0.event.name == "deviceHotspotConnectCompletion" && $0.event.data["success"]?.bool == true
    }
    return reported.map { first in facts.contains { $0.kind == .linkNotJoined && $0.moment > first.moment } } ?? false
  }

  // MARK: The timeline that a run would write

  private static func timeline(_ c: SessionRuleContext) -> [TimelineEntry] {
    var entries: [TimelineEntry] = []
    var isCleaning = false
    for moment in c.moments {
      func add(_ what: TimelineEntry.What) { entries.append(TimelineEntry(moment.time, what)) }
      switch moment.input {
      case .event(let event): add(.event(event))
      case .fact(let fact): add(.fact(fact))
      case .controlLost(let reason): add(.fact(Fact(.controlLost, by: .control, at: moment.time, detail: reason)))
      case .controlBack: add(.fact(Fact(.controlBack, by: .control, at: moment.time)))
      case .rebooted(let detail): add(.fact(Fact(.rebooted, by: .control, at: moment.time, detail: detail)))
      case .abort: add(.note("aborted"))
      default: break
      }
      for action in moment.actions {
        switch action {
        case .stageBegan(let id, let deadline): add(.stageBegan(id, deadline: deadline))
        case .stageEnded(let id, let outcome, let reason): add(.stageEnded(id, outcome, reason: reason))
        case .gate(let gate): add(.gate(gate))
        case .sendStart: add(.action(HarnessAction.start))
        case .sendStop: add(.action(isCleaning ? HarnessAction.stopAsCleanUp : HarnessAction.stop))
        case .openMedia(let url): add(.action(HarnessAction.open(url)))
        case .closeMedia:
          isCleaning = true
          add(.action(HarnessAction.closeMedia))
        default: break
        }
      }
    }
    return entries
  }
}
