public import RigModel

/// Watches the timeline for the proof that one fault fired.
public struct FaultProver: Sendable {
  public let request: FaultRequest
  private let definition: FaultDefinition
  private let run: String
  private let completion: String?
  /// The id under which the device accepted the fault; `nil`: it was never armed.
  private var id: String?
  private var isClaimed = false
  private var stageBegan: HostTime?
  /// The stage whose completion begins the fault's stage: as a device sees it, the one ends when the other begins.
  private let stageBefore: StageID?
  /// The fault's stage has begun, or the one whose completion begins it.
  private var isAtStage = false
  private var stageFailedLate = false
  private var completions = 0
  private var wasSuccessReported = false
  private var addresses = 0
  private var lastAddress: String?
  private var finishes = 0
  private var isStopAsked = false
  private var isCleaningUp = false
  private var stopTimedOut = false
  /// The event that overtook the completion.
  private var overtaker: String?
  /// Events that should follow the completion.
  private let followers: Set<String>
  private var witness: WitnessProof
  /// The host that the link reached.
  private var linkHost: String?
  private var proof: String?

  /// - Parameter run: the id of the run that the fault belongs to.
  public init(_ request: FaultRequest, _ definition: FaultDefinition, flow: Flow, run: String) {
    self.request = request
    self.definition = definition
    self.run = run
    let completes = flow.stage(request.stage)?.completes ?? []
    completion =
      request.stage == .receiveAddress
      ? "rtspAddressReceived"
      : completes.lazy.compactMap { condition in
        switch condition {
        case .success(let name), .event(let name): name
        default: nil
        }
      }.first
    followers = Set(
      flow.stages.drop { $0.id != request.stage }.dropFirst().compactMap { stage in
        if case .event(let name) = stage.begins { name } else { nil }
      } + ["rtspAddressReceived", "sessionStartCompletion"])
    witness = WitnessProof(request, definition)
    stageBefore = if case .completed(let stage)? = flow.stage(request.stage)?.begins { stage } else { nil }
  }

  /// The proof so far; `nil`: none yet.
  public var proven: String? { proof }

  public mutating func see(_ entry: TimelineEntry) {
    guard proof == nil else { return }
    if case .stageBegan(let id, let deadline) = entry.what { began(id, deadline, at: entry.time) }
    switch entry.what {
    case .stageEnded(let id, let outcome, let reason):
      let timedOut = outcome == .failed && reason.hasPrefix("timed out")
      let leftOver = outcome == .failed && reason.hasPrefix("the session ended without")
      if id == request.stage, stageBegan != nil, timedOut || leftOver { stageFailedLate = true }
      if id == .finish, timedOut { stopTimedOut = true }
      if id == .preflight, outcome == .failed, definition.proof == .notReady, reason.contains("not ready") {
        proof = "preflight: \(reason)"
      }
      if id == .configureStream, outcome == .failed, definition.proof == .refused,
        reason.hasPrefix("start refused")
      {
        proof = reason
      }
      if outcome == .failed { judgeMissing() }
    case .faultArmed(request.text, let id): self.id = id
    case .action(HarnessAction.stop): isStopAsked = true
    case .action(HarnessAction.stopAsCleanUp): isCleaningUp = true
    case .event(let event): see(event)
    case .fact(let fact): see(fact)
    case .finding(let finding):
      if case .finding(let checks) = definition.proof, checks.contains(finding.check) {
        let where_ = finding.first.frame.map { " in frame \($0)" } ?? ""
        proof = "\(finding.check): \(finding.message)\(where_)"
      }
    case .note(let text) where definition.proof == .damagedRecord && text.hasPrefix("damaged record"): proof = text
    default: break
    }
  }

  private mutating func began(_ id: StageID, _ deadline: HostTime?, at time: HostTime) {
    // A stage that fails because it never began has no deadline: what it never did proves no fault of its own.
    if id == request.stage, deadline != nil { stageBegan = time }
    if id == request.stage || id == stageBefore { isAtStage = true }
  }

  /// What the link counted of the fault that it performs.
  public mutating func see(fromLink fact: Fact) {
    if proof == nil, definition.proof == .link, fact.kind == .linkImpaired { proof = fact.detail }
  }

  private mutating func see(_ fact: Fact) {
    if fact.kind == .mediaEnded, !isStopAsked, !isCleaningUp { witness.mediaEndedEarly = true }
    if let seen = witness.see(fact) { proof = seen }
    switch definition.proof {
    case .fact(let kind) where kind == fact.kind: proof = "\(kind.rawValue): \(fact.detail)"
    case .transport(let kind) where kind == fact.kind && fact.witness == .control && isAtStage:
      proof = "\(kind.rawValue): \(fact.detail)"
    case .reboot where fact.kind == .rebooted: proof = "another boot id: \(fact.detail)"
    case .controlLost where fact.kind == .controlLost: proof = "control link lost: \(fact.detail)"
    case .contradictedSuccess where fact.kind == .linkNotJoined && wasSuccessReported:
      proof = "success was reported, but \(fact.detail)"
    case .address(.deadPort) where fact.kind == .mediaUnreachable:
      if let address = lastAddress { proof = "\(address): \(fact.detail)" }
    case .address(.wrongHost) where fact.kind == .linkJoined:
      linkHost = fact.data["host"]?.string ?? linkHost
    case .address(.wrongHost) where fact.kind == .mediaUnreachable:
      guard let linkHost, let lastAddress, case .success(let end) = AddressRule.check(lastAddress),
        end.host != linkHost
      else { return }
      proof = "\(lastAddress) is not \(linkHost), which the link reached: \(fact.detail)"
    default: break
    }
  }

  private mutating func see(_ event: DeviceEvent) {
    if event.name == "x.fault.fired", let id, event.data["id"]?.string == id { isClaimed = true }
    guard !event.isClaim else { return }
    if event.name == completion, let foreign = event.run, foreign != run, definition.proof == .otherRun {
      proof = "\(event.name) came under run \(foreign)"
    }
    guard event.run == nil || event.run == run else { return }
    if finishes > 0, definition.proof == .finish(.eventAfter), event.name != "sessionFinish" {
      proof = "\(event.name) followed sessionFinish"
    }
    if event.name == "sessionFinish" { finished(event) }
    if event.name == "rtspAddressReceived" { received(event.data["address"]?.string ?? "") }
    if stageBegan != nil, completions == 0, overtaker == nil, followers.contains(event.name) { overtaker = event.name }
    guard event.name == completion else { return }
    completions += 1
    if completions == 1, definition.proof == .reorderedCompletion, let overtaker {
      proof = "\(event.name) came after \(overtaker)"
    }
    if event.success == true { wasSuccessReported = true }
    switch definition.proof {
    case .refused where event.success == false:
      proof = "\(event.name) success=false \(event.error.map { "\($0)" } ?? "")"
    case .repeatedCompletion where completions == 2: proof = "\(event.name) came twice"
    case .lateCompletion:
      guard let stageBegan, case .duration(let asked)? = request.arguments["for"] else { return }
      let took = event.received - stageBegan
      // The device counts from when it began, the host from when it heard of it: a little less may be the whole.
      // A stage may be slow by itself: time alone is no proof where the device does not even claim the fault.
      guard id == nil || isClaimed, took >= asked - min(.milliseconds(250), asked / 10),
        took <= asked + FaultProver.slack(asked)
      else { return }
      proof = "\(event.name) came \(took.text) after the stage began, asked \(asked.text)"
    default: break
    }
  }

  /// How much later than asked a delayed completion may come: slow hosts and links, and the work that goes on beside it.
  /// What is slower was not held up by this fault alone.
  static func slack(_ asked: Duration) -> Duration { max(.seconds(2), asked / 2) }

  private mutating func received(_ address: String) {
    addresses += 1
    lastAddress = address
    switch (definition.proof, AddressRule.check(address)) {
    case (.address(.scheme), .failure(let f)):
      if case .scheme = f.problem { proof = "address \(address)" }
    case (.address(.noHost), .failure(let f)) where f.problem == .noHost: proof = "address \(address)"
    case (.address(.controlBytes), .failure(let f)) where f.problem == .controlBytes:
      proof = "address with control bytes"
    case (.address(.tooLong), .failure(let f)):
      if case .tooLong(let n) = f.problem { proof = "address of \(n) bytes" }
    case (.secondAddress, _) where addresses == 2: proof = "second address \(address)"
    default: break
    }
  }

  private mutating func finished(_ event: DeviceEvent) {
    finishes += 1
    switch definition.proof {
    case .finish(.interrupted) where !isStopAsked && !isCleaningUp && event.data["userStopped"]?.bool == false:
      proof = "sessionFinish userStopped=false before any stop was asked for"
    case .finish(.repeated) where finishes == 2: proof = "sessionFinish came twice"
    case .finish(.wrongUserStopped) where isStopAsked && !isCleaningUp && event.data["userStopped"]?.bool == false:
      proof = "sessionFinish userStopped=false after a stop was asked for"
    default: break
    }
  }

  /// A missing event is a proof only once its whole limit has passed without it.
  private mutating func judgeMissing() {
    switch definition.proof {
    case .missingCompletion where stageFailedLate && completions == 0:
      proof = "\(completion ?? "the completion") did not come inside the limit"
    case .finish(.missing) where stopTimedOut && finishes == 0:
      proof = "a stop was asked for, and no sessionFinish came inside the limit"
    default: break
    }
  }

  public var record: FaultRecord {
    FaultRecord(text: request.text, fired: proof != nil, proof: proof ?? "no proof: \(definition.summary) was not seen")
  }
}
