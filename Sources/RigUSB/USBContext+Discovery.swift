internal import CUSB
internal import Glibc

extension USBContext {
  /// The stage-link devices that are plugged in, by port. Nothing is asked of the devices themselves: descriptors and
  /// strings are those that the kernel read when they came.
  public func devices() -> [USBDevice] {
    withDevices { $0.compactMap(describe) }.filter { USBContext.kernelHas($0.portPath, address: $0.address) }
      .sorted { USBContext.isBefore($0.portPath, $1.portPath) }
  }

  /// Bus and address of each device that libusb knows.
  func addresses() -> Set<[Int]> {
    withDevices { Set($0.map { [Int(libusb_get_bus_number($0)), Int(libusb_get_device_address($0))] }) }
  }

  /// Opens the device that is now at this place of the bus; `nil` where it is gone.
  func withDevice<R>(bus: UInt8, address: UInt8, _ body: (OpaquePointer) -> R) -> R? {
    withDevices { list in
      list.first { libusb_get_bus_number($0) == bus && libusb_get_device_address($0) == address }.map(body)
    }
  }

  private func withDevices<R>(_ body: ([OpaquePointer]) -> R) -> R {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    let count = libusb_get_device_list(raw, &list)
    defer { if let list { libusb_free_device_list(list, 1) } }
    let devices = count > 0 ? UnsafeBufferPointer(start: list, count: count).compactMap { $0 } : []
    return body(devices)
  }

  /// By bus, then port for port: `1-2` stands before `1-10`.
  private static func isBefore(_ a: String, _ b: String) -> Bool {
    func numbers(_ path: String) -> [Int] { path.split { $0 == "-" || $0 == "." }.map { Int($0) ?? 0 } }
    return numbers(a).lexicographicallyPrecedes(numbers(b))
  }

  // MARK: One device

  private func describe(_ device: OpaquePointer) -> USBDevice? {
    var descriptor = libusb_device_descriptor()
    guard libusb_get_device_descriptor(device, &descriptor) == 0, let found = stageLink(device) else { return nil }
    let path = USBDevice.portPath(of: device)
    let bus = libusb_get_bus_number(device)
    let address = libusb_get_device_address(device)
    let denial = found.problem == nil ? USBContext.accessProblem(bus, address) : nil
    return USBDevice(
      identity: USBDevice.Identity(portPath: path, serial: USBContext.text(path, "serial")), address: address,
      bus: bus, vendorID: descriptor.idVendor, productID: descriptor.idProduct,
      manufacturer: USBContext.text(path, "manufacturer"), product: USBContext.text(path, "product"),
      speed: USBContext.speed(device), problem: found.problem ?? denial?.text,
      isForbidden: denial?.isForbidden ?? false,
      endpoints: found.endpoints)
  }

  private struct StageLinkInterface {
    var endpoints: USBDevice.Endpoints?
    var problem: String?
  }

  /// The first interface of the right class that has a bulk pair.
  private func stageLink(_ device: OpaquePointer) -> StageLinkInterface? {
    var configuration: UnsafeMutablePointer<libusb_config_descriptor>?
    if libusb_get_active_config_descriptor(device, &configuration) != 0 {
      guard libusb_get_config_descriptor(device, 0, &configuration) == 0 else { return nil }
    }
    guard let configuration else { return nil }
    defer { libusb_free_config_descriptor(configuration) }
    let interfaces = UnsafeBufferPointer(
      start: configuration.pointee.interface, count: Int(configuration.pointee.bNumInterfaces))
    let settings = interfaces.flatMap { UnsafeBufferPointer(start: $0.altsetting, count: Int($0.num_altsetting)) }
      .filter {
        $0.bInterfaceClass == USBDevice.interfaceClass && $0.bInterfaceSubClass == USBDevice.interfaceSubclass
          && $0.bInterfaceProtocol == USBDevice.interfaceProtocol
      }
    guard !settings.isEmpty else { return nil }
    if let pair = settings.lazy.compactMap(bulkPair).first { return StageLinkInterface(endpoints: pair) }
    return StageLinkInterface(problem: "its stage-link interface has no pair of bulk endpoints")
  }

  private func bulkPair(_ setting: libusb_interface_descriptor) -> USBDevice.Endpoints? {
    let bulk = UnsafeBufferPointer(start: setting.endpoint, count: Int(setting.bNumEndpoints)).filter {
      $0.bmAttributes & 0x03 == UInt8(LIBUSB_TRANSFER_TYPE_BULK.rawValue)
    }
    guard let input = bulk.first(where: { $0.bEndpointAddress & 0x80 != 0 }),
      let output = bulk.first(where: { $0.bEndpointAddress & 0x80 == 0 })
    else { return nil }
    func packet(_ endpoint: libusb_endpoint_descriptor) -> Int { Int(endpoint.wMaxPacketSize & 0x07FF) }
    guard packet(input) > 0, packet(output) > 0 else { return nil }
    return USBDevice.Endpoints(
      interface: setting.bInterfaceNumber, alternate: setting.bAlternateSetting, input: input.bEndpointAddress,
      output: output.bEndpointAddress, inputPacket: packet(input), outputPacket: packet(output))
  }

  private static func speed(_ device: OpaquePointer) -> String {
    switch UInt32(bitPattern: libusb_get_device_speed(device)) {
    case LIBUSB_SPEED_LOW.rawValue: "1.5 Mbit/s"
    case LIBUSB_SPEED_FULL.rawValue: "12 Mbit/s"
    case LIBUSB_SPEED_HIGH.rawValue: "480 Mbit/s"
    case LIBUSB_SPEED_SUPER.rawValue: "5 Gbit/s"
    case LIBUSB_SPEED_SUPER_PLUS.rawValue: "10 Gbit/s"
    default: "unknown speed"
    }
  }

  // MARK: What the kernel knows

  /// A string that the kernel read from the device when it was plugged in; readable by everybody.
  private static func text(_ portPath: String, _ attribute: String) -> String {
    text("/sys/bus/usb/devices/\(portPath)/\(attribute)")
  }

  private static func accessProblem(_ bus: UInt8, _ address: UInt8) -> (text: String, isForbidden: Bool)? {
    let node = "/dev/bus/usb/\(padded(bus))/\(padded(address))"
    guard access(node, R_OK | W_OK) != 0 else { return nil }
    switch errno {
    case EACCES, EPERM: return (accessText(node), true)
    default: return ("\(node): \(String(cString: strerror(errno)))", false)
    }
  }

  static func accessText(_ node: String) -> String {
    "no permission to open \(node); put this line into /etc/udev/rules.d/70-streamrig.rules, run "
      + "\"udevadm control --reload\" and plug the device in again: \(USBDevice.udevRule)"
  }

  static func padded(_ number: UInt8) -> String {
    String(repeating: "0", count: 3 - "\(number)".count) + "\(number)"
  }
}
