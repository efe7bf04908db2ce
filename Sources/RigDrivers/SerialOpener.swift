import CRigShims
import Glibc
public import RigDevice
public import RigLoop

/// Opens a device's control channel on a serial line: raw, 8N1, for this process alone.
///
/// It is opened again by its path after each loss, so give one that stays the same: `/dev/serial/by-id/…`. The modem
/// lines are left alone, and closing does not drop DTR: that resets many boards.
public struct SerialOpener: ChannelOpener {
  public static let standardBaud: UInt32 = 115_200

  private let loop: EpollLoop
  private let path: String
  private let baud: UInt32

  public init(_ loop: EpollLoop, path: String, baud: UInt32 = SerialOpener.standardBaud) {
    self.loop = loop
    self.path = path
    self.baud = baud
  }

  public var name: String { "serial \(path)" }
  public var isGuarded: Bool { true }

  /// - Throws: `SystemError`: no such line, or no permission; `DriverError` where another process has it.
  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    let fd = rig_serial_open(path, baud)
    guard fd >= 0 else {
      let error = SystemError("open", on: path)
      switch error.code {
      case EWOULDBLOCK, EBUSY: throw DriverError("another process has the line", isOfHost: true)
      // What the rig names is something else: no reset of the device makes it one.
      case ENOTTY, EISDIR: throw DriverError("\(path) is no serial line", isOfHost: true)
      default: throw error
      }
    }
    return try ByteStream(loop, input: fd, output: fd)
  }
}
