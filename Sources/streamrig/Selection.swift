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

  /// - Parameter simulate: cases that need a wire are skipped with that reason.
  static func schedule(_ plans: PlanSet, _ arguments: Arguments, seed: UInt64, simulate: Bool) throws -> Schedule {
    let filter: CaseFilter
    do {
      filter = try CaseFilter(tags: arguments.all("--tag"), names: arguments.all("--case"))
    } catch {
      throw UsageError(description: "--tag: \(error)")
    }
    let bench = Bench(
      capabilities: Catalogs.capabilities, deviceModels: DeviceProfile.all.map(\.model))
    return Schedule(plans, seed: seed, filter: filter, bench: bench) { item in
      guard simulate else { return nil }
      let wired = item.plan.faults.first { FaultCatalog.definition(of: $0, in: item.plan.flow)?.needsWire == true }
      return wired.map { "--simulate runs no RTSP: \($0.text) needs a wire" }
    }
  }

  static func scheduled(_ schedule: Schedule) -> [PlannedCase] { schedule.plannedCases(Catalogs.vocabulary) }
}
