import RigModel

/// Which devices of a rig can run a case, and why the others cannot.
struct DeviceChoice {
  /// Indices of the devices that can.
  let devices: [Int]
  /// Why none can; `nil`: one can.
  let refusal: String?

  init(_ item: Case, faultLayers: [String], _ all: [Bench.Device]) {
    let plan = item.plan
    let model = NameGlob(plan.deviceModel)
    var able: [Int] = []
    var reasons: [String] = []
    for (index, device) in all.enumerated() where model.matches(device.model) {
      if let reason = DeviceChoice.refusal(plan, faultLayers, device) {
        reasons.append("\(device.name) \(reason)")
      } else {
        able.append(index)
      }
    }
    devices = able
    if !able.isEmpty {
      refusal = nil
    } else if reasons.isEmpty {
      let models = PlanScope.unique(all.map(\.model)).map { PrintableText.cut($0) }
      refusal =
        "no device of the rig matches model \(PrintableText.quote(plan.deviceModel)): it has "
        + models.joined(separator: ", ")
    } else {
      refusal = reasons.joined(separator: "; ")
    }
  }

  private static func refusal(_ plan: Plan, _ faultLayers: [String], _ device: Bench.Device) -> String? {
    if let capabilities = device.capabilities {
      let missing = plan.needs.filter { !capabilities.contains($0) }
      if !missing.isEmpty { return "lacks \(missing.joined(separator: ", "))" }
    }
    if let flows = device.flows, !flows.contains(plan.flow.rawValue) { return "does not know \(plan.flow.rawValue)" }
    for (fault, layer) in zip(plan.faults, faultLayers) {
      if let reason = device.closedLayers[layer] ?? device.closedVerbs[fault.verb] {
        return "cannot take \(fault.text): \(reason)"
      }
    }
    return nil
  }
}
