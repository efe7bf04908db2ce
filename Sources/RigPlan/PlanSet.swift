import RigModel

/// The plans of one run, from all its files, in the order in which the files were given.
public struct PlanSet: Sendable {
  /// Plans without errors whose id is theirs alone.
  public let plans: [ParsedPlan]
  /// Everything that is wrong with any file, file by file.
  public let diagnostics: [PlanDiagnostic]

  public init(_ readings: [PlanReading]) {
    var places: [String: [SourcePosition]] = [:]
    for reading in readings {
      if let declared = reading.declaredID { places[declared.id, default: []].append(declared.position) }
    }
    var diagnostics: [PlanDiagnostic] = []
    var plans: [ParsedPlan] = []
    // A fragment's errors come again with each plan that extends it.
    var known: Set<PlanDiagnostic> = []
    for reading in readings {
      var own: [PlanDiagnostic] = []
      if let declared = reading.declaredID, let all = places[declared.id], all.count > 1 {
        // The other place is the nearest help: the first one, or for the first one the second.
        let other = all[0] == declared.position ? all[1] : all[0]
        own.append(
          PlanDiagnostic(
            declared.position, keyPath: "plan",
            "\(PrintableText.quote(declared.id)) is also the id of \(PrintableText.escape(other.description)), "
              + "expected an id of its own"))
      }
      diagnostics += reading.adding(own).diagnostics.filter { known.insert($0).inserted }
      if own.isEmpty, let plan = reading.plan { plans.append(plan) }
    }
    self.plans = plans
    self.diagnostics = diagnostics
  }

  public var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Every tag of any plan, sorted: a filter that names none of them is probably misspelt.
  public var tags: [String] { Set(plans.flatMap(\.plan.tags)).sorted() }
}
