/// The names a plan may use, taken from the catalogs by the composition root: RigPlan itself knows none.
public struct PlanVocabulary: Sendable {
  public struct FlowWords: Sendable {
    public var id: FlowID
    public var stages: [String]
    /// In the order in which the flow reaches them.
    public var gates: [String]
    /// Every name that `limits` may hold: stages with a limit, and limits of the whole session.
    public var limits: [String]
    /// Event names that `never` may hold.
    public var events: [String]
    /// The stage that opens each gate.
    public var opens: [String: String]
    public var drivable: Bool
    public init(
      id: FlowID, stages: [String], gates: [String], limits: [String], events: [String],
      opens: [String: String] = [:], drivable: Bool
    ) {
      self.id = id
      self.stages = stages
      self.gates = gates
      self.limits = limits
      self.events = events
      self.opens = opens
      self.drivable = drivable
    }
  }

  public enum ArgumentKind: String, Sendable { case duration, integer, text, flag, percent, bitRate }

  public struct ArgumentWords: Sendable {
    public var name: String
    public var kind: ArgumentKind
    public var required: Bool
    /// Where the argument takes one of a few words.
    public var choices: [String]
    public var summary: String
    public init(name: String, kind: ArgumentKind, required: Bool = false, choices: [String] = [], summary: String) {
      self.name = name
      self.kind = kind
      self.required = required
      self.choices = choices
      self.summary = summary
    }
  }

  public struct FaultWords: Sendable {
    public var verb: String
    public var layer: String
    /// The stages of each flow at which the fault makes sense.
    public var stages: [FlowID: [String]]
    public var arguments: [ArgumentWords]
    public var summary: String
    public init(verb: String, layer: String, stages: [FlowID: [String]], arguments: [ArgumentWords], summary: String) {
      self.verb = verb
      self.layer = layer
      self.stages = stages
      self.arguments = arguments
      self.summary = summary
    }
  }

  public var flows: [FlowWords]
  /// A verb may stand here more than once: `delay` is a fault of the flow and of the link.
  public var faults: [FaultWords]
  public var checks: [CheckInfo]
  public var capabilities: [String]
  /// What `measure` may limit.
  public var measurements: [MeasurementInfo]

  public init(
    flows: [FlowWords], faults: [FaultWords], checks: [CheckInfo], capabilities: [String],
    measurements: [MeasurementInfo] = MeasurementCatalog.all
  ) {
    self.flows = flows
    self.faults = faults
    self.checks = checks
    self.capabilities = capabilities
    self.measurements = measurements
  }
}
