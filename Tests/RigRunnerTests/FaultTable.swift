import RigFlow
import RigModel

/// The reviewed table: where a session must be seen to fail for each fault at each stage, whatever the emulator does.
///
/// It stands apart from the catalog and from the emulator on purpose: a change of either that moves the blame shows here.
struct FaultRow: Sendable, CustomStringConvertible {
  let verb: String
  let stage: StageID
  /// `nil`: the session succeeds in spite of the fault.
  let fails: FailurePoint?
  /// `nil`: depends on which of two parallel stages was quicker.
  let reached: Gate?
  var arguments: [String: FaultArgument] = [:]
  var limits: [String: Duration] = [:]
  var playFor: Duration = .seconds(1)
  /// A failure of the rig or of a precondition where nobody expected it: error, not fail.
  var isRigs = false

  var description: String { "\(verb) at \(stage)" }
  var request: FaultRequest { FaultRequest(at: stage, do: verb, arguments: arguments) }

  func plan(expecting failed: FailurePoint?, reached: Gate? = nil) -> Plan {
    Cases.plan(
      "\(verb)-\(stage)", faults: [request], failed: failed, reached: reached, limits: limits, playFor: playFor)
  }

  private init(
    _ verb: String, _ stage: StageID, _ fails: FailurePoint?, _ reached: Gate?,
    arguments: [String: FaultArgument] = [:], limits: [String: Duration] = [:], playFor: Duration = .seconds(1),
    isRigs: Bool = false
  ) {
    self.verb = verb
    self.stage = stage
    self.fails = fails
    self.reached = reached
    self.arguments = arguments
    self.limits = limits
    self.playFor = playFor
    self.isRigs = isRigs
  }

  private static func at(_ stage: StageID) -> FailurePoint { FailurePoint(stage) }
  private static func lasting(_ seconds: Int) -> [String: FaultArgument] { ["for": .duration(.seconds(seconds))] }
  private static func after(_ seconds: Int) -> [String: FaultArgument] { ["after": .duration(.seconds(seconds))] }

  static let all: [FaultRow] = [
    // Before anything starts.
    FaultRow("not-ready", .preflight, at(.preflight), nil, isRigs: true),
    FaultRow("refuse", .configureStream, at(.configureStream), .ready),
    FaultRow("hang", .configureStream, at(.configureStream), .ready),
    FaultRow("busy", .configureStream, at(.configureStream), .ready),

    FaultRow("refuse", .configureHotspot, at(.configureHotspot), .accepted),
    FaultRow("refuse", .enterLiveMode, at(.enterLiveMode), .accepted),
    FaultRow("refuse", .connectHotspot, at(.connectHotspot), .accepted),
    FaultRow("refuse", .startSession, at(.startSession), nil),

    FaultRow("hang", .configureHotspot, at(.configureHotspot), .accepted),
    FaultRow("hang", .enterLiveMode, at(.enterLiveMode), .accepted),
    FaultRow("hang", .waitForHotspot, at(.waitForHotspot), .accepted),
    FaultRow("hang", .connectHotspot, at(.connectHotspot), .accepted),
    FaultRow("hang", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("hang", .startSession, at(.startSession), .media),

    // The device goes on: the limit must pass before the session is over.
    FaultRow(
      "drop", .configureHotspot, at(.configureHotspot), nil, limits: ["configure-hotspot": .seconds(3)],
      playFor: .seconds(9)),
    FaultRow(
      "drop", .enterLiveMode, at(.enterLiveMode), nil, limits: ["enter-live-mode": .seconds(3)], playFor: .seconds(9)),
    FaultRow("drop", .connectHotspot, at(.connectHotspot), .accepted, limits: ["connect-hotspot": .seconds(3)]),
    FaultRow("drop", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("drop", .startSession, at(.startSession), .media),

    FaultRow("delay", .configureHotspot, nil, .ended, arguments: lasting(2)),
    FaultRow("delay", .enterLiveMode, nil, .ended, arguments: lasting(2)),
    FaultRow("delay", .waitForHotspot, nil, .ended, arguments: lasting(2)),
    FaultRow("delay", .connectHotspot, nil, .ended, arguments: lasting(2)),
    FaultRow("delay", .receiveAddress, nil, .ended, arguments: lasting(2)),
    FaultRow("delay", .startSession, nil, .ended, arguments: lasting(2)),

    FaultRow(
      "late", .configureHotspot, at(.configureHotspot), .accepted, arguments: lasting(6),
      limits: ["configure-hotspot": .seconds(3)]),
    FaultRow(
      "late", .enterLiveMode, at(.enterLiveMode), .accepted, arguments: lasting(6),
      limits: ["enter-live-mode": .seconds(3)]),
    FaultRow(
      "late", .waitForHotspot, at(.waitForHotspot), .accepted, arguments: lasting(6),
      limits: ["wait-for-hotspot": .seconds(3)]),
    FaultRow(
      "late", .connectHotspot, at(.connectHotspot), .accepted, arguments: lasting(6),
      limits: ["connect-hotspot": .seconds(3)]),
    FaultRow(
      "late", .receiveAddress, at(.receiveAddress), .accepted, arguments: lasting(6),
      limits: ["receive-address": .seconds(3)]),
    FaultRow(
      "late", .startSession, at(.startSession), .media, arguments: lasting(6), limits: ["start-session": .seconds(3)]),

    FaultRow("duplicate", .configureHotspot, .protocolOrder, .ended),
    FaultRow("duplicate", .enterLiveMode, .protocolOrder, .ended),
    FaultRow("duplicate", .connectHotspot, .protocolOrder, .ended),
    FaultRow("duplicate", .startSession, .protocolOrder, .ended),

    FaultRow("reorder", .configureHotspot, .protocolOrder, .ended),
    FaultRow("reorder", .enterLiveMode, .protocolOrder, .ended),
    FaultRow("reorder", .connectHotspot, .protocolOrder, .ended),

    FaultRow("lie", .connectHotspot, at(.connectHotspot), .accepted),

    FaultRow("other-run", .configureHotspot, at(.configureHotspot), .accepted),
    FaultRow("other-run", .enterLiveMode, at(.enterLiveMode), .accepted),
    FaultRow("other-run", .connectHotspot, at(.connectHotspot), .accepted),
    FaultRow("other-run", .startSession, at(.startSession), .media),

    FaultRow("reboot", .configureHotspot, at(.configureHotspot), .accepted),
    FaultRow("reboot", .enterLiveMode, at(.enterLiveMode), .accepted),
    FaultRow("reboot", .waitForHotspot, at(.waitForHotspot), .accepted),
    FaultRow("reboot", .connectHotspot, at(.connectHotspot), .accepted),
    // Late enough that the address has come and plays: the only stage that is left is the one that the fault names.
    FaultRow("reboot", .startSession, at(.startSession), .media, arguments: after(1)),
    FaultRow("reboot", .running, at(.running), .active, arguments: after(1), playFor: .seconds(5)),

    // The address.
    FaultRow("bad-scheme", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("no-host", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("control-bytes", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("too-long", .receiveAddress, at(.receiveAddress), .accepted),
    // The address is taken as it comes, and nobody answers there: it is withdrawn.
    FaultRow("wrong-host", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("dead-port", .receiveAddress, at(.receiveAddress), .accepted),
    FaultRow("twice", .receiveAddress, .protocolOrder, .ended),
    FaultRow("changed", .receiveAddress, .protocolOrder, .ended),

    FaultRow("never-opens", .waitForHotspot, at(.waitForHotspot), .accepted),
    FaultRow("slow-open", .waitForHotspot, nil, .ended, arguments: lasting(2)),

    // The end.
    FaultRow("interrupt", .running, at(.finish), .active, arguments: after(1), playFor: .seconds(5)),
    FaultRow("ignore-stop", .finish, at(.finish), .active),
    FaultRow("no-finish", .finish, at(.finish), .active),
    FaultRow("finish-twice", .finish, .protocolOrder, .ended),
    FaultRow("events-after-finish", .finish, .protocolOrder, .ended),
    FaultRow("wrong-user-stopped", .finish, at(.finish), .active),
    FaultRow("leak-port", .cleanUp, at(.cleanUp), .ended),
    FaultRow("leak-hotspot", .cleanUp, at(.cleanUp), .ended),

    // The control link.
    FaultRow("heartbeat-lost", .running, .controlLink, .active, playFor: .seconds(20), isRigs: true),
    FaultRow("heartbeat-lost", .configureHotspot, .controlLink, .accepted, isRigs: true),
    FaultRow("heartbeat-lost", .enterLiveMode, .controlLink, .accepted, isRigs: true),
    FaultRow("heartbeat-lost", .waitForHotspot, .controlLink, .accepted, isRigs: true),
    FaultRow("heartbeat-lost", .connectHotspot, .controlLink, .accepted, isRigs: true),
    FaultRow("heartbeat-lost", .startSession, .controlLink, nil, isRigs: true),
    FaultRow("damaged-record", .waitForHotspot, nil, .ended),
    FaultRow("damaged-record", .connectHotspot, nil, .ended),
    FaultRow("damaged-record", .startSession, nil, .ended),
    FaultRow("damaged-record", .configureHotspot, nil, .ended),
    FaultRow("damaged-record", .enterLiveMode, nil, .ended),
  ]
}
