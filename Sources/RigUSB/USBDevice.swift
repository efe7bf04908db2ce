internal import CUSB

/// A device on the USB with a stage-link interface: class 0xFF, subclass 0x53, protocol 0x01.
public struct USBDevice: Hashable, Sendable {
  /// What tells a device from all others while it stays where it is plugged in. Serials repeat, or are empty.
  public struct Identity: Hashable, Sendable, CustomStringConvertible {
    /// Bus and full port chain, `1-2.3`: the name that the kernel gives it too.
    public let portPath: String
    /// Cleaned; empty where the device has none.
    public let serial: String
    public init(portPath: String, serial: String) {
      self.portPath = portPath
      self.serial = serial
    }
    public var description: String { serial.isEmpty ? portPath : "\(serial) at \(portPath)" }
  }

  public static let interfaceClass: UInt8 = 0xFF
  public static let interfaceSubclass: UInt8 = 0x53
  public static let interfaceProtocol: UInt8 = 0x01

  /// The bulk pair of the interface.
  struct Endpoints: Hashable, Sendable {
    var interface: UInt8
    var alternate: UInt8
    var input: UInt8
    var output: UInt8
    /// wMaxPacketSize, bytes.
    var inputPacket: Int
    var outputPacket: Int
  }

  public let identity: Identity
  /// 1…127; another one after each enumeration.
  public let address: UInt8
  public let bus: UInt8
  public let vendorID: UInt16
  public let productID: UInt16
  /// As the device says; cleaned, and empty where it says nothing.
  public let manufacturer: String
  public let product: String
  /// `480 Mbit/s`
  public let speed: String
  /// Why it cannot be used, and what to do; `nil`: it can.
  public let problem: String?
  /// It cannot be used because this user may not open it: `udevRule` ends that.
  public let isForbidden: Bool
  let endpoints: Endpoints?

  public var portPath: String { identity.portPath }
  public var serial: String { identity.serial }
  /// `1d6b:0104`
  public var ids: String { USBDevice.hex(vendorID) + ":" + USBDevice.hex(productID) }

  /// Four digits.
  public static func hex(_ value: UInt16) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// What gives ordinary users access to every stage-link device; for `/etc/udev/rules.d/70-streamrig.rules`.
  public static let udevRule =
    #"SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ENV{ID_USB_INTERFACES}=="*:ff5301:*", MODE="0660", "#
    + #"GROUP="plugdev", TAG+="uaccess""#

  /// `1-2.3`; no input or output.
  static func portPath(of device: OpaquePointer) -> String {
    var ports = [UInt8](repeating: 0, count: 7)
    let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
    let chain = ports.prefix(Int(max(0, count))).map { "\($0)" }.joined(separator: ".")
    let bus = libusb_get_bus_number(device)
    return chain.isEmpty ? "usb\(bus)" : "\(bus)-\(chain)"
  }
}
