internal import CUSB
public import RigLoop
internal import RigModel
internal import Synchronization

/// A USB device came or went.
public struct USBChange: Hashable, Sendable {
  public let isArrival: Bool
  /// Bus and port chain: `1-2.3`.
  public let portPath: String
}

/// Hands what libusb's hot-plug callback says to the loops that want to know. The callback does no input or output.
final class HotplugRelay: Sendable {
  private struct Watch {
    let loop: Loop
    let changed: @Sendable (USBChange) -> Void
  }
  private struct State {
    var last = 0
    var watches: [Int: Watch] = [:]
  }
  private let state = Mutex(State())

  /// - Returns: `nil` where this libusb cannot tell.
  func register(with context: OpaquePointer) -> libusb_hotplug_callback_handle? {
    guard libusb_has_capability(UInt32(LIBUSB_CAP_HAS_HOTPLUG.rawValue)) != 0 else { return nil }
    var handle: libusb_hotplug_callback_handle = 0
    let events = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
    // The context, which owns this relay, takes the callback back before it goes.
    let code = libusb_hotplug_register_callback(
      context, Int32(events), 0, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
      { _, device, event, raw in
        guard let device, let raw else { return 0 }
        let change = USBChange(
          isArrival: event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED, portPath: USBDevice.portPath(of: device))
        Unmanaged<HotplugRelay>.fromOpaque(raw).takeUnretainedValue().tell(change)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque(), &handle)
    return code == 0 ? handle : nil
  }

  func tell(_ change: USBChange) {
    for watch in state.withLock({ Array($0.watches.values) }) { watch.loop.post { watch.changed(change) } }
  }

  func add(_ loop: Loop, _ changed: @escaping @Sendable (USBChange) -> Void) -> Int {
    state.withLock {
      $0.last += 1
      $0.watches[$0.last] = Watch(loop: loop, changed: changed)
      return $0.last
    }
  }

  func remove(_ id: Int) { state.withLock { _ = $0.watches.removeValue(forKey: id) } }
}

/// Tells a loop of devices that come and go, until it is stopped.
// Unchecked: touched only on the loop's thread.
public final class USBWatch: @unchecked Sendable {
  private let context: USBContext
  private let loop: Loop
  private let changed: @Sendable (USBChange) -> Void
  private var id: Int?
  private var timer: TimerID?
  private var present: Set<String> = []
  private var isStopped = false

  /// How often is looked, where libusb does not tell.
  static let period: Duration = .milliseconds(500)

  /// - Parameter polls: look now and then even where libusb tells.
  public init(
    _ context: USBContext, _ loop: Loop, polls: Bool = false, _ changed: @escaping @Sendable (USBChange) -> Void
  ) {
    self.context = context
    self.loop = loop
    self.changed = changed
    if context.hasHotplug, !polls {
      id = context.relay.add(loop, changed)
    } else {
      present = Set(context.portPaths())
      schedule()
    }
  }

  public func stop() {
    isStopped = true
    if let id { context.relay.remove(id) }
    if let timer { loop.cancel(timer) }
    id = nil
    timer = nil
  }

  private func schedule() {
    timer = loop.schedule(at: loop.now + USBWatch.period) { [weak self] in self?.look() }
  }

  private func look() {
    guard !isStopped else { return }
    let now = Set(context.portPaths())
    for path in present.subtracting(now).sorted() { changed(USBChange(isArrival: false, portPath: path)) }
    for path in now.subtracting(present).sorted() { changed(USBChange(isArrival: true, portPath: path)) }
    present = now
    schedule()
  }
}
