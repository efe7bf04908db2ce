public import RigModel

/// What a rig offers to a run, as far as it decides which cases can run at all.
public struct Bench: Hashable, Sendable {
  public var capabilities: [String]
  /// The models of the rig's devices. `nil`: not known yet, so that no case is skipped for its model.
  public var deviceModels: [String]?
  /// Layers of faults that this run does not reach, each with the reason: `rtsp` under `--simulate`.
  public var closedLayers: [String: String]
  /// The devices of a rig file, which decide in place of `capabilities` and `deviceModels`. `nil`: there is none.
  public var devices: [Device]?

  /// One device of a rig file, as far as it decides which cases it can run.
  public struct Device: Hashable, Sendable {
    public var name: String
    public var model: String
    /// `nil`: not known before it is asked.
    public var capabilities: [String]?
    public var flows: [String]?
    /// Layers of faults that cannot be performed on it, each with the reason.
    public var closedLayers: [String: String]
    /// Faults of open layers that cannot be performed on it, by their verb, each with the reason.
    public var closedVerbs: [String: String]

    public init(
      name: String, model: String, capabilities: [String]? = nil, flows: [String]? = nil,
      closedLayers: [String: String] = [:], closedVerbs: [String: String] = [:]
    ) {
      self.name = name
      self.model = model
      self.capabilities = capabilities
      self.flows = flows
      self.closedLayers = closedLayers
      self.closedVerbs = closedVerbs
    }
  }

  public init(
    capabilities: [String], deviceModels: [String]? = nil, closedLayers: [String: String] = [:],
    devices: [Device]? = nil
  ) {
    self.capabilities = capabilities
    self.deviceModels = deviceModels
    self.closedLayers = closedLayers
    self.devices = devices
  }
}

/// The cases of a run in order, each to be run or skipped with a reason.
public struct Schedule: Sendable {
  public struct Entry: Hashable, Sendable {
    public let item: Case
    /// Why the case is skipped; `nil`: it runs.
    public let skipped: String?
    /// Which of the rig's devices can run it, by their index; `nil`: there is no rig file.
    public let devices: [Int]?
    public init(item: Case, skipped: String? = nil, devices: [Int]? = nil) {
      self.item = item
      self.skipped = skipped
      self.devices = devices
    }
  }

  /// By plan in the order of the set, then by matrix cell.
  public let entries: [Entry]
  /// How many cases the filter left out.
  public let deselected: Int

  /// - Parameter skip: a further reason to skip a case that could run otherwise; `nil`: none.
  public init(
    _ set: PlanSet, seed: UInt64, filter: CaseFilter = .all, bench: Bench, skip: (Case) -> String? = { _ in nil }
  ) {
    var entries: [Entry] = []
    var deselected = 0
    for parsed in set.plans {
      let reason = Schedule.reason(parsed, bench)
      for item in parsed.cases(seed: seed) {
        guard filter.accepts(item) else {
          deselected += 1
          continue
        }
        var skipped = reason ?? Schedule.modelReason(item, bench)
        var devices: [Int]?
        if let all = bench.devices {
          let choice = DeviceChoice(item, faultLayers: parsed.faultLayers, all)
          devices = choice.devices
          skipped = skipped ?? choice.refusal
        }
        entries.append(Entry(item: item, skipped: skipped ?? skip(item), devices: devices))
      }
    }
    self.entries = entries
    self.deselected = deselected
  }

  public var runnable: [Case] { entries.filter { $0.skipped == nil }.map(\.item) }

  /// The cases as a run header lists them, skipped ones included.
  public func plannedCases(_ vocabulary: PlanVocabulary) -> [PlannedCase] {
    entries.map { entry in
      let plan = entry.item.plan
      return PlannedCase(
        id: entry.item.id, plan: plan.id, title: plan.title, flow: plan.flow, file: plan.position.file,
        stages: vocabulary.flows.first { $0.id == plan.flow }?.stages ?? [],
        times: plan.repetition?.times)
    }
  }

  /// Why no case of the plan can run.
  private static func reason(_ parsed: ParsedPlan, _ bench: Bench) -> String? {
    if !parsed.drivable { return "flow \(parsed.plan.flow.rawValue) is described but not driven by this harness" }
    if bench.devices != nil { return nil }
    let missing = parsed.plan.needs.filter { !bench.capabilities.contains($0) }
    if !missing.isEmpty { return "the rig lacks \(missing.joined(separator: ", "))" }
    for (fault, layer) in zip(parsed.plan.faults, parsed.faultLayers) {
      if let reason = bench.closedLayers[layer] { return "fault \(fault.text): \(reason)" }
    }
    return nil
  }

  private static func modelReason(_ item: Case, _ bench: Bench) -> String? {
    guard bench.devices == nil, let models = bench.deviceModels else { return nil }
    let glob = NameGlob(item.plan.deviceModel)
    return models.contains(where: glob.matches)
      ? nil : "no device of the rig matches model \(PrintableText.quote(item.plan.deviceModel))"
  }
}
