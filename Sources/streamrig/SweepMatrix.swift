import RigFlow
import RigModel
import RigPlan

/// All pairs of stage and fault of a flow: the legal ones as cells, the others with the reason why they are none.
struct SweepMatrix {
  struct Excluded {
    let stage: StageID
    let fault: FaultDefinition
    let reason: String
  }

  let flow: Flow
  let cells: [SweepCell]
  let excluded: [Excluded]

  init(_ flow: Flow, _ table: BlameTable) {
    self.flow = flow
    var cells: [SweepCell] = []
    var excluded: [Excluded] = []
    for stage in flow.stages.map(\.id) {
      for fault in FaultCatalog.all {
        guard fault.isLegal(at: stage, in: flow.id) else {
          let homes = (fault.stages[flow.id] ?? []).map(\.rawValue).joined(separator: ", ")
          excluded.append(Excluded(stage: stage, fault: fault, reason: "acts only at \(homes)"))
          continue
        }
        if let needed = fault.capability {
          excluded.append(Excluded(stage: stage, fault: fault, reason: "needs \(needed.need)"))
          continue
        }
        let request = FaultRequest(at: stage, do: fault.verb)
        if fault.layer == .link, let reason = LinkChoice.namespace.refusal(of: request) {
          excluded.append(Excluded(stage: stage, fault: fault, reason: reason))
          continue
        }
        let rows = table.rows(stage, fault.verb)
        if rows.isEmpty { cells.append(SweepCell(stage: stage, fault: fault, row: nil)) }
        cells += rows.map { SweepCell(stage: stage, fault: fault, row: $0) }
      }
    }
    self.cells = cells
    self.excluded = excluded
  }
}
