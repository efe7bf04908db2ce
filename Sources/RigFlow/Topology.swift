public import RigModel

/// Who plays the media of a session, and what of it only a phone's capture can show, once the session is over.
public struct Topology: Hashable, Sendable {
  public enum Player: String, Hashable, Sendable { case harness, phone }
  public let player: Player
  /// Facts that come after the session.
  public let later: Set<FactKind>

  /// The harness opens the address, and decodes what comes.
  public static let harness = Topology(player: .harness, later: [])

  /// A phone is the client of the hotspot and opens the address.
  /// - Parameter seesJoin: a link of the harness's own says whether the hotspot can be reached.
  public static func phone(seesJoin: Bool) -> Topology {
    Topology(player: .phone, later: seesJoin ? [.keyFrame] : [.keyFrame, .linkJoined])
  }
}

extension Flow {
  /// The flow as it is driven, where some facts come only after the session: it goes on by what the agent says, and a
  /// key frame is given all of its time. What a stage is worth that waits for such a fact is not known before.
  public func driven(in topology: Topology) -> Flow {
    guard topology.player == .phone else { return self }
    return with { stage in
      stage.completes.compactMap { condition in
        switch condition {
        case .fact(.keyFrame): .harness(.keyFrameDue)
        case .fact(let kind) where topology.later.contains(kind): nil
        default: condition
        }
      }
    }
  }

  /// The flow as it is judged once everything is known. How the device cleans up was seen while it was driven.
  public var judgedAfterwards: Flow {
    Flow(
      id: id, stages: stages.filter { $0.id != .cleanUp }, gateOrder: gateOrder, limits: limits, events: events,
      drivable: drivable)
  }

  /// The first stage that waits for a fact which comes only after the session; `nil`: none does.
  public func firstOpenStage(in topology: Topology) -> StageID? {
    stages.first { stage in
      stage.completes.contains { if case .fact(let kind) = $0 { topology.later.contains(kind) } else { false } }
    }?.id
  }

  private func with(_ completes: (Stage) -> [Condition]) -> Flow {
    Flow(
      id: id,
      stages: stages.map { stage in
        Stage(
          stage.id, begins: stage.begins, completes: completes(stage), gate: stage.gate, limit: stage.limit,
          summary: stage.summary)
      }, gateOrder: gateOrder, limits: limits, events: events, drivable: drivable)
  }
}
