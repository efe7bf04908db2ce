import Glibc
import RigLoop
import RigPlan
import RigReport
import RigRunner
import RigUSB

/// A device as leases know it.
struct LeaseTarget {
  /// What messages call it.
  var device: String
  /// All names by which it is leased. Empty: it is emulated, and everybody starts one of his own.
  var names: [LeaseName]

  init(_ device: Rig.Device) {
    self.device = device.name
    switch device.control {
    case .emulated: names = []
    case .serial(let path, _): names = LeaseName.serialLine(path)
    case .command(let template), .forward(let template):
      names = [LeaseName("command \(template.arguments(device.values()).joined(separator: " "))")]
    case .tcp(let host, let port): names = [LeaseTarget.address(host, port)]
    case .usb(let selector): names = LeaseTarget.usb(USBSelector(selector))
    }
    if let serial = device.serial, !names.isEmpty { names.append(LeaseName("device \(device.model) \(serial)")) }
  }

  init(_ target: DeviceTarget) {
    device = target.deviceName
    switch target {
    case .tcp(let address): names = [LeaseTarget.address(address.host, address.port)]
    case .serial(let path, _): names = LeaseName.serialLine(path)
    case .stdio(let command), .forward(let command): names = [LeaseName("command \(command)")]
    case .usb(let selector): names = LeaseTarget.usb(selector)
    }
  }

  /// The device that a command line names: one of the rig, or a target as `--device` takes it.
  init(_ text: String, rig: Rig?) throws(UsageError) {
    if let device = rig?.devices.first(where: { $0.name == text }) {
      self.init(device)
    } else if let rig, !text.contains(":") {
      let names = rig.devices.map(\.name)
      let near = NearestName.suggestion(for: text, among: names).map { "; did you mean \($0)?" } ?? ""
      throw UsageError(
        description: "\(PrintableText.quote(text)) is no device of the rig \(rig.id), which has "
          + names.joined(separator: ", ") + near)
    } else {
      self.init(try DeviceTarget(text, option: "DEVICE"))
    }
  }

  /// Two devices of one run that are the same one.
  struct Twins: Error, CustomStringConvertible {
    let description: String
  }

  static func refuseTwins(_ targets: [LeaseTarget]) throws(Twins) {
    var owners: [LeaseName: String] = [:]
    for target in targets {
      for name in Set(target.names).sorted() {
        if let other = owners[name] {
          throw Twins(
            description: "\(other) and \(target.device) are the same device: both are \(PrintableText.cut(name.text))")
        }
        owners[name] = target.device
      }
    }
  }

  /// An address has many spellings.
  private static func address(_ host: String, _ port: UInt16) -> LeaseName {
    let plain = SocketAddress(host: host, port: port)?.canonical.host ?? host
    return LeaseName(Rig.Control.tcp(host: plain, port: port).text)
  }

  /// As it is named, and, where it is plugged in now, the place and the serial number that every other name of it leads
  /// to as well.
  private static func usb(_ selector: USBSelector) -> [LeaseName] {
    let named = LeaseName(Rig.Control.usb(selector.text).text)
    // A device that is away, or that this user may not see, is known by that name alone.
    guard let devices = try? USBContext().devices(), let found = try? selector.resolve(devices) else { return [named] }
    let others = found.identity.selectors(among: devices.map(\.identity)).map { LeaseName(Rig.Control.usb($0).text) }
    return [named] + others + [LeaseName("usb device at \(found.portPath) serial \(found.serial)")]
  }
}

extension LeaseRecord {
  /// A record of this process.
  init(_ purpose: String, device: String, clock: LeaseClock) {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let uid = getuid()
    let user = getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? "uid \(uid)"
    self.init(
      purpose: purpose, device: device, pid: getpid(), uid: uid, user: user,
      host: String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), since: clock.now)
  }
}

extension DeviceLease.Held {
  /// Anybody may have written the record.
  var line: String { TerminalText.line("\(self)", columns: 300) }
}
