public import RigDevice
public import RigLoop
public import RigModel

/// Opens the control channel of one USB device, again after each loss.
///
/// The first opening decides which device it is; later ones take only that one: same port chain, same serial.
// Unchecked: touched only on the loop's thread.
public final class USBOpener: ChannelOpener, @unchecked Sendable {
  private let loop: Loop
  private var context: USBContext?
  private let selector: USBSelector
  private let limits: USBLimits
  private var identity: USBDevice.Identity?
  private var last: USBChannel?
  private var witness: @Sendable (Fact) -> Void = { _ in }
  private var isOpening = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  /// - Parameter context: `nil`: one of its own, made when it is first needed.
  public init(_ loop: Loop, _ context: USBContext?, _ selector: USBSelector, limits: USBLimits = USBLimits()) {
    self.loop = loop
    self.context = context
    self.selector = selector
    self.limits = limits
  }

  public convenience init(_ loop: Loop, _ selector: USBSelector) { self.init(loop, nil, selector) }

  public var name: String { "usb \(identity?.description ?? selector.description)" }
  public var isGuarded: Bool { true }

  public func observe(_ witness: @escaping @Sendable (Fact) -> Void) { self.witness = witness }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel { try await openChannel() }

  /// - Throws: `USBError`.
  public nonisolated(nonsending) func openChannel() async throws -> USBChannel {
    await takeTurn()
    defer { endTurn() }
    // The interface is claimed until the channel before this one has let it go.
    var needsReset = false
    if let last {
      last.close()
      let failure = last.pipe.failure?.kind
      needsReset = await !last.closed() || [.stalled, .timedOut, .hangs, .failed].contains(failure)
    }
    last = nil
    let channel = try await connect(resets: needsReset)
    last = channel
    return channel
  }

  /// One opening at a time: that of a driver that has been closed meanwhile may still be on, and hold the interface
  /// when it succeeds. The next one closes what it made.
  private nonisolated(nonsending) func takeTurn() async {
    guard isOpening else {
      isOpening = true
      return
    }
    await withUnsafeContinuation { (k: UnsafeContinuation<Void, Never>) in
      if isOpening {
        waiting.append(k)
      } else {
        isOpening = true
        k.resume()
      }
    }
  }

  /// The turn goes to who waits longest.
  private func endTurn() {
    if waiting.isEmpty { isOpening = false } else { waiting.removeFirst().resume() }
  }

  /// Resets the device's port, which a device may answer by booting anew. A channel that is open ends by it.
  /// - Throws: `USBError` where it is not plugged in, or cannot be reset.
  public nonisolated(nonsending) func reset() async throws {
    await takeTurn()
    defer { endTurn() }
    if let last {
      last.close()
      _ = await last.closed()
    }
    last = nil
    let device = try await find()
    try await USBHandle.reset(loop, try present(), device, limit: limits.recovery)
  }

  /// Waits until the last channel, which must have been closed, has let the device go.
  public nonisolated(nonsending) func closed() async { await last?.closed() }

  /// Opens; where that fails in a way that a reset may end, once more with a reset.
  private nonisolated(nonsending) func connect(resets: Bool) async throws -> USBChannel {
    do {
      return try await connectOnce(resets: resets)
    } catch let error as USBError where !resets && [.stalled, .timedOut, .failed].contains(error.kind) {
      return try await connectOnce(resets: true)
    }
  }

  private nonisolated(nonsending) func connectOnce(resets: Bool) async throws -> USBChannel {
    let device = try await find()
    let handle: USBHandle
    do {
      handle = try await USBHandle.open(loop, try present(), device, limit: limits.recovery, resets: resets)
    } catch let error as USBError where error.kind == .notFound || error.kind == .unplugged {
      // The reset made it another device, which comes by and by; or it went between the look and the opening.
      try await left(device)
      let again = try await find()
      handle = try await USBHandle.open(loop, try present(), again, limit: limits.recovery, resets: false)
    }
    let witness = witness
    let pipe = USBPipe(loop, handle, limits) { witness($0) }
    let channel = USBChannel(pipe)
    do { try await pipe.start() } catch {
      pipe.close()
      _ = await pipe.closed()
      throw error
    }
    return channel
  }

  private func present() throws(USBError) -> USBContext {
    if let context { return context }
    let made = try USBContext()
    context = made
    return made
  }

  /// The device that is meant, when it is there; a device that boots or comes back is waited for.
  private nonisolated(nonsending) func find() async throws -> USBDevice {
    let deadline = loop.now + limits.arrival
    // A device is on the bus a moment before udev has made its node and given the rights to it.
    let settled = loop.now + limits.news
    var renewal = settled
    while true {
      let error: USBError
      switch choose(try present()) {
      case .success(let found):
        if found.endpoints != nil, found.problem != nil, loop.now < settled {
          try await loop.sleep(for: .milliseconds(20))
          continue
        }
        identity = found.identity
        return found
      case .failure(let failed): error = failed
      }
      guard error.kind == .notFound, loop.now < deadline else { throw error }
      try await loop.sleep(for: .milliseconds(50))
      if loop.now >= renewal {
        renewal = loop.now + limits.news
        renew()
      }
    }
  }

  /// Where libusb was told nothing of what the kernel knows, another context looks for itself.
  private func renew() {
    if let context, context.isOutdated() { self.context = nil }
  }

  private func choose(_ context: USBContext) -> Result<USBDevice, USBError> {
    let devices = context.devices()
    guard let identity else { return Result { () throws(USBError) in try selector.resolve(devices) } }
    if let same = devices.first(where: { $0.identity == identity }) { return .success(same) }
    return .failure(USBError(.notFound, "the device \(identity) is not plugged in"))
  }

  /// Waits until this enumeration of the device is gone.
  private nonisolated(nonsending) func left(_ device: USBDevice) async throws {
    let deadline = loop.now + limits.departure
    while loop.now < deadline, USBContext.kernelHas(device.portPath, address: device.address) {
      try await loop.sleep(for: .milliseconds(20))
    }
  }
}
