internal import CUSB
internal import RigLoop
internal import RigModel

/// An open device whose stage-link interface is claimed and whose endpoints are cleared.
// Unchecked: libusb's handles may be used on any thread; `USBPipe` ends its use on the loop before it closes. The rest is
// touched on the loop's thread.
final class USBHandle: @unchecked Sendable {
  let raw: OpaquePointer
  let device: USBDevice
  let endpoints: USBDevice.Endpoints
  private let context: USBContext
  /// Calls into the kernel that have not come back: until then the handle must stay open. Of the loop's thread.
  private(set) var calls = 0
  /// Told whenever one has come back.
  var cameBack: () -> Void = {}

  private init(_ raw: OpaquePointer, _ device: USBDevice, _ endpoints: USBDevice.Endpoints, _ context: USBContext) {
    self.raw = raw
    self.device = device
    self.endpoints = endpoints
    self.context = context
  }

  /// Opens and claims; clears both endpoints, so that their data toggles begin anew on both sides.
  /// - Throws: `USBError`; kind `hangs` where the kernel did not come back in time.
  static nonisolated(nonsending) func open(
    _ loop: Loop, _ context: USBContext, _ device: USBDevice, limit: Duration, resets: Bool
  ) async throws -> USBHandle {
    if let problem = device.problem { throw USBError(.noAccess, problem) }
    let result = await BlockingCall.run(loop, limit: limit) {
      openNow(context, device, resets: resets)
    } late: { result in
      if case .success(let handle) = result { handle.closeNow() }
    }
    guard let result else {
      throw USBError(.hangs, "opening the device at \(device.portPath) did not end in \(limit.text)")
    }
    return try result.get()
  }

  private static func openNow(
    _ context: USBContext, _ device: USBDevice, resets: Bool
  ) -> Result<USBHandle, USBError> {
    guard let endpoints = device.endpoints else { return .failure(USBError(.notFound, "no bulk endpoints")) }
    var raw: OpaquePointer?
    let opened = context.withDevice(bus: device.bus, address: device.address) { libusb_open($0, &raw) }
    guard let opened else { return .failure(.unplugged) }
    guard opened == 0, let raw else {
      let node = "/dev/bus/usb/\(USBContext.padded(device.bus))/\(USBContext.padded(device.address))"
      return .failure(
        opened == LIBUSB_ERROR_ACCESS.rawValue
          ? USBError(.noAccess, USBContext.accessText(node)) : USBError(code: opened, "open \(device.portPath)"))
    }
    context.opened()
    let handle = USBHandle(raw, device, endpoints, context)
    do throws(USBError) {
      if resets { try check(libusb_reset_device(raw), "reset") }
      libusb_set_auto_detach_kernel_driver(raw, 1)
      let claimed = libusb_claim_interface(raw, Int32(endpoints.interface))
      if claimed == LIBUSB_ERROR_BUSY.rawValue {
        throw USBError(.busy, "another program or driver has the interface of the device at \(device.portPath)")
      }
      try check(claimed, "claim the interface")
      if endpoints.alternate != 0 {
        let code = libusb_set_interface_alt_setting(raw, Int32(endpoints.interface), Int32(endpoints.alternate))
        try check(code, "set the alternate setting")
      }
      try check(libusb_clear_halt(raw, endpoints.input), "clear bulk IN")
      try check(libusb_clear_halt(raw, endpoints.output), "clear bulk OUT")
      return .success(handle)
    } catch {
      handle.closeNow()
      return .failure(error)
    }
  }

  /// Resets the device's port. Nothing is claimed: whoever has the device loses it.
  /// - Throws: `USBError`; one that comes back as another device, and must be found anew, is none.
  static nonisolated(nonsending) func reset(
    _ loop: Loop, _ context: USBContext, _ device: USBDevice, limit: Duration
  ) async throws {
    if let problem = device.problem { throw USBError(.noAccess, problem) }
    let result = await BlockingCall.run(loop, limit: limit) { resetNow(context, device) }
    guard let result else {
      throw USBError(.hangs, "the reset of the device at \(device.portPath) did not end in \(limit.text)")
    }
    try result.get()
  }

  private static func resetNow(_ context: USBContext, _ device: USBDevice) -> Result<Void, USBError> {
    var raw: OpaquePointer?
    let opened = context.withDevice(bus: device.bus, address: device.address) { libusb_open($0, &raw) }
    guard let opened else { return .failure(.unplugged) }
    guard opened == 0, let raw else { return .failure(USBError(code: opened, "open \(device.portPath)")) }
    context.opened()
    defer {
      libusb_close(raw)
      context.released()
    }
    let code = libusb_reset_device(raw)
    let isAnother = code == LIBUSB_ERROR_NOT_FOUND.rawValue || code == LIBUSB_ERROR_NO_DEVICE.rawValue
    return code == 0 || isAnother ? .success(()) : .failure(USBError(code: code, "reset \(device.portPath)"))
  }

  private static func check(_ code: Int32, _ call: String) throws(USBError) {
    if code != 0 { throw USBError(code: code, call) }
  }

  /// Ends the halt of one endpoint.
  nonisolated(nonsending) func clear(_ loop: Loop, _ endpoint: UInt8, limit: Duration) async throws {
    let name = endpoint & 0x80 != 0 ? "clear bulk IN" : "clear bulk OUT"
    calls += 1
    let code = await BlockingCall.run(loop, limit: limit) {
      let code = libusb_clear_halt(self.raw, endpoint)
      loop.post {
        self.calls -= 1
        self.cameBack()
      }
      return code
    }
    guard let code else {
      throw USBError(.hangs, "\(name) did not end in \(limit.text)")
    }
    if code != 0 { throw USBError(code: code, name) }
  }

  /// Whether the device is still on the bus.
  func isPresent() -> Bool { USBContext.kernelHas(device.portPath, address: device.address) }

  /// - Returns: false where the kernel did not come back in time; it is closed when it does.
  nonisolated(nonsending) func close(_ loop: Loop, limit: Duration) async -> Bool {
    await BlockingCall.run(loop, limit: limit) { self.closeNow() } != nil
  }

  private func closeNow() {
    libusb_release_interface(raw, Int32(endpoints.interface))
    libusb_close(raw)
    context.released()
  }
}
