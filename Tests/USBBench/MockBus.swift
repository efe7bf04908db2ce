import CMockUSB
import Glibc
import RigLoop

/// The emulated bus, seen from the side of the devices.
// Unchecked: the bus has a lock of its own.
final class MockBus: @unchecked Sendable {
  private let bus: OpaquePointer

  /// - Returns: `nil` where this was built without libumockdev.
  init?() {
    guard mock_usb_is_available() != 0, let made = mock_usb_bus_new() else { return nil }
    bus = made
  }

  var directory: String { String(cString: mock_usb_bus_directory(bus)) }

  /// A device to plug in.
  struct Spec {
    var port = "1-1"
    var serial: String? = "SN-1"
    var product: String? = "Bench Cam"
    var interfaceSubclass: UInt8 = 0x53
    var interfaceNumber: UInt8 = 0
    var input: UInt8 = 0x81
    var output: UInt8 = 0x02
    var packet: UInt16 = 512
    var speed: Int32 = 480
  }

  /// - Returns: the firmware's end of the bulk pair; it ends when the device is unplugged.
  func plug(_ loop: EpollLoop, _ spec: Spec = Spec()) throws -> ByteStream {
    let fd = spec.port.withCString { port in
      MockBus.withText(spec.serial) { serial in
        MockBus.withText(spec.product) { product in
          "Bench".withCString { maker in
            var made = mock_usb_spec()
            made.port = port
            made.serial = serial
            made.product = product
            made.manufacturer = maker
            made.vendor_id = 0x1D6B
            made.product_id = 0x0104
            made.interface_class = 0xFF
            made.interface_subclass = spec.interfaceSubclass
            made.interface_protocol = 1
            made.interface_number = spec.interfaceNumber
            made.endpoint_in = spec.input
            made.endpoint_out = spec.output
            made.packet = spec.packet
            made.speed = spec.speed
            return mock_usb_plug(bus, &made)
          }
        }
      }
    }
    guard fd >= 0 else { throw SystemError("plug", code: ENODEV, on: spec.port) }
    return try ByteStream(loop, input: fd, output: fd)
  }

  private static func withText<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }

  func unplug(_ port: String = "1-1") { mock_usb_unplug(bus, port) }
  func set(_ setting: mock_usb_setting, _ value: Int, at port: String = "1-1") {
    mock_usb_set(bus, port, setting, Int32(value))
  }
  func leaveStale(_ bytes: [UInt8], at port: String = "1-1") { mock_usb_stale(bus, port, bytes, bytes.count) }
  func forgetHosts(_ port: String = "1-1") { mock_usb_forget_hosts(bus, port) }
  func facts(_ port: String = "1-1") -> mock_usb_facts { mock_usb_facts_of(bus, port) }

  func close() { mock_usb_bus_free(bus) }
}
