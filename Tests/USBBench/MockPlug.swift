import CMockUSB
import RigEmulator
import RigLoop
import RigModel

/// A device that can be pulled out of the emulated bus and put back.
protocol PluggedDevice: AnyObject, Sendable {
  var port: String { get }
  /// Puts it back at its port.
  /// - Throws: where it cannot be put back yet.
  nonisolated(nonsending) func plugBack() async throws
  func unplug()
}

/// Performs on the emulated bus what a device was asked for by `inject`.
// Unchecked: touched only on the loop's thread.
final class MockPlug: PlugBackend, @unchecked Sendable {
  private let bench: Bench
  weak var device: (any PluggedDevice)?
  /// The device says yes, and the bus does nothing.
  var isDeaf = false
  /// Counts what was performed: the end of an older fault is of no interest.
  private var generation = 0
  /// What the device said last, for `stale`.
  private var said: [UInt8] = []

  /// Settings that last until they are restored.
  private var lasting: [mock_usb_setting] = []

  init(_ bench: Bench) { self.bench = bench }

  /// The device said this.
  func hear(_ bytes: [UInt8]) { said = Array((said + bytes).suffix(65_536)) }

  nonisolated(nonsending) func perform(_ fault: PlugFault) async {
    guard !isDeaf, let device else { return }
    generation += 1
    // What was said has its way through the harness to go: news of the bus would overtake it.
    try? await bench.until("all was read") { bench.bus.facts(device.port).unread == 0 }
    try? await bench.loop.sleep(for: .milliseconds(50))
    switch fault {
    case .unplug(let time): away(device, for: time, stale: [])
    case .stale(let count):
      var old = Array(said.suffix(count))
      if old.isEmpty { old = [0x1E] }
      while old.count < count { old += old.prefix(count - old.count) }
      away(device, for: .milliseconds(300), stale: old)
    case .silence(let time):
      set(MOCK_USB_NAK, 1, device)
      ends(after: time) { $0.set(MOCK_USB_NAK, 0, $1) }
    case .crumbs(let bytes, let time):
      set(MOCK_USB_DRIP, bytes, device)
      if let time { ends(after: time) { $0.set(MOCK_USB_DRIP, 0, $1) } } else { lasting.append(MOCK_USB_DRIP) }
    case .stall(let way, let time):
      let endpoints = [(MOCK_USB_STALL_IN, PlugFault.Way.input), (MOCK_USB_STALL_OUT, .output)]
        .filter { way == .both || way == $0.1 }.map(\.0)
      if let time { return halt(endpoints, for: time) }
      for endpoint in endpoints { set(endpoint, 1, device) }
    }
  }

  func restore() {
    guard let device else { return }
    for setting in lasting { set(setting, 0, device) }
    lasting = []
  }

  private func set(_ setting: mock_usb_setting, _ value: Int, _ device: any PluggedDevice) {
    bench.bus.set(setting, value, at: device.port)
  }

  private func ends(after time: Duration, _ end: @escaping @Sendable (MockPlug, any PluggedDevice) -> Void) {
    let mine = generation
    bench.loop.spawn {
      try await self.bench.loop.sleep(for: time)
      guard self.generation == mine, let device = self.device else { return }
      end(self, device)
    }
  }

  /// Each clearing and each reset is followed by another halt.
  private func halt(_ endpoints: [mock_usb_setting], for time: Duration) {
    let mine = generation
    let end = bench.loop.now + time
    bench.loop.spawn {
      while self.generation == mine, self.bench.loop.now < end, let device = self.device {
        for endpoint in endpoints { self.set(endpoint, 1000, device) }
        try await self.bench.loop.sleep(for: .milliseconds(5))
      }
      guard self.generation == mine, let device = self.device else { return }
      for endpoint in endpoints { self.set(endpoint, 0, device) }
    }
  }

  private func away(
    _ device: any PluggedDevice, for time: Duration, stale: [UInt8]
  ) {
    device.unplug()
    let back = bench.loop.now + time
    bench.loop.spawn {
      try await self.bench.loop.sleep(until: back)
      // A device that is booting meanwhile takes no link yet.
      for _ in 0..<100 {
        do {
          try await device.plugBack()
          break
        } catch {
          device.unplug()
          try await self.bench.loop.sleep(for: .milliseconds(50))
        }
      }
      if !stale.isEmpty { self.bench.bus.leaveStale(stale, at: device.port) }
    }
  }
}
