import RigDevice
import RigFlow
import RigLoop
import RigModel

/// Faults that the link performs, not the device.
extension CaseRun {
  /// The link tells by itself when the hotspot is lost.
  func watchLink() async {
    let loop = loop
    await environment.link.watch { [weak self] fact in
      guard let self else { return }
      loop.post { self.assumeIsolated { $0.linkSaw(fact) } }
    }
  }

  private func linkSaw(_ fact: Fact) {
    guard !isOver else { return }
    received(fact)
  }

  /// A fact of the link, or of what is judged of it. Where the harness's own station failed, the session is the rig's.
  func received(_ fact: Fact) {
    observe(fact)
    guard fact.kind == .stationFailed else { return handle(.fact(fact)) }
    // A session that is over, but not proven clean, is no pass.
    if session.isCleaning { rigProblems.append(fact.detail) }
    handle(.abort(.rig, fact.detail))
  }

  /// Begins those of a stage that began.
  func beginLinkFaults(at stage: StageID) {
    for i in provers.indices
    where provers[i].definition.layer == .link && provers[i].prover.request.stage == stage
      && provers[i].prover.request.moment == nil
    {
      let after = provers[i].prover.request.arguments["after"]
      let task = loop.spawn { [loop] in
        if case .duration(let wait)? = after { try await loop.sleep(for: wait) }
        await self.beginLinkFault(i)
      }
      if after == nil { linkFaultsAtOnce.append(task) }
    }
  }

  func beginLinkFault(_ i: Int) async {
    guard !isOver, !session.isCleaning else { return }
    let request = provers[i].prover.request
    do {
      let token = try await environment.link.begin(request)
      linkFaults.append((i, token))
      entry(.faultArmed(request.text, id: "link-\(token)"))
    } catch {
      rigProblems.append("the link cannot \(request.text): \(error)")
    }
  }

  /// Asks the link what became of them; to be called while it still stands as the case left it.
  func proveLinkFaults() async {
    for (i, token) in linkFaults {
      guard let proof = await environment.link.proof(of: token) else { continue }
      let fact = Fact(.linkImpaired, by: .link, at: loop.now, detail: proof)
      observe(fact)
      provers[i].prover.see(fromLink: fact)
      announce(i)
    }
  }
}
