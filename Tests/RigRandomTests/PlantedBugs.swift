import RigFlow
import RigModel
import RigRandom

/// A session with a bug planted in it: what comes in or goes out is changed.
struct PlantedSession: SessionMachine {
  enum Bug: CaseIterable, Sendable {
    /// Another run's events are taken for this run's.
    case otherRunCounts
    /// A reported join is taken for its proof.
    case joinWithoutFact
    /// The end is never told.
    case finishedSwallowed
    /// The stream is opened twice.
    case mediaOpenedTwice
    /// A second address is opened instead of the first.
    case lastAddressOpened
    /// A reported failure is taken for a success.
    case refusalIgnored
    /// The session start alone makes the session active.
    case activeWithoutPicture
    /// The stop that cleans up is forgotten.
    case noStopAsCleanUp
    /// `sessionFinish` is not heard.
    case finishIgnored
    /// A reboot is not noticed.
    case rebootIgnored
    /// Limits never pass.
    case noTimer
    /// A stage begins once more when its beginning is repeated.
    case beginsAgain
  }

  private var session: Session
  private let bug: Bug
  private let run: String
  private var url: String?

  init(_ bug: Bug, _ flow: Flow, _ setup: Session.Setup) {
    session = Session(flow: flow, setup: setup)
    self.bug = bug
    run = setup.run
  }

  var nextDeadline: HostTime? { bug == .noTimer ? nil : session.nextDeadline }
  var isOver: Bool { session.isOver }
  var reached: Gate? { session.reached }
  var failure: Session.Failure? { session.failure }

  mutating func handle(_ input: Session.Input, at now: HostTime) -> [Session.Action] {
    var input = input
    if case .event(var event) = input {
      if bug == .otherRunCounts, event.run != nil { event.run = run }
      if bug == .refusalIgnored, event.success == false { event.data = ["success": true] }
      if bug == .finishIgnored, event.name == "sessionFinish" { return [] }
      if bug == .lastAddressOpened, event.name == "rtspAddressReceived" { url = event.data["address"]?.string }
      input = .event(event)
    }
    if bug == .rebootIgnored, case .rebooted = input { return [] }
    var actions = session.handle(input, at: now)
    switch (bug, input) {
    case (.joinWithoutFact, .event(let event))
    where event.name == "deviceHotspotConnectCompletion" && event.success == true && actions.contains(.proveLink):
      actions += session.handle(.fact(Fact(.linkJoined, by: .link, at: now)), at: now)
    case (.activeWithoutPicture, .event(let event)) where event.name == "sessionStartCompletion":
      actions += session.handle(.fact(Fact(.keyFrame, by: .media, at: now)), at: now)
    case (.finishedSwallowed, _): actions.removeAll { $0 == .finished }
    case (.noStopAsCleanUp, _):
      if session.isCleaning, let i = actions.lastIndex(of: .sendStop) { actions.remove(at: i) }
    case (.mediaOpenedTwice, _):
      for case .openMedia(let url) in actions { actions.append(.openMedia(url)) }
    case (.lastAddressOpened, _):
      actions = actions.map {
        if case .openMedia(let first) = $0 { .openMedia(url.map { $0 + "/" } ?? first) } else { $0 }
      }
    case (.beginsAgain, .event(let event)) where event.name == "enterLiveStreamingModeStarting" && actions.isEmpty:
      actions.append(.stageBegan(.enterLiveMode, deadline: nil))
    default: break
    }
    return actions
  }
}
