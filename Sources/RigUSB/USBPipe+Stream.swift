internal import RigLoop
internal import RigModel

extension USBPipe {
  /// The next bytes; empty after `close`.
  /// - Throws: `USBError`, after the last byte that came before it.
  nonisolated(nonsending) func read() async throws -> [UInt8] {
    await wait { !self.received.isEmpty || self.failure != nil || self.isClosed }
    guard !isClosed else { return [] }
    if received.isEmpty, let failure { throw failure }
    let bytes = received
    received = []
    submitInputs()
    return bytes
  }

  /// Writes all of it. One writer at a time.
  /// - Throws: `USBError`; some of it may have been sent.
  nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    var done = 0
    var progress = loop.now
    // All bytes went, but not the zero-length packet that ends a full last one.
    var owesEnd = false
    while done < bytes.count || owesEnd {
      let upTo = min(done + USBLimits.transferSize, bytes.count)
      let (status, count) = try await send(bytes[done..<upTo], endsMessage: upTo == bytes.count)
      done += count
      counts.bytesOut += UInt64(count)
      if count > 0 {
        progress = loop.now
        recoveriesOut = 0
      }
      owesEnd = status != .completed && done == bytes.count && count % handle.endpoints.outputPacket == 0
      switch status {
      case .completed: progress = loop.now
      case .timedOut: try timedOut(done, of: bytes.count, since: progress)
      case .stalled: try await recoverOutput("bulk OUT stalled", .stalled)
      case .failed: try await recoverOutput("bulk OUT failed", .failed)
      case .noDevice: try end(.unplugged)
      case .cancelled: throw failure ?? USBError(.closed, "the channel was closed")
      }
    }
  }

  private nonisolated(nonsending) func send(
    _ bytes: ArraySlice<UInt8>, endsMessage: Bool
  ) async throws -> (USBTransfer.Status, Int) {
    guard !isClosed, let output else { throw USBError(.closed, "the channel was closed") }
    if let failure { throw failure }
    guard !output.isFlying else { throw USBError(.busy, "two writers at a time") }
    output.load(bytes)
    sent = nil
    let code = output.submit(length: bytes.count, timeout: limits.output, endsMessage: endsMessage)
    if code != 0 {
      let error = USBError(code: code, "bulk OUT")
      try end(error.kind == .unplugged ? .unplugged : error)
    }
    await wait { self.sent != nil }
    return sent ?? (.failed, 0)
  }

  func outputEnded(_ status: USBTransfer.Status, _ count: Int) {
    sent = (status, count)
    changed()
  }

  private func end(_ error: USBError) throws -> Never {
    fail(error)
    throw error
  }

  /// The device takes nothing now; it may yet.
  private func timedOut(_ done: Int, of all: Int, since progress: HostTime) throws {
    counts.timeoutsOut += 1
    see(.transferTimedOut, "a bulk OUT transfer timed out: \(done) of \(all) bytes were taken")
    guard loop.now - progress >= limits.outputPatience else { return }
    try end(USBError(.timedOut, "the device took no byte for \(limits.outputPatience.text)"))
  }

  private nonisolated(nonsending) func recoverOutput(_ what: String, _ kind: USBError.Kind) async throws {
    count(what, kind)
    recoveriesOut += 1
    guard recoveriesOut < 2 else { try end(USBError(kind, "\(what) again after it was cleared")) }
    do {
      try await clear(handle.endpoints.output, after: USBError(kind, what))
    } catch {
      try end(error as? USBError ?? USBError(kind, "\(error)"))
    }
  }
}
