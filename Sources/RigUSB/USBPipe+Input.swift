internal import RigLoop
internal import RigModel

extension USBPipe {
  /// Begins to read, and drops what an earlier owner left until it is quiet.
  nonisolated(nonsending) func start() async throws {
    for _ in 0..<USBLimits.inputsInFlight {
      let made = USBTransfer(
        loop, handle.raw, endpoint: handle.endpoints.input,
        capacity: USBPipe.whole(USBLimits.transferSize, handle.endpoints.inputPacket)
      ) { [weak self] transfer, status, count in self?.inputEnded(transfer, status, count) }
      guard let made else { throw USBError(.failed, "no memory for a transfer") }
      inputs.append(made)
    }
    output = USBTransfer(loop, handle.raw, endpoint: handle.endpoints.output, capacity: USBLimits.transferSize) {
      [weak self] _, status, count in self?.outputEnded(status, count)
    }
    guard output != nil else { throw USBError(.failed, "no memory for a transfer") }
    let began = loop.now
    lastInput = began
    wanted = USBLimits.inputsInFlight
    submitInputs()
    while failure == nil, !isClosed, loop.now < began + limits.drain, loop.now < lastInput + limits.quiet {
      await wait(atMost: lastInput + limits.quiet - loop.now) { self.failure != nil || self.isClosed }
    }
    // A transfer that was not full, and not ended by a short packet, holds some of it too.
    wanted = 0
    for transfer in inputs { transfer.cancel() }
    let isQuiet = await wait(atMost: limits.recovery) { self.inputsFlying == 0 && !self.isRecoveringInput }
    if let failure { throw failure }
    guard !isClosed else { throw USBError(.closed, "the channel was closed") }
    guard isQuiet else { throw USBError(.hangs, "a cancelled transfer did not end in \(limits.recovery.text)") }
    isDraining = false
    if counts.stale > 0 { see(.staleData, "\(counts.stale) bytes of an earlier owner were dropped after opening") }
    wanted = 1
    submitInputs()
  }

  /// `size`, as a multiple of the packet.
  static func whole(_ size: Int, _ packet: Int) -> Int { max(1, (size + packet - 1) / packet) * packet }

  /// Keeps the wanted number of transfers in flight, as long as there is room for what they may bring.
  func submitInputs() {
    guard failure == nil, !isClosed, !isRecoveringInput else { return }
    var flying = inputsFlying
    for transfer in inputs where !transfer.isFlying {
      guard flying < wanted, received.count + (flying + 1) * transfer.capacity <= USBLimits.unread else { break }
      let code = transfer.submit(length: transfer.capacity, timeout: limits.input)
      guard code == 0 else {
        let error = USBError(code: code, "bulk IN")
        return fail(error.kind == .unplugged ? .unplugged : error)
      }
      flying += 1
    }
    counts.mostInFlight = max(counts.mostInFlight, flying)
  }

  private func inputEnded(_ transfer: USBTransfer, _ status: USBTransfer.Status, _ count: Int) {
    if count > 0 { take(transfer, count) }
    switch status {
    case .completed:
      if count == 0 { counts.zeroLengthIn += 1 }
      if count == transfer.capacity, !isDraining { wanted = USBLimits.inputsInFlight }
      countTiny(count)
    case .timedOut:
      counts.timeoutsIn += 1
      counts.bytesByTimeouts += UInt64(count)
      if count == 0, !isDraining {
        wanted = 1
        saySilence()
      }
    case .stalled: recoverInput("bulk IN stalled", .stalled)
    case .failed: recoverInput("bulk IN failed", .failed)
    case .noDevice: fail(.unplugged)
    case .cancelled: break
    }
    submitInputs()
    changed()
  }

  private func take(_ transfer: USBTransfer, _ count: Int) {
    recoveriesIn = 0
    lastInput = loop.now
    saidSilent = false
    counts.bytesIn += UInt64(count)
    if isDraining {
      counts.stale += UInt64(count)
    } else {
      received += transfer.bytes(count)
      counts.mostUnread = max(counts.mostUnread, received.count)
    }
  }

  /// A device that sends its records in crumbs: legal, and worth knowing.
  private func countTiny(_ count: Int) {
    guard (1...8).contains(count), !isDraining else {
      if count > 8 { tinyInputs = 0 }
      return
    }
    tinyInputs += 1
    if tinyInputs == 16 { see(.shortPackets, "16 IN transfers in a row ended with a packet of at most 8 bytes") }
  }

  private func saySilence() {
    let silent = loop.now - lastInput
    guard silent >= .seconds(3), !saidSilent else { return }
    saidSilent = true
    see(.transferTimedOut, "bulk IN transfers time out: no byte for \(silent.text)")
  }

  // MARK: Recovery

  /// Clears a halted endpoint once; if it fails again before a byte has passed, that is the end.
  private func recoverInput(_ what: String, _ kind: USBError.Kind) {
    guard failure == nil, !isClosed, !isRecoveringInput else { return }
    count(what, kind)
    recoveriesIn += 1
    guard recoveriesIn < 2 else { return fail(USBError(kind, "\(what) again after it was cleared")) }
    isRecoveringInput = true
    // What else is queued for the endpoint must be back before it is cleared.
    for transfer in inputs { transfer.cancel() }
    loop.spawn {
      await self.wait(atMost: self.limits.recovery) { self.inputsFlying == 0 }
      do {
        try await self.clear(self.handle.endpoints.input, after: USBError(kind, what))
        self.isRecoveringInput = false
        self.submitInputs()
      } catch {
        self.isRecoveringInput = false
        self.fail(error as? USBError ?? USBError(kind, "\(error)"))
      }
      self.changed()
    }
  }

  func count(_ what: String, _ kind: USBError.Kind) {
    if kind == .stalled {
      counts.stalls += 1
      see(.transferStalled, what)
    } else {
      counts.failures += 1
    }
  }

  /// Clears one endpoint. A device that is being pulled out answers with all kinds of errors before it is known to be
  /// gone: only when it stays is the error its own.
  nonisolated(nonsending) func clear(_ endpoint: UInt8, after error: USBError) async throws {
    // The handle may be closed by now, or be about to.
    guard !isClosed else { throw USBError(.closed, "the channel was closed") }
    do {
      try await handle.clear(loop, endpoint, limit: limits.recovery)
    } catch let failed as USBError {
      if failed.kind == .unplugged { throw USBError.unplugged }
      if failed.kind == .hangs { throw failed }
      let deadline = loop.now + limits.departure
      while handle.isPresent(), loop.now < deadline { try await loop.sleep(for: .milliseconds(50)) }
      throw handle.isPresent() ? USBError(error.kind, "\(error); then \(failed)") : USBError.unplugged
    }
  }
}
