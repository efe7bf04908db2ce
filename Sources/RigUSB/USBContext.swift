internal import CUSB
internal import Glibc
public import RigLoop
internal import RigModel
internal import Synchronization

/// The process's use of the USB: one libusb context, and the one thread on which its events are handled.
///
/// Transfers complete on that thread, which only posts what came to the loop that owns the channel. Make one of these
/// in a process, and close it after its channels.
// Unchecked: `raw` is libusb's, which has locks of its own; the rest is behind a lock or atomic.
public final class USBContext: @unchecked Sendable {
  let raw: OpaquePointer
  private let stop = Stop()
  private let thread = Mutex<pthread_t?>(nil)
  /// Devices that are open, or being opened.
  private let open = Mutex(0)

  /// - Throws: `USBError` where the system has no USB that can be reached.
  public init(_: Void = ()) throws(USBError) {
    var made: OpaquePointer?
    let code = libusb_init(&made)
    guard code == 0, let made else {
      throw USBError(.noUSB, "the USB of this machine cannot be reached: \(String(cString: libusb_strerror(code)))")
    }
    raw = made
    let start = Unmanaged.passRetained(Start(made, stop))
    var handle = pthread_t()
    let rc = pthread_create(&handle, nil, USBContext.handleEvents, start.toOpaque())
    guard rc == 0 else {
      start.release()
      libusb_exit(made)
      throw USBError(.noUSB, "no thread for USB events: \(String(cString: strerror(rc)))")
    }
    thread.withLock { $0 = handle }
  }

  func opened() { open.withLock { $0 += 1 } }
  func released() { open.withLock { $0 -= 1 } }
  private var isInUse: Bool { open.withLock { $0 > 0 } }

  /// Waits for channels that are being closed, then ends the thread. No channel must be used any more.
  public nonisolated(nonsending) func close(_ loop: Loop, within patience: Duration = .seconds(5)) async {
    let deadline = loop.now + patience
    while isInUse, loop.now < deadline { try? await loop.sleep(for: .milliseconds(5)) }
    end()
  }

  private func end() {
    let running = thread.withLock { box in
      let taken = box
      box = nil
      return taken
    }
    guard let running else { return }
    stop.isAsked.store(true, ordering: .releasing)
    libusb_interrupt_event_handler(raw)
    pthread_join(running, nil)
    // A device that the kernel holds on to may still call back: then libusb stays until the process ends.
    if !isInUse { libusb_exit(raw) }
  }

  deinit { end() }

  // MARK: The thread

  private final class Stop: Sendable {
    let isAsked = Atomic(false)
  }

  private final class Start {
    let context: OpaquePointer
    let stop: Stop
    init(_ context: OpaquePointer, _ stop: Stop) {
      self.context = context
      self.stop = stop
    }
  }

  private static let handleEvents: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { raw in
    guard let raw else { return nil }
    let start = Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
    while !start.stop.isAsked.load(ordering: .acquiring) {
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      let code = libusb_handle_events_timeout_completed(start.context, &patience, nil)
      // Not a reason to stop, but none to spin either.
      if code != 0, code != LIBUSB_ERROR_INTERRUPTED.rawValue { poll(nil, 0, 10) }
    }
    return nil
  }
}
