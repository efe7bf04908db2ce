import RigFlow
import RigModel
import RigPlan
import RigRunner

/// All pairs of stage and fault of a flow: the legal ones as cases, the others with the reason why they are none.
struct SweepMatrix {
  struct Cell {
    let stage: StageID
    let fault: FaultDefinition
    /// `nil`: the table does not say what must happen.
    let row: BlameTable.Row?

    var id: String { "\(stage)--\(fault.verb)" }
    var needsWire: Bool { fault.needsWire }

    func scheduled(seed: UInt64) -> ScheduledCase {
      let position = SourcePosition(file: "sweep", line: row?.line ?? 0, column: 1)
      // Short limits, well above what the device needs: a sweep is about blame, not about patience.
      let limits =
        [
          "configure-hotspot", "enter-live-mode", "wait-for-hotspot", "connect-hotspot", "receive-address", "finish",
          "clean-up",
        ].map { ($0, Duration.seconds(4)) } + [("play", .seconds(6)), ("start-session", .seconds(7))]
      let plan = Plan(
        id: id, title: "\(fault.verb) at \(stage)", flow: .rtspHotspot, deviceModel: "emu-flagship",
        playFor: row?.playFor ?? (fault.needsWire ? .seconds(6) : .seconds(2)),
        limits: Dictionary(uniqueKeysWithValues: limits),
        faults: [FaultRequest(at: stage, do: fault.verb, arguments: row?.arguments ?? [:])],
        expect: Expectation(failed: row?.blame), position: position)
      let item = Case(id: id, plan: plan, cell: [], seed: CaseSeed.derive(run: seed, caseID: id))
      let planned = PlannedCase(
        id: id, plan: id, title: plan.title, flow: plan.flow, file: "sweep",
        stages: FlowCatalog.flow(plan.flow).stages.map(\.id.rawValue))
      return ScheduledCase(item: item, planned: planned)
    }
  }

  enum Outcome: String, CaseIterable {
    case right = "blamed right"
    case wrong = "blamed wrong"
    case missed
    case untabled = "not in the table"
    case skipped = "needs a wire"
    case notApplicable = "not applicable"
  }

  private let flow: Flow
  let cells: [Cell]
  /// Pairs that make no sense, and why.
  let excluded: [(stage: StageID, verb: String, reason: String)]

  init(_ flow: Flow, _ table: BlameTable) {
    self.flow = flow
    var cells: [Cell] = []
    var excluded: [(stage: StageID, verb: String, reason: String)] = []
    var verbs: [String] = []
    for fault in FaultCatalog.all where !verbs.contains(fault.verb) { verbs.append(fault.verb) }
    for stage in flow.stages.map(\.id) {
      for verb in verbs {
        if let fault = FaultCatalog.definition(verb, at: stage, in: flow.id) {
          cells.append(Cell(stage: stage, fault: fault, row: table.row(stage, verb)))
        } else {
          let homes = FaultCatalog.all.filter { $0.verb == verb }.flatMap { $0.stages[flow.id] ?? [] }
          let reason = "acts only at \(homes.map { "\($0)" }.joined(separator: ", "))"
          excluded.append((stage, verb, reason))
        }
      }
    }
    self.cells = cells
    self.excluded = excluded
  }

  struct Judged {
    var text: String
    var json: JSONValue
    var isClean: Bool
  }

  func judge(_ results: [String: RunRecord], skipWire: Bool) -> Judged {
    var rows: [(cell: Cell, outcome: Outcome, record: RunRecord?)] = []
    for cell in cells {
      let record = results[cell.id]
      rows.append((cell, skipWire && cell.needsWire ? .skipped : outcome(cell, record), record))
    }
    var text = ""
    for (cell, outcome, record) in rows where outcome != .skipped {
      let wanted = cell.row.map { $0.blame.map { "\($0)" } ?? "success" } ?? "?"
      let mark = outcome == .right ? "ok   " : outcome == .wrong ? "WRONG" : "MISS "
      text += "\(mark) \(pad("\(cell.stage)", 18)) \(pad(cell.fault.verb, 20)) \(pad(wanted, 18))"
      text += outcome == .right ? "\n" : " \(record?.reason ?? "was not run")\n"
    }
    func count(_ wanted: Outcome) -> Int { rows.count { $0.outcome == wanted } }
    let bad = count(.wrong) + count(.missed) + count(.untabled)
    text += "\(rows.count + excluded.count) pairs of stage and fault: \(count(.right)) blamed right, "
    text += "\(count(.wrong)) blamed wrong, \(count(.missed)) missed, \(count(.untabled)) without an expectation, "
    text += "\(count(.skipped)) need a wire, \(excluded.count) not applicable\n"
    let json: JSONValue = [
      "flow": .string(flow.id.rawValue),
      "cells": .array(
        rows.map { cell, outcome, record in
          [
            "stage": .string("\(cell.stage)"), "fault": .string(cell.fault.verb),
            "layer": .string(cell.fault.layer.rawValue), "outcome": .string(outcome.rawValue),
            "expected": .string(cell.row?.blame.map { "\($0)" } ?? "success"),
            "blamed": record?.failurePoint.map { .string("\($0)") },
            "verdict": record.map { .string($0.verdict.rawValue) },
            "reason": record.map { .string($0.reason) }, "proof": record?.faults.first.map { .string($0.proof) },
          ]
        }),
      "not-applicable": .array(
        excluded.map {
          ["stage": .string("\($0.stage)"), "fault": .string($0.verb), "reason": .string($0.reason)]
        }),
    ]
    return Judged(text: text, json: json, isClean: bad == 0)
  }

  private func outcome(_ cell: Cell, _ record: RunRecord?) -> Outcome {
    guard cell.row != nil else { return .untabled }
    guard let record else { return .missed }
    if record.verdict == .pass { return .right }
    return record.failurePoint == nil || record.faults.contains { !$0.fired } ? .missed : .wrong
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
