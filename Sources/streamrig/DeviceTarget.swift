import RigDevice
import RigDrivers
import RigFlow
import RigLoop
import RigPlan
import RigUSB

/// Where a device is that is there already, as the command line names it.
enum DeviceTarget: Hashable, Sendable {
  case tcp(SocketAddress)
  case serial(path: String, baud: UInt32)
  case stdio(command: String)
  case forward(command: String)
  case usb(USBSelector)

  static let forms =
    "HOST:PORT, usb:SERIAL, usb:PORTPATH, serial:PATH[,BAUD], forward:COMMAND or stdio:COMMAND"

  /// `192.168.42.1:7066`, `[::1]:7066`, `serial:/dev/ttyACM0,115200`, `forward:adb forward tcp:0 tcp:7066`,
  /// `stdio:./agent --verbose`, `usb:SN0042`, `usb:1-2.3`.
  init(_ text: String, option: String) throws(UsageError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count == 2 ? String(parts[1]) : ""
    switch parts.first {
    case "serial": self = try DeviceTarget.serial(rest, option: option)
    case "usb" where parts.count == 2: self = .usb(USBSelector(rest))
    case "stdio" where !rest.isEmpty: self = .stdio(command: rest)
    case "forward" where !rest.isEmpty: self = .forward(command: rest)
    default: self = .tcp(try DeviceTarget.address(text, option: option))
    }
  }

  private static func serial(_ text: String, option: String) throws(UsageError) -> DeviceTarget {
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    let baud = parts.count == 2 ? UInt32(parts[1]) : SerialOpener.standardBaud
    guard let path = parts.first, !path.isEmpty, let baud, 300...12_000_000 ~= baud else {
      throw UsageError(
        description: "\(option): a serial line is a path and perhaps a baud rate, such as "
          + "serial:/dev/ttyACM0,115200, not \(PrintableText.quote("serial:\(text)"))")
    }
    return .serial(path: String(path), baud: baud)
  }

  private static func address(_ text: String, option: String) throws(UsageError) -> SocketAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      let address = SocketAddress(
        host: String(text[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }), port: port)
    else {
      throw UsageError(
        description: "\(option) takes a numeric address and a port, such as 192.168.42.1:7066, or another of "
          + "\(forms), not \(PrintableText.quote(text))")
    }
    return address
  }

  /// The address that the target itself names.
  var host: String? { if case .tcp(let address) = self { address.host } else { nil } }

  /// What its control link makes possible.
  var capabilities: [FaultDefinition.Capability] { if case .usb = self { [.usb] } else { [] } }

  /// For reports and folders.
  var deviceName: String {
    switch self {
    case .tcp(let address): "device-\(address.host)"
    case .serial(let path, _): "device-\(path.split(separator: "/").last.map(String.init) ?? "serial")"
    case .stdio: "device-stdio"
    case .forward: "device-forward"
    case .usb(let selector): selector.text.isEmpty ? "device-usb" : "device-\(selector.text)"
    }
  }

  func opener(_ loop: EpollLoop) -> any ChannelOpener {
    switch self {
    case .tcp(let address): TCPOpener(loop, address)
    case .serial(let path, let baud): SerialOpener(loop, path: path, baud: baud)
    case .stdio(let command): ProcessOpener(loop, program: "/bin/sh", arguments: ["-c", "exec \(command)"])
    case .forward(let command): ForwardOpener(loop, command: command)
    case .usb(let selector): USBOpener(loop, selector)
    }
  }
}
