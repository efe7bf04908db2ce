import RigDevice
import RigFlow
import RigLoop
import RigModel

/// What the plan wants at moments of the session: a stop, a fault of the device, a fault of the link.
extension CaseRun {
  /// The stage began, or the gate opened: what is to happen after it is known in time now.
  func reached(_ anchor: Moment.Anchor) {
    for i in provers.indices {
      guard let moment = provers[i].prover.request.moment, moment.anchor == anchor else { continue }
      after(moment.offset) { await $0.begin(i) }
    }
    if let moment = item.plan.stop, moment.anchor == anchor { after(moment.offset) { await $0.stopAsAsked() } }
  }

  /// Faults that are no deviation of a later event or packet, but happen by themselves.
  private static let strikingAtOnce: Set<String> = [
    "reboot", "interrupt", "heartbeat-lost", "unplug", "usb-timeout", "usb-stall", "short-packet", "stale-data",
  ]

  private func after(_ wait: Duration, _ act: @escaping @Sendable (CaseRun) async -> Void) {
    loop.spawn { [loop] in
      try await loop.sleep(for: wait)
      await act(self)
    }
  }

  private func stopAsAsked() { handle(.stop) }

  private func begin(_ i: Int) async {
    guard !isOver, !session.isCleaning, begunFaults[i] == nil else { return }
    begunFaults[i] = loop.now
    let fault = provers[i]
    if fault.definition.layer == .link {
      if case .duration(let wait)? = fault.prover.request.arguments["after"] { try? await loop.sleep(for: wait) }
      return await beginLinkFault(i)
    }
    let request = fault.prover.request
    do {
      // A stage that has begun is not entered again: what strikes at its beginning must be told to strike now.
      if CaseRun.strikingAtOnce.contains(request.verb) {
        let name = "\(fault.definition.layer.rawValue).\(request.verb)"
        do { return try await inject(request, as: name, at: ["ms": 0]) } catch is DriverError {
          entry(.note("the device takes no fault by time, and is told the stage instead"))
        }
      }
      try await inject(request)
    } catch {
      rigProblems.append("\(error)")
    }
  }

  /// What came before a fault began proves nothing of it; where its stage began it must know all the same.
  func mayProve(_ i: Int, _ entry: TimelineEntry) -> Bool {
    guard provers[i].prover.request.moment != nil, begunFaults[i].map({ entry.time < $0 }) ?? true else { return true }
    switch entry.what {
    case .stageBegan, .action: return true
    default: return false
    }
  }

  /// The faults as they stand at the end, those included whose moment never came.
  var faultRecords: [FaultRecord] {
    provers.indices.map { i in
      var record = provers[i].prover.record
      if !record.fired, let moment = provers[i].prover.request.moment, begunFaults[i] == nil {
        record.proof = "its moment, \(moment), never came"
      }
      return record
    }
  }
}
