public import RigModel

/// A deviation that the harness can ask for: what it is called, where it may act, what proves that it fired.
public struct FaultDefinition: Sendable {
  public enum Layer: String, CaseIterable, Sendable {
    case flow, address, hotspot, link, rtsp, sdp, rtp, media, finish, controlLink = "control-link"
  }

  public let verb: String
  public let layer: Layer
  /// Where it makes sense, by flow.
  public let stages: [FlowID: [StageID]]
  public let arguments: [PlanVocabulary.ArgumentWords]
  public let summary: String
  public let proof: FaultProof
  /// Checks whose error findings are the expected consequence.
  public let trips: [String]
  /// Needs packets on a wire: no part of `--simulate`.
  public let needsWire: Bool

  public init(
    _ verb: String, _ layer: Layer, at stages: [StageID], arguments: [PlanVocabulary.ArgumentWords] = [],
    proof: FaultProof, trips: [String] = [], needsWire: Bool = false, _ summary: String
  ) {
    self.verb = verb
    self.layer = layer
    self.stages = [.rtspHotspot: stages]
    self.arguments = arguments
    self.summary = summary
    self.proof = proof
    self.trips = trips
    self.needsWire = needsWire
  }

  public func isLegal(at stage: StageID, in flow: FlowID) -> Bool { stages[flow]?.contains(stage) ?? false }
}

/// What must be seen for a fault to count as fired. The device's own claim never suffices.
public enum FaultProof: Hashable, Sendable {
  /// The stage's completion event came with `success: false`.
  case refusedCompletion
  /// The start request was refused with this error code.
  case refusedStart
  /// The stage timed out without its completion.
  case missingCompletion
  /// The device claimed the fault, and the stage's completion came its `for` after the stage's beginning: hardly
  /// earlier, and not much later (`FaultProver.slack`). A device that lies, and is that slow by itself, looks the same: `for`
  /// must be longer than the stage takes.
  case lateCompletion
  /// The stage's completion came twice.
  case repeatedCompletion
  /// The stage's completion came under another run's id.
  case otherRun
  /// A reported success, and a witness that contradicts it.
  case contradictedSuccess
  /// An address was received that breaks this rule.
  case address(AddressKind)
  /// The received address differs from the one before it, or came again.
  case secondAddress
  /// The device says that it is not ready.
  case notReady
  /// Another boot id came after the run began.
  case reboot
  case finish(FinishKind)
  /// Clean-up saw it.
  case fact(FactKind)
  /// One of these checks found it in the capture.
  case finding([String])
  /// The link, which performs the fault, counted frames, leases or a lost carrier.
  case link
  /// The control link was lost.
  case controlLost
  /// Damaged records were seen.
  case damagedRecord

  public enum AddressKind: String, Sendable { case scheme, noHost, controlBytes, tooLong, deadPort }
  public enum FinishKind: String, Sendable {
    /// `sessionFinish` came before a stop was asked for.
    case interrupted
    /// A stop was asked for, and no `sessionFinish` came inside the limit.
    case missing
    case repeated
    case eventAfter
    /// `userStopped` contradicts who stopped.
    case wrongUserStopped
  }
}
