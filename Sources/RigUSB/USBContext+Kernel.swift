internal import Glibc

/// What the kernel itself says of the bus, in sysfs.
///
/// libusb learns of devices that come and go from udevd. Where none runs, in a container, and in another network
/// namespace than udevd's, nobody tells it: its list stays what it was when its context was made.
extension USBContext {
  private static let folder = "/sys/bus/usb/devices"

  /// Whether this enumeration of a device is still on the bus.
  static func kernelHas(_ portPath: String, address: UInt8) -> Bool {
    number("\(folder)/\(portPath)/devnum") == Int(address)
  }

  /// Whether the kernel has devices that libusb does not know, or no more some of those that it knows.
  func isOutdated() -> Bool { addresses() != USBContext.kernelAddresses() }

  private static func kernelAddresses() -> Set<[Int]> {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: Set<[Int]> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // Interfaces stand beside their devices, as `1-1:1.0`.
      guard !name.hasPrefix("."), !name.contains(":"), let bus = number("\(folder)/\(name)/busnum"),
        let address = number("\(folder)/\(name)/devnum")
      else { continue }
      found.insert([bus, address])
    }
    return found
  }

  private static func number(_ path: String) -> Int? { Int(text(path).prefix { $0.isNumber }) }

  /// A small file, cleaned; empty where it cannot be read.
  static func text(_ path: String) -> String {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return "" }
    defer { Glibc.close(fd) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(fd, &bytes, bytes.count)
    return count > 0 ? USBText.clean(bytes.prefix(count)) : ""
  }
}
