import Glibc
import RigModel
import RigPlan
import RigUSB

/// What the kernel says of the USB, and of the stage-link devices on it. Nothing is opened, and no thread is made.
enum USBDoctor {
  private static let folder = "/sys/bus/usb/devices"

  static func examine() -> [Diagnosis] {
    guard access(folder, F_OK) == 0 else {
      return [
        .warning(
          "usb", "the kernel has no USB: there is no /sys/bus/usb",
          fix: "modprobe xhci_pci, or another driver of the controller; devices on other lines need none")
      ]
    }
    let names = SystemFile.list(folder)
    let devices = names.filter { name in
      !name.contains(":") && names.contains { $0.hasPrefix("\(name):") && isStageLink($0) }
    }
    return [bus(devices.count), rights] + devices.map(device)
  }

  private static func isStageLink(_ interface: String) -> Bool {
    func byte(_ attribute: String) -> UInt8? {
      SystemFile.read("\(folder)/\(interface)/\(attribute)").flatMap { UInt8($0, radix: 16) }
    }
    return byte("bInterfaceClass") == USBDevice.interfaceClass
      && byte("bInterfaceSubClass") == USBDevice.interfaceSubclass
      && byte("bInterfaceProtocol") == USBDevice.interfaceProtocol
  }

  private static func bus(_ count: Int) -> Diagnosis {
    let what =
      switch count {
      case 0: "no stage-link device is plugged in"
      case 1: "1 stage-link device is plugged in"
      default: "\(count) stage-link devices are plugged in"
      }
    let news =
      access("/run/udev/control", F_OK) == 0
      ? "udevd tells of devices that come and go"
      : "no udevd runs here: a device that comes back is looked for, and found half a second later"
    return .ok("usb", "\(what); \(news)")
  }

  /// Who may open a device that is plugged in later.
  private static var rights: Diagnosis {
    let name = "usb access"
    if geteuid() == 0 { return .ok(name, "root opens every device") }
    let folders = ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d"]
    let files = folders.flatMap { folder in
      SystemFile.list(folder).filter { $0.hasSuffix(".rules") }.map { "\(folder)/\($0)" }
    }
    if let file = files.first(where: { SystemFile.read($0)?.contains(":ff5301:") == true }) {
      return .ok(name, "the rule in \(file) gives access to stage-link devices")
    }
    return .warning(name, "no udev rule gives ordinary users access to stage-link devices", fix: ruleFix)
  }

  /// How ordinary users get access.
  static let ruleFix =
    "put this into /etc/udev/rules.d/70-streamrig.rules, run udevadm control --reload, and plug it in again:\n"
    + USBDevice.udevRule

  private static func device(_ path: String) -> Diagnosis {
    let name = "usb \(path)"
    func text(_ attribute: String) -> String {
      PrintableText.quote(SystemFile.read("\(folder)/\(path)/\(attribute)") ?? "")
    }
    guard let file = file(path) else {
      return .warning(name, "it is there, and its file cannot be told", fix: "plug it in again")
    }
    let what = "\(text("product")), serial \(text("serial")), \(file)"
    guard access(file, F_OK) == 0 else {
      return .warning(
        name, "\(what) is missing", fix: "in a container, pass /dev/bus/usb on; elsewhere devtmpfs or udevd makes it")
    }
    guard access(file, R_OK | W_OK) == 0 else {
      return .warning(name, "\(what) may not be opened by this user", fix: ruleFix)
    }
    return .ok(name, "\(what) may be opened; \(power(path))")
  }

  /// `/dev/bus/usb/001/002`
  static func file(_ path: String) -> String? {
    guard let bus = SystemFile.read("\(folder)/\(path)/busnum").flatMap({ Int($0) }),
      let number = SystemFile.read("\(folder)/\(path)/devnum").flatMap({ Int($0) })
    else { return nil }
    func three(_ n: Int) -> String { String(repeating: "0", count: max(0, 3 - "\(n)".count)) + "\(n)" }
    return "/dev/bus/usb/\(three(bus))/\(three(number))"
  }

  /// What the kernel does with a device that nobody has open.
  private static func power(_ path: String) -> String {
    let power = "\(folder)/\(path)/power"
    guard SystemFile.read("\(power)/control") == "auto" else { return "it is never suspended" }
    guard let delay = SystemFile.read("\(power)/autosuspend_delay_ms").flatMap({ Int64($0) }), delay >= 0 else {
      return "it is never suspended"
    }
    return "suspended when nobody has it open for \(Duration.milliseconds(delay).text)"
  }
}
