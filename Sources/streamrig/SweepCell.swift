import RigFlow
import RigModel
import RigPlan
import RigRunner

/// One case of a sweep: a fault at a stage, with one set of arguments.
struct SweepCell {
  let stage: StageID
  let fault: FaultDefinition
  /// `nil`: the table does not say what must happen.
  let row: BlameTable.Row?

  /// `play--rtsp.status[code=454,method=SETUP]`
  var id: String {
    let words = row?.words ?? "-"
    return "\(stage)--\(fault.id)\(words == "-" ? "" : "[\(words)]")"
  }
  var needsWire: Bool { fault.needsWire }
  /// What the table expects, in one word.
  var expected: String { row.map { $0.blame?.name ?? "success" } ?? "?" }
  var transport: MediaTransport { row?.transport ?? fault.transport ?? .tcp }

  /// Short limits, well above what the device needs: a sweep is about blame, not about patience.
  private static let limits: [String: Duration] = {
    let quick: [StageID] = [
      .configureStream, .configureHotspot, .enterLiveMode, .waitForHotspot, .connectHotspot, .receiveAddress, .finish,
      .cleanUp,
    ]
    var limits = Dictionary(uniqueKeysWithValues: quick.map { ($0.rawValue, Duration.seconds(4)) })
    limits[StageID.play.rawValue] = .seconds(6)
    limits[StageID.startSession.rawValue] = .seconds(7)
    return limits
  }()

  func scheduled(seed: UInt64) -> ScheduledCase {
    let position = SourcePosition(file: "sweep", line: row?.line ?? 0, column: 1)
    let plan = Plan(
      id: id, title: "\(fault.verb) at \(stage)", flow: .rtspHotspot, deviceModel: "emu-flagship",
      params: row?.bitRate.map { StreamParameters(bitrate: $0, qualityFactor: 20, iFrameInterval: 29) },
      transport: transport, playFor: row?.playFor ?? (fault.needsWire ? fault.plays ?? .seconds(3) : .seconds(2)),
      // A join over a bad link takes longer: it has the flow's own limits.
      limits: fault.layer == .link ? [:] : SweepCell.limits,
      faults: [FaultRequest(at: stage, do: fault.verb, arguments: row?.arguments ?? [:])],
      expect: Expectation(failed: row?.blame), position: position)
    let item = Case(id: id, plan: plan, cell: [], seed: CaseSeed.derive(run: seed, caseID: id))
    let planned = PlannedCase(
      id: id, plan: id, title: plan.title, flow: plan.flow, file: "sweep",
      stages: FlowCatalog.flow(plan.flow).stages.map(\.id.rawValue))
    return ScheduledCase(item: item, planned: planned)
  }
}
