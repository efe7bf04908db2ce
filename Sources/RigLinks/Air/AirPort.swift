import CRigShims
import Glibc
import RigLoop

/// The air's end of a virtual cable: takes whole Ethernet frames from the side it belongs to, and gives it others.
// Unchecked: touched only on the relay's thread after it was made.
final class AirPort: @unchecked Sendable {
  enum Reading {
    case frame([UInt8])
    case nothing
    /// The interface is down; frames come again when it is up.
    case down
  }

  let fd: Int32
  let interface: String
  private let control: NetworkControl
  private var buffer = [UInt8](repeating: 0, count: 65536)

  /// - Parameter interface: the end inside `space`, the air's own namespace.
  init(_ interface: String, in space: NetworkNamespace, _ control: NetworkControl) throws {
    self.interface = interface
    self.control = control
    fd = try space.run {
      let fd = rig_packet_socket(interface)
      guard fd >= 0 else { throw SystemError("socket", on: "packets of \(interface)") }
      return fd
    }
  }

  deinit { close(fd) }

  func read() -> Reading {
    while true {
      let n = recv(fd, &buffer, buffer.count, 0)
      if n > 0 { return .frame(Array(buffer[0..<n])) }
      switch n == 0 ? EAGAIN : errno {
      case EINTR: continue
      case ENETDOWN: return .down
      default: return .nothing
      }
    }
  }

  /// - Returns: false where the kernel refused the frame.
  func write(_ frame: [UInt8]) -> Bool { send(fd, frame, frame.count, 0) == frame.count }

  /// Frames that the kernel dropped because nobody read them, since the last call.
  func overruns() -> Int { Int(max(0, rig_packet_drops(fd))) }

  /// Gives the other end of the cable its carrier, or takes it away.
  func setCarrier(_ isOn: Bool) throws { try control.setUp(interface, isOn) }
}
