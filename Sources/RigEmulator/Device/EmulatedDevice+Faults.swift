import RigFlow
import RigLoop
import RigModel
import RigWire

extension EmulatedDevice {
  func inject(_ request: JSONValue) -> Result<JSONValue, StageLinkError> {
    guard let verb = request["fault"]?.string else { return .failure(StageLinkError(.invalidParams, "fault")) }
    guard let stage = request["at"]?["stage"]?.string.map({ StageID(rawValue: $0) }) else {
      return .failure(StageLinkError(.badParam, "at: this device takes a stage"))
    }
    guard FaultCatalog.definition(verb, at: stage, in: .rtspHotspot) != nil else {
      return .failure(StageLinkError(.unknownFault, "\(verb) at \(stage)"))
    }
    guard faults.count < 64 else { return .failure(StageLinkError(.tooLarge, "64 faults at most")) }
    lastFault += 1
    if profile.ignoresFaults {
      emit("x.fault.fired", ["id": .string("f\(lastFault)")], source: "fw")
      return .success(["id": .string("f\(lastFault)")])
    }
    faults.append(
      InjectedFault(
        id: "f\(lastFault)", verb: verb, stage: stage, arguments: request["args"] ?? .object([]),
        remaining: max(1, request["count"]?.integer ?? 1),
        expires: request["ttlMs"]?.integer.map { loop.now + .milliseconds(max(0, min($0, 86_400_000))) }))
    return .success(["id": .string("f\(lastFault)")])
  }

  func clear(_ request: JSONValue) async -> Result<JSONValue, StageLinkError> {
    if let id = request["id"]?.string {
      guard faults.contains(where: { $0.id == id }) else { return .failure(StageLinkError(.unknownFault, id)) }
      faults.removeAll { $0.id == id }
    } else {
      faults.removeAll()
      await repairLeaks()
    }
    return .success([:])
  }

  /// What a leak fault left open is closed when the fault is cleared, or by the next start.
  func repairLeaks() async {
    if hotspotLeaked {
      hotspotLeaked = false
      await hotspot.down()
    }
    if portLeaked {
      portLeaked = false
      await media.stop(leakPort: false)
    }
  }

  /// Uses a fault up, once, and claims that it fired. The claim proves nothing to the harness.
  func take(_ verb: String, at stage: StageID) -> InjectedFault? {
    guard let i = faults.firstIndex(where: { $0.verb == verb && $0.stage == stage && $0.remaining > 0 }) else {
      return nil
    }
    faults[i].remaining -= 1
    let fault = faults[i]
    if fault.remaining == 0 { faults.remove(at: i) }
    emit("x.fault.fired", ["id": .string(fault.id)], source: "fw")
    return fault
  }

  /// Faults that the media server carries out itself.
  var wireFaults: [InjectedFault] {
    faults.filter { FaultCatalog.definition($0.verb, at: $0.stage, in: .rtspHotspot)?.needsWire == true }
  }
}
