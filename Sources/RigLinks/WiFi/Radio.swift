import Glibc
import RigLoop

/// A Wi-Fi radio of this machine, as the calling thread's network namespace has it.
public struct Radio: Hashable, Sendable {
  /// Its first interface, `wlan0`; empty where it has none.
  public var interface: String
  /// `phy0`
  public var phy: String
  /// The kernel's number of it.
  public var index: UInt32
  /// `mac80211_hwsim`; empty where /sys does not say.
  public var driver: String
  /// `2.4 GHz`, `5 GHz`, `6 GHz`.
  public var bands: [String]
  /// The harness gives each radio a network namespace of its own; some drivers do not allow that.
  public var mayChangeNamespace: Bool
  public var isUp: Bool
  /// Who else uses the interface: `NetworkManager`, `wpa_supplicant`, `hostapd`; `nil`: nobody that can be told.
  public var manager: String?
  public var block: Block?

  /// A switch that keeps it from sending.
  public enum Block: String, Sendable {
    /// `rfkill unblock wifi` lifts it.
    case soft
    /// A switch of the machine.
    case hard
  }

  /// `wlan0 (phy0, mac80211_hwsim)`
  public var text: String {
    let inner = driver.isEmpty ? phy : "\(phy), \(driver)"
    return interface.isEmpty ? inner : "\(interface) (\(inner))"
  }

  /// The radios of the calling thread's network namespace; none where the kernel has no Wi-Fi.
  /// - Throws: `SystemError` where the kernel does not answer.
  public static func list() throws -> [Radio] { try list(in: NetworkNamespace.current("home")) }

  static func list(in space: NetworkNamespace) throws -> [Radio] {
    guard let control = try WirelessControl(space) else { return [] }
    let interfaces = try control.interfaces()
    return try control.wiphys().map { wiphy in
      let own = interfaces.filter { $0.wiphy == wiphy.index }
      let interface = (own.first { $0.kind == WirelessControl.station } ?? own.first)?.name ?? ""
      return Radio(
        interface: interface, phy: wiphy.name, index: wiphy.index,
        driver: SystemTree.linkName("/sys/class/ieee80211/\(wiphy.name)/device/driver"),
        bands: [(0, "2.4 GHz"), (1, "5 GHz"), (3, "6 GHz")].filter { wiphy.bands.contains($0.0) }.map(\.1),
        mayChangeNamespace: wiphy.mayChangeNamespace, isUp: SystemTree.isUp(interface),
        manager: interface.isEmpty ? nil : SystemTree.manager(of: interface),
        block: RadioSwitch(of: wiphy.name).block)
    }
  }

  /// The radio with this name: of an interface, or of the radio itself.
  /// - Throws: `RadioUnavailable` naming those that are there.
  public static func find(_ name: String) throws -> Radio {
    let radios = try list()
    if let radio = radios.first(where: { $0.interface == name || $0.phy == name }) { return radio }
    let there = radios.isEmpty ? "none" : radios.map(\.text).joined(separator: ", ")
    throw RadioUnavailable("no radio is called \(name); this machine has \(there)")
  }
}

/// Why a radio cannot be used.
public struct RadioUnavailable: Error, CustomStringConvertible {
  public let description: String
  /// What a person can do about it; empty where the description says it.
  public let fix: String
  init(_ description: String, fix: String = "") {
    self.description = description
    self.fix = fix
  }
}

/// What the file system says of interfaces.
enum SystemTree {
  /// The last part of where a link points to; empty where there is none.
  static func linkName(_ path: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let n = readlink(path, &buffer, buffer.count - 1)
    let target = String(decoding: buffer.prefix(max(0, n)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return target.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The first 4096 bytes of a file, without white space at its end; `nil` where it cannot be read.
  static func read(_ path: String) -> String? {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let n = Glibc.read(fd, &buffer, buffer.count)
    guard n >= 0 else { return nil }
    return String(decoding: buffer[0..<n].reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }

  static func names(in folder: String) -> [String] {
    guard let list = opendir(folder) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// IFF_UP
  static func isUp(_ interface: String) -> Bool {
    guard !interface.isEmpty, let flags = read("/sys/class/net/\(interface)/flags") else { return false }
    return (UInt32(flags.dropFirst(2), radix: 16) ?? 0) & 1 != 0
  }

  static func manager(of interface: String) -> String? {
    if access("/run/hostapd/\(interface)", F_OK) == 0 { return "hostapd" }
    if let index = read("/sys/class/net/\(interface)/ifindex"),
      let state = read("/run/NetworkManager/devices/\(index)"), state.contains("managed=true")
    {
      return "NetworkManager"
    }
    return access("/run/wpa_supplicant/\(interface)", F_OK) == 0 ? "wpa_supplicant" : nil
  }

  /// A folder may be entered, which counts as executable.
  static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  /// A program of the system: in PATH, or where administrators' programs stand.
  static func program(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
    return folders.lazy.map { "\($0)/\(name)" }.first(where: isProgram)
  }
}
