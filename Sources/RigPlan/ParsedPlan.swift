public import RigModel

/// A plan that passed the validation, with what a schedule needs beside it.
public struct ParsedPlan: Hashable, Sendable {
  public let plan: Plan
  /// Whether the harness can drive the plan's flow; if not, the plan's cases are skipped.
  public let drivable: Bool
  /// The layer of each of `plan.faults`, in their order.
  public let faultLayers: [String]
  let axes: [MatrixAxis]

  init(plan: Plan, drivable: Bool, faultLayers: [String], axes: [MatrixAxis]) {
    self.plan = plan
    self.drivable = drivable
    self.faultLayers = faultLayers
    self.axes = axes
  }

  /// 1 without a matrix; at most 1,000.
  public var cellCount: Int { axes.reduce(1) { $0 * $1.values.count } }

  /// One case per cell of the matrix, or the plan itself. The last key of the id varies fastest.
  public func cases(seed: UInt64) -> [Case] {
    (0..<cellCount).map { index in
      var plan = plan
      var cell: [Case.CellValue] = []
      var rest = index
      for axis in axes.reversed() {
        let (quotient, choice) = rest.quotientAndRemainder(dividingBy: axis.values.count)
        let value = axis.values[choice]
        value.setting.apply(to: &plan)
        cell.append(.init(key: axis.key, value: value.text))
        rest = quotient
      }
      cell.reverse()
      let suffix = cell.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
      let id = cell.isEmpty ? plan.id : "\(plan.id)[\(suffix)]"
      return Case(id: id, plan: plan, cell: cell, seed: CaseSeed.derive(run: seed, caseID: id))
    }
  }
}

/// One key of a matrix with its values.
struct MatrixAxis: Hashable, Sendable {
  enum Setting: Hashable, Sendable {
    case transport(MediaTransport)
    case playFor(Duration)
    case params(StreamParameters?)
    case deviceModel(String)

    func apply(to plan: inout Plan) {
      switch self {
      case .transport(let transport): plan.transport = transport
      case .playFor(let duration): plan.playFor = duration
      case .params(let params): plan.params = params
      case .deviceModel(let model): plan.deviceModel = model
      }
    }
  }

  struct Value: Hashable, Sendable {
    /// How case ids spell the value.
    let text: String
    let setting: Setting
  }

  let key: String
  let values: [Value]
}
