import RigEmulator
import RigFlow
import RigModel
import RigPlan

/// Which cases of which plans a command works on.
enum Selection {
  static let options = [
    Option.value("--tag", "TAG", "only plans with this tag; !TAG leaves them out; may be repeated"),
    Option.value("--case", "GLOB", "only cases whose id matches; may be repeated"),
    Option.value("--seed", "N", "the run's seed; a case repeats alike with the same one"),
  ]

  /// Cases that need what this run does not have are skipped with that reason.
  static func schedule(
    _ plans: PlanSet, _ arguments: Arguments, seed: UInt64, simulate: Bool, noCapture: Bool = false,
    linkClosed: String? = nil, link: LinkChoice = .automatic, rig: Rig? = nil, device: DeviceTarget? = nil
  ) throws -> Schedule {
    let filter: CaseFilter
    do {
      filter = try CaseFilter(tags: arguments.all("--tag"), names: arguments.all("--case"))
    } catch {
      throw UsageError(description: "--tag: \(error)")
    }
    let offered = simulate ? [] : device?.capabilities ?? []
    let bench = Bench(
      capabilities: Catalogs.capabilities + offered.map(\.rawValue), deviceModels: DeviceProfile.all.map(\.model),
      closedLayers: linkClosed.map { [FaultDefinition.Layer.link.rawValue: $0] } ?? [:],
      devices: rig?.benchDevices)
    return Schedule(plans, seed: seed, filter: filter, bench: bench) { item in
      for fault in item.plan.faults {
        guard let definition = FaultCatalog.definition(of: fault, in: item.plan.flow) else { continue }
        if rig == nil, let needed = definition.capability, !offered.contains(needed) {
          return "\(fault.text) needs \(needed.need)"
        }
        if !simulate, rig == nil, definition.layer == .link, let why = link.refusal(of: fault) { return why }
        if simulate, definition.needsWire { return "--simulate runs no RTSP: \(fault.text) needs a wire" }
        if noCapture, definition.proof.needsCapture {
          return "--no-capture: only packets prove that \(fault.text) fired"
        }
      }
      for limit in item.plan.measure {
        guard let source = MeasurementCatalog.info(limit.measurement)?.source, source != .stages else { continue }
        if simulate { return "--simulate has no wire: measure \(limit.measurement) needs one" }
        if noCapture, source == .capture { return "--no-capture: only packets can measure \(limit.measurement)" }
      }
      return nil
    }
  }
}
