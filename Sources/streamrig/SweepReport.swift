import RigFlow
import RigModel

/// A sweep's matrix with what came of each cell.
struct SweepReport {
  enum Outcome: String, CaseIterable {
    case right = "blamed right"
    case wrong = "blamed wrong"
    case missed
    case untabled = "not in the table"
    /// Left out of this sweep by an option.
    case left = "left out"
  }

  private struct Row {
    let cell: SweepCell
    let outcome: Outcome
    let record: RunRecord?
  }

  private let matrix: SweepMatrix
  private let rows: [Row]
  private let seed: UInt64

  /// - Parameters:
  ///   - results: records by cell id.
  ///   - ran: ids of the cells that were to run.
  init(_ matrix: SweepMatrix, results: [String: RunRecord], ran: Set<String>, seed: UInt64) {
    self.matrix = matrix
    self.seed = seed
    rows = matrix.cells.map { cell in
      guard ran.contains(cell.id) else { return Row(cell: cell, outcome: .left, record: nil) }
      let record = results[cell.id]
      return Row(cell: cell, outcome: SweepReport.outcome(cell, record), record: record)
    }
  }

  /// A fault without proof was missed, and so was one that nobody was blamed for.
  private static func outcome(_ cell: SweepCell, _ record: RunRecord?) -> Outcome {
    guard cell.row != nil else { return .untabled }
    guard let record else { return .missed }
    if record.verdict == .pass { return .right }
    if record.faults.contains(where: { !$0.fired }) { return .missed }
    return record.failurePoint == nil && cell.row?.blame != nil ? .missed : .wrong
  }

  private func count(_ outcome: Outcome) -> Int { rows.count { $0.outcome == outcome } }

  var isClean: Bool { count(.wrong) + count(.missed) + count(.untabled) == 0 }

  // MARK: Text

  var text: String {
    var text = ""
    for row in rows where row.outcome != .left {
      let mark = row.outcome == .right ? "ok   " : row.outcome == .wrong ? "WRONG" : "MISS "
      text += "\(mark) \(pad("\(row.cell.stage)", 18)) \(pad(row.cell.fault.id, 28)) \(pad(row.cell.expected, 18))"
      text += " \(row.cell.row?.words ?? "-")\n"
      if row.outcome != .right { text += "      \(row.record?.reason ?? "was not run")\n" }
    }
    text += layers
    let pairs = Set(matrix.cells.map { "\($0.stage) \($0.fault.id)" }).count + matrix.excluded.count
    text += "\(pairs) pairs of stage and fault, \(rows.count) cells: \(count(.right)) blamed right, "
    text += "\(count(.wrong)) blamed wrong, \(count(.missed)) missed, \(count(.untabled)) without an expectation, "
    text += "\(count(.left)) left out, \(matrix.excluded.count) pairs not applicable\n"
    return text
  }

  /// One line a layer.
  private var layers: String {
    var order: [String] = []
    for row in rows where !order.contains(row.cell.fault.layer.rawValue) { order.append(row.cell.fault.layer.rawValue) }
    return order.map { layer in
      let own = rows.filter { $0.cell.fault.layer.rawValue == layer && $0.outcome != .left }
      let right = own.count { $0.outcome == .right }
      return own.isEmpty ? "" : "\(pad(layer, 14)) \(right) of \(own.count) blamed right\n"
    }.joined()
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  // MARK: JSON

  var json: JSONValue {
    let counts = Outcome.allCases.map { JSONValue.Member($0.rawValue, .integer(Int64(count($0)))) }
    return [
      "flow": .string(matrix.flow.id.rawValue), "seed": .string("\(seed)"), "clean": .bool(isClean),
      "counts": .object(counts + [.init("not applicable", .integer(Int64(matrix.excluded.count)))]),
      "cells": .array(rows.map(json)),
      "not-applicable": .array(
        matrix.excluded.map {
          ["stage": .string("\($0.stage)"), "fault": .string($0.fault.id), "reason": .string($0.reason)]
        }),
    ]
  }

  private func json(_ row: Row) -> JSONValue {
    let cell = row.cell
    return [
      "id": .string(cell.id), "stage": .string("\(cell.stage)"), "fault": .string(cell.fault.id),
      "layer": .string(cell.fault.layer.rawValue), "arguments": .string(cell.row?.words ?? "-"),
      "wire": .bool(cell.needsWire), "transport": cell.needsWire ? .string(cell.transport.rawValue) : nil,
      "outcome": .string(row.outcome.rawValue), "expected": .string(cell.expected),
      "blamed": row.record.map { .string($0.failurePoint?.name ?? "success") },
      "verdict": row.record.map { .string($0.verdict.rawValue) }, "reason": row.record.map { .string($0.reason) },
      "proof": row.record?.faults.first.map { .string($0.proof) },
      "capture": row.record?.artifacts.first { $0.path.hasSuffix(".pcapng") }.map { .string($0.path) },
    ]
  }
}
