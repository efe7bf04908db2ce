import Glibc
import RigLinks
import RigLoop
import RigModel
import RigPlan
import RigUSB

/// Whether this machine has what a rig file names.
enum RigDoctor {
  static func examine(_ rig: Rig) -> [Diagnosis] {
    twins(rig)
      + rig.devices.flatMap { device in
        [control(device), link(device), key(device), capture(device)].compactMap { $0 } + commands(device)
      }
  }

  /// Two entries that lead to one device: no run takes them.
  private static func twins(_ rig: Rig) -> [Diagnosis] {
    do {
      try LeaseTarget.refuseTwins(rig.devices.map { LeaseTarget($0) })
      return []
    } catch {
      return [.problem("rig \(rig.id)", "\(error)", fix: "name each device once")]
    }
  }

  // MARK: Control

  private static func control(_ device: Rig.Device) -> Diagnosis? {
    let name = "\(device.name) control"
    switch device.control {
    case .emulated(let model): return .ok(name, "the harness emulates \(model)")
    case .tcp: return .ok(name, "\(device.control.text): streamrig devices tells whether it answers")
    case .serial(let path, _): return serial(name, path)
    case .usb(let selector): return usb(name, selector)
    case .command(let template), .forward(let template): return program(name, device, template, isNeeded: true)
    }
  }

  private static func serial(_ name: String, _ path: String) -> Diagnosis {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let there = SystemFile.list("/dev/serial/by-id")
      return .problem(
        name, "\(path): \(SystemError("stat", on: path).reason)",
        fix: there.isEmpty
          ? "plug it in; this machine has no serial line by id at all"
          : "plug it in, or name one of these in /dev/serial/by-id: \(there.joined(separator: ", "))")
    }
    // Opening it would tell for sure, and reset many boards.
    guard status.st_mode & S_IFMT == S_IFCHR, SystemFile.deviceClass(status.st_rdev) ?? "tty" == "tty" else {
      return .problem(name, "\(path) is no serial line", fix: "name the line by its path under /dev/serial/by-id")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
      return .problem(
        name, "\(path) may not be opened by this user",
        fix: "it belongs to the group \(group): sudo usermod -aG \(group) $USER, then log in again")
    }
    let isNumbered = path.hasPrefix("/dev/ttyACM") || path.hasPrefix("/dev/ttyUSB")
    return isNumbered
      ? .warning(
        name, "\(path) can be opened",
        fix: "name it by its path under /dev/serial/by-id: numbers change when something is plugged in")
      : .ok(name, "\(path) can be opened")
  }

  /// As a run would find it. Nothing is opened.
  private static func usb(_ name: String, _ selector: String) -> Diagnosis {
    do {
      let found = try USBSelector(selector).resolve(try USBContext().devices())
      guard let problem = found.problem else { return .ok(name, "usb \(found.identity) can be opened") }
      guard found.isForbidden else {
        return .problem(
          name, "usb \(found.identity) is there, and cannot be used: \(problem)",
          fix: "its firmware must offer a stage-link interface, and this machine the device's file")
      }
      return .problem(
        name, "usb \(found.identity) is there, and may not be opened by this user",
        fix: USBDoctor.ruleFix)
    } catch {
      return .problem(name, "\(error)", fix: "plug it in; streamrig devices lists what is there")
    }
  }

  // MARK: Link

  private static func link(_ device: Rig.Device) -> Diagnosis? {
    let name = "\(device.name) link"
    switch device.link {
    case .loopback: return device.isEmulated ? nil : .ok(name, "loopback")
    case .namespace: return nil
    case .away: return .ok(name, "none: a phone plays, and its own capture proves the media")
    case .interface(let interface): return self.interface(name, interface)
    case .wifi(let radio), .networkManager(let radio):
      do {
        let found = try Radio.find(radio)
        if device.link == .wifi(radio: radio) {
          if let refusal = found.refusal { throw refusal }
          let giver = found.manager.map { ", and \($0) gives it up" } ?? ""
          return .ok(name, "the radio \(found.text) can be taken\(giver)")
        }
        let loop = try EpollLoop()
        try loop.run { try await ManagedLink.look(loop, radio: radio) }
        return .ok(name, "NetworkManager can join with the radio \(found.text)")
      } catch let error as RadioUnavailable {
        return .problem(
          name, "\(error)", fix: error.fix.isEmpty ? "plug it in, or name another: iw dev lists them" : error.fix)
      } catch {
        return .problem(name, "\(radio): \(error)", fix: LinkDoctor.radioFix)
      }
    }
  }

  /// Whether a run would take the key. Nothing of it is shown.
  private static func key(_ device: Rig.Device) -> Diagnosis? {
    guard let file = device.keyFile else { return nil }
    let name = "\(device.name) key-file"
    let fix = "put the hotspot's key into its first line, readable by this user alone"
    do {
      let key = try RadioChoice.key(in: file, for: "key-file")
      if let problem = WiFiLink.problem(ofKey: key) { return .problem(name, "\(file): \(problem)", fix: fix) }
      return .ok(name, "\(file) holds a key")
    } catch {
      return .problem(name, "\(error)", fix: fix)
    }
  }

  private static func interface(_ name: String, _ interface: String) -> Diagnosis {
    guard access("/sys/class/net/\(interface)", F_OK) == 0 else {
      let there = SystemFile.list("/sys/class/net").filter { $0 != "lo" }
      return .problem(
        name, "there is no interface \(interface)",
        fix: "plug it in" + (there.isEmpty ? "" : ", or name one of \(there.joined(separator: ", "))"))
    }
    return SystemFile.read("/sys/class/net/\(interface)/operstate") == "down"
      ? .warning(name, "\(interface) is down", fix: "ip link set \(interface) up, and join the device's network")
      : .ok(name, "\(interface) is there")
  }

  private static func capture(_ device: Rig.Device) -> Diagnosis? {
    device.capture.map { interface("\(device.name) capture", $0) }
  }

  // MARK: Commands

  private static func commands(_ device: Rig.Device) -> [Diagnosis] {
    let all = [
      ("power off", device.power?.off), ("power on", device.power?.on), ("power cycle", device.power?.cycle),
      ("actuator", device.actuator),
    ]
    let phone = [("phone begin", device.phone?.begin), ("phone capture", device.phone?.capture)]
    return all.compactMap { what, template in
      template.map { program("\(device.name) \(what)", device, $0, isNeeded: false) }
    }
      + phone.compactMap { what, template in
        // Without it no case of this device can be judged.
        template.map { program("\(device.name) \(what)", device, $0, isNeeded: true) }
      }
  }

  /// - Parameter isNeeded: no case can run without it.
  private static func program(
    _ name: String, _ device: Rig.Device, _ template: CommandTemplate, isNeeded: Bool
  ) -> Diagnosis {
    let path = (try? device.program(template))?.path
    if let path, SystemFile.isProgram(path) { return .ok(name, path) }
    let finding = "\(template.program) cannot be run: there is no such program, or not for this user"
    let fix = "install it, or write its whole path into the rig file"
    return isNeeded ? .problem(name, finding, fix: fix) : .warning(name, finding, fix: fix)
  }
}
