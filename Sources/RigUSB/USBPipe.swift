internal import RigLoop
internal import RigModel

/// The bulk pair of an open device as a stream of bytes: what `USBChannel` shows to others.
// Unchecked: touched only on the loop's thread.
final class USBPipe: @unchecked Sendable {
  let loop: Loop
  let handle: USBHandle
  let limits: USBLimits
  /// Takes what the transfers show beside the bytes.
  private let witness: @Sendable (Fact) -> Void
  private var facts: [FactKind: Int] = [:]

  /// Facts of one kind that are told.
  private static let mostFacts = 50

  var counts = USBCounts()
  var inputs: [USBTransfer] = []
  var output: USBTransfer?
  /// IN transfers that should fly: few while little comes, so that not all of them time out for nothing.
  var wanted = 1
  var received: [UInt8] = []
  /// What comes is an earlier owner's.
  var isDraining = true
  var lastInput: HostTime
  var saidSilent = false
  var tinyInputs = 0
  /// Times in a row that an endpoint had to be recovered before a byte passed.
  var recoveriesIn = 0
  var recoveriesOut = 0
  var isRecoveringInput = false
  /// The end of the OUT transfer that flies.
  var sent: (USBTransfer.Status, Int)?

  private(set) var failure: USBError?
  private(set) var isClosed = false
  /// The handle is closed, nothing flies.
  private(set) var isDone = false
  private var waits: [Wait] = []

  private struct Wait {
    let isMet: () -> Bool
    let continuation: UnsafeContinuation<Void, Never>
  }

  init(_ loop: Loop, _ handle: USBHandle, _ limits: USBLimits, witness: @escaping @Sendable (Fact) -> Void) {
    self.loop = loop
    self.handle = handle
    self.limits = limits
    self.witness = witness
    lastInput = loop.now
    handle.cameBack = { [weak self] in self?.changed() }
  }

  func see(_ kind: FactKind, _ detail: String) {
    // A device that misbehaves for hours must not fill the timeline; what it does often must not hide what ends it.
    facts[kind, default: 0] += 1
    guard facts[kind, default: 0] <= USBPipe.mostFacts else { return }
    witness(Fact(kind, by: .control, at: loop.now, detail: detail))
  }

  // MARK: Waiting

  /// Waits until `isMet`, which is looked at again whenever something has ended or come.
  /// - Returns: false where the limit passed first.
  @discardableResult
  nonisolated(nonsending) func wait(atMost limit: Duration? = nil, until isMet: @escaping () -> Bool) async -> Bool {
    let loop = loop
    let deadline = limit.map { loop.now + $0 }
    let timer = deadline.map { loop.schedule(at: $0) { [weak self] in self?.changed() } }
    // The look and the wait are one step: the call to wait may let other jobs run before its closure does.
    await withUnsafeContinuation { (k: UnsafeContinuation<Void, Never>) in
      let ends = { isMet() || deadline.map { loop.now >= $0 } ?? false }
      if ends() { k.resume() } else { waits.append(Wait(isMet: ends, continuation: k)) }
    }
    if let timer { loop.cancel(timer) }
    return isMet()
  }

  func changed() {
    let met = waits.filter { $0.isMet() }
    guard !met.isEmpty else { return }
    waits.removeAll { $0.isMet() }
    for wait in met { wait.continuation.resume() }
  }

  var inputsFlying: Int { inputs.count { $0.isFlying } }
  var isFlying: Bool { inputs.contains { $0.isFlying } || output?.isFlying == true }

  // MARK: The end

  /// Nothing more comes or goes; whoever reads or writes is told why.
  func fail(_ error: USBError) {
    guard failure == nil, !isClosed else { return }
    failure = error
    if error.kind == .unplugged { see(.controlUnplugged, "\(handle.device.identity): \(error)") }
    cancelAll()
    changed()
  }

  private func cancelAll() {
    for transfer in inputs { transfer.cancel() }
    output?.cancel()
  }

  /// Cancels what flies, and closes the device when all of it has ended.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    cancelAll()
    changed()
    loop.spawn {
      await self.wait(atMost: self.limits.recovery) { !self.isHeld && !self.isRecoveringInput }
      // With a transfer still in the kernel its buffer is not ours to free: the device stays open.
      if !self.isHeld { _ = await self.handle.close(self.loop, limit: self.limits.recovery) }
      if !self.isFlying, self.handle.calls > 0 { self.closeWhenBack() }
      self.isDone = true
      self.inputs = []
      self.output = nil
      self.changed()
    }
  }

  /// The kernel has something of it.
  private var isHeld: Bool { isFlying || handle.calls > 0 }

  /// A call hangs that uses the handle.
  private func closeWhenBack() {
    loop.spawn {
      await self.wait { self.handle.calls == 0 }
      _ = await self.handle.close(self.loop, limit: self.limits.recovery)
    }
  }

  /// - Returns: false where the device is still held: a transfer or the kernel did not end in time.
  nonisolated(nonsending) func closed() async -> Bool {
    await wait { self.isDone }
    return !isHeld
  }
}
