/// The kind of session that a plan drives.
public enum FlowID: String, CaseIterable, Sendable {
  case rtspHotspot = "rtsp-hotspot"
  case hlsRoom = "hls-room"
  case livestreamCall = "livestream-call"
}

/// One step of a flow: it begins, then completes or fails, inside a time limit.
public struct StageID: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(stringLiteral value: String) { self.rawValue = value }
  public var description: String { rawValue }

  // The stages of `rtsp-hotspot`, in order.
  public static let preflight: StageID = "preflight"
  public static let configureStream: StageID = "configure-stream"
  public static let configureHotspot: StageID = "configure-hotspot"
  public static let enterLiveMode: StageID = "enter-live-mode"
  public static let waitForHotspot: StageID = "wait-for-hotspot"
  public static let connectHotspot: StageID = "connect-hotspot"
  public static let receiveAddress: StageID = "receive-address"
  public static let play: StageID = "play"
  public static let startSession: StageID = "start-session"
  public static let running: StageID = "running"
  public static let finish: StageID = "finish"
  public static let cleanUp: StageID = "clean-up"
}

/// The six verdict points that are common to all flows.
public enum Gate: String, CaseIterable, Sendable {
  case ready, accepted, address, media, active, ended
}

/// Where a session failed: a stage of the flow, or one of the three points that belong to no stage.
public struct FailurePoint: Hashable, Sendable, CustomStringConvertible {
  public let name: String
  public init(name: String) { self.name = name }
  public init(_ stage: StageID) { self.name = stage.rawValue }

  /// Events came in an order, or a number, that the flow does not allow; no stage failed.
  public static let protocolOrder = FailurePoint(name: "protocol-order")
  /// The control link to the device was lost.
  public static let controlLink = FailurePoint(name: "control-link")
  /// The bench itself: capture, media helper, a fault that did not fire.
  public static let rig = FailurePoint(name: "rig")
  public static let beyondStages: [FailurePoint] = [.protocolOrder, .controlLink, .rig]

  public var description: String { name }
}

/// A flow described as data: what begins and completes each stage, which gate it opens, how long it may take.
public struct Flow: Sendable {
  /// Something that lets a stage begin, or is needed for it to complete.
  public enum Condition: Hashable, Sendable {
    /// A device event with this name, whatever it carries.
    case event(String)
    /// A device event with this name and `success: true`; with `success: false` the stage fails.
    case success(String)
    /// A fact of this kind, observed by a witness other than the event's source.
    case fact(FactKind)
    /// Something the harness does or decides.
    case harness(HarnessStep)
    /// Another stage has completed.
    case completed(StageID)
    /// Any one of these.
    case any([Condition])
  }

  /// The harness's own moves in a flow.
  public enum HarnessStep: String, Hashable, Sendable {
    case hello, preflightPassed, startSent, startAccepted, addressAccepted, stopRequested, sessionOver
    /// The first key frame was due; whether it came is known after the session, from the phone that played.
    case keyFrameDue
  }

  public struct Stage: Sendable {
    public let id: StageID
    public let begins: Condition
    public let completes: [Condition]
    public let gate: Gate?
    /// `nil`: the plan, not the flow, says how long the stage lasts.
    public let limit: Duration?
    public let summary: String

    public init(
      _ id: StageID, begins: Condition, completes: [Condition], gate: Gate? = nil, limit: Duration?, summary: String
    ) {
      self.id = id
      self.begins = begins
      self.completes = completes
      self.gate = gate
      self.limit = limit
      self.summary = summary
    }
  }

  /// A time limit that belongs to no single stage, such as the longest gap in the media.
  public struct Limit: Sendable {
    public let name: String
    public let value: Duration
    public let summary: String
    public init(_ name: String, _ value: Duration, _ summary: String) {
      self.name = name
      self.value = value
      self.summary = summary
    }
  }

  public let id: FlowID
  public let stages: [Stage]
  /// The order in which this flow reaches its gates; `reached` in a plan follows it.
  public let gateOrder: [Gate]
  public let limits: [Limit]
  /// Device events that belong to this flow; others are listed, and fail a run only under `strict`.
  public let events: [String]
  /// Whether this harness can drive the flow, or only describes it.
  public let drivable: Bool

  public init(
    id: FlowID, stages: [Stage], gateOrder: [Gate], limits: [Limit], events: [String], drivable: Bool
  ) {
    self.id = id
    self.stages = stages
    self.gateOrder = gateOrder
    self.limits = limits
    self.events = events
    self.drivable = drivable
  }

  public func stage(_ id: StageID) -> Stage? { stages.first { $0.id == id } }
}
