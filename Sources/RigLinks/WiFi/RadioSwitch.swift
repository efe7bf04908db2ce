import Glibc

/// What keeps a radio from sending: the kernel's switch of it (rfkill).
///
/// Its folder in /sys is seen in the radio's network namespace alone; `/dev/rfkill` tells of every switch, by number.
struct RadioSwitch: Hashable, Sendable {
  private let phy: String
  private let number: UInt32?

  /// - Parameter phy: the name of a radio that is in the calling thread's network namespace.
  init(of phy: String) {
    self.phy = phy
    number = RadioSwitch.folder(of: phy).flatMap { UInt32($0.dropFirst("rfkill".count)) }
  }

  /// Which of them keeps it from sending now; `nil`: none, or none that can be read.
  var block: Radio.Block? { number.flatMap(RadioSwitch.told) ?? seen }

  private static func folder(of phy: String) -> String? {
    SystemTree.names(in: "/sys/class/ieee80211/\(phy)").first { $0.hasPrefix("rfkill") }
  }

  private var seen: Radio.Block? {
    guard let name = RadioSwitch.folder(of: phy) else { return nil }
    let folder = "/sys/class/ieee80211/\(phy)/\(name)"
    if SystemTree.read("\(folder)/hard") == "1" { return .hard }
    return SystemTree.read("\(folder)/soft") == "1" ? .soft : nil
  }

  /// The first reads give one event for each switch there is: `struct rfkill_event` of linux/rfkill.h, 8 bytes: number,
  /// type, operation, soft, hard.
  private static func told(_ number: UInt32) -> Radio.Block? {
    let fd = open("/dev/rfkill", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var event = [UInt8](repeating: 0, count: 8)
    while Glibc.read(fd, &event, event.count) == event.count {
      guard event.withUnsafeBytes({ $0.loadUnaligned(as: UInt32.self) }) == number else { continue }
      return event[7] != 0 ? .hard : event[6] != 0 ? .soft : nil
    }
    return nil
  }
}
