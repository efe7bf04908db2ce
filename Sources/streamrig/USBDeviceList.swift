import RigModel
import RigReport
import RigUSB

/// The devices on this machine's USB that speak stage-link/1, for people and for programs.
enum USBDeviceList {
  /// - Returns: the exit status.
  static func print(json: Bool) -> Int32 {
    let devices: [USBDevice]
    do { devices = try USBContext().devices() } catch {
      Output.complain("\(error)")
      return ExitStatus.rig
    }
    if json {
      for device in devices { Output.print(object(device).text) }
      return 0
    }
    guard !devices.isEmpty else {
      Output.diagnose(
        "no USB device with interface class ff, subclass 53, protocol 01 is plugged in; other devices are named by "
          + "--device: \(DeviceTarget.forms)")
      return 0
    }
    Output.raw(ColumnText.table(devices.map(row), left: 5, indent: 0))
    for device in devices {
      guard let problem = device.problem else { continue }
      // The rule is for copying: it must stay on its line.
      Output.print("\(device.portPath): \(TerminalText.line(problem, columns: 1000))")
    }
    return 0
  }

  private static func row(_ device: USBDevice) -> [String] {
    let name = [device.manufacturer, device.product].filter { !$0.isEmpty }.joined(separator: " ")
    return [
      "usb:\(device.portPath)", device.ids, TerminalText.line(name.isEmpty ? "-" : name, columns: 40),
      TerminalText.line(device.serial.isEmpty ? "-" : device.serial, columns: 40), device.speed,
      device.problem == nil ? "usable" : "not usable",
    ]
  }

  private static func object(_ device: USBDevice) -> JSONValue {
    [
      "target": .string("usb:\(device.portPath)"), "port": .string(device.portPath), "serial": .string(device.serial),
      "vendor": .string(USBDevice.hex(device.vendorID)), "product-id": .string(USBDevice.hex(device.productID)),
      "manufacturer": .string(device.manufacturer), "product": .string(device.product),
      "speed": .string(device.speed), "address": .integer(Int64(device.address)),
      "usable": .bool(device.problem == nil), "problem": device.problem.map { .string($0) } ?? .null,
    ]
  }
}
