public import RigModel

/// A deviation that the harness can ask for: what it is called, where it may act, what proves that it fired, and what
/// it must lead to.
public struct FaultDefinition: Sendable {
  public enum Layer: String, CaseIterable, Sendable {
    case flow, address, hotspot, link, rtsp, sdp, rtp, media, finish, controlLink = "control-link"
  }

  /// What a session with the fault must end in, when it acts at `stage`.
  public indirect enum Outcome: Hashable, Sendable {
    /// The fault's own stage is the failure point.
    case fails
    case failsAt(FailurePoint)
    /// The session succeeds in spite of it.
    case borne
    /// Another outcome at some stages; at the others the fault's own stage fails.
    case at([StageID: Outcome])
  }

  /// What a device must offer, beside `inject`, to carry a fault out.
  public enum Capability: String, CaseIterable, Sendable {
    /// Its control link is on the USB, and it can disturb that.
    case usb

    /// Which devices have it.
    public var need: String {
      switch self {
      case .usb: "a device whose control link is on USB"
      }
    }
  }

  public let verb: String
  public let layer: Layer
  /// Where it makes sense, by flow.
  public let stages: [FlowID: [StageID]]
  public let arguments: [FaultArgumentDefinition]
  /// One line, without a full stop.
  public let summary: String
  /// What it does, for the page of `streamrig faults --explain`.
  public let about: String
  public let proof: FaultProof
  public let outcome: Outcome
  /// Checks whose findings are the expected consequence.
  public let trips: [String]
  /// Needs packets on a wire: no part of `--simulate`.
  public let needsWire: Bool
  /// `nil`: any device that takes faults can be asked for it.
  public let capability: Capability?
  /// The only transport over which it can act; `nil`: either.
  public let transport: MediaTransport?
  /// How long an example plays; `nil`: as long as plans do.
  public let plays: Duration?
  /// The limit that an example gives the fault's stage; `nil`: the flow's.
  public let limit: Duration?
  /// Something about it is random: its argument `seed` repeats it.
  public let draws: Bool

  init(
    _ verb: String, _ layer: Layer, at stages: [StageID], arguments: [FaultArgumentDefinition] = [],
    proof: FaultProof, outcome: Outcome = .fails, trips: [String] = [], needsWire: Bool = false,
    capability: Capability? = nil, transport: MediaTransport? = nil, plays: Duration? = nil, limit: Duration? = nil,
    draws: Bool = false, summary: String, about: String
  ) {
    self.verb = verb
    self.layer = layer
    self.stages = [.rtspHotspot: stages]
    self.arguments = arguments + (draws ? [FaultDefinition.seed] : [])
    self.summary = summary
    self.about = about
    self.proof = proof
    self.outcome = outcome
    self.trips = trips
    self.needsWire = needsWire
    self.capability = capability
    self.transport = transport
    self.plays = plays
    self.limit = limit
    self.draws = draws
  }

  /// `rtp.drop`: the verb alone may stand for several layers.
  public var id: String { "\(layer.rawValue).\(verb)" }

  public func isLegal(at stage: StageID, in flow: FlowID) -> Bool { stages[flow]?.contains(stage) ?? false }

  /// What must be blamed where it acts at `stage`; `nil`: nothing.
  public func blame(at stage: StageID) -> FailurePoint? {
    var outcome = outcome
    if case .at(let others) = outcome { outcome = others[stage] ?? .fails }
    return switch outcome {
    case .fails, .at: FailurePoint(stage)
    case .failsAt(let point): point
    case .borne: nil
    }
  }

  /// An argument as the plan gives it, else what holds where it is left out.
  public func argument(_ name: String, of request: FaultRequest) -> FaultArgument? {
    request.arguments[name] ?? standard(name)
  }

  /// What holds where an argument is left out.
  public func standard(_ name: String) -> FaultArgument? { arguments.first { $0.name == name }?.standard }

  /// Stages that the device completes with an event that carries `success`.
  static let completedStages: [StageID] = [.configureHotspot, .enterLiveMode, .connectHotspot, .startSession]

  private static let seed = FaultArgumentDefinition(
    "seed", .integer, "repeats what is random in it; left out: drawn from the device's own seed")
}
