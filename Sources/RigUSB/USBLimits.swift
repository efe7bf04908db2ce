internal import RigModel

/// Times and sizes of a USB channel.
public struct USBLimits: Sendable {
  /// Bytes of one transfer. A multiple of every wMaxPacketSize there is.
  public static let transferSize = 16 * 1024
  /// IN transfers in flight at most; with the one OUT transfer there are four.
  public static let inputsInFlight = 3
  /// Bytes received and not read, and room in transfers for more. Beyond it the device waits.
  public static let unread = 64 * 1024

  /// After this long an IN transfer gives what it has. A device that forgets the zero-length packet is late, not mute.
  public var input: Duration = .seconds(1)
  /// One OUT transfer.
  public var output: Duration = .seconds(1)
  /// Writing goes on while the device takes at least a byte in this time.
  public var outputPatience: Duration = .seconds(5)
  /// After opening, IN is read until nothing has come for this long…
  public var quiet: Duration = .milliseconds(50)
  /// … or until this much time is over: a device that never stops talking is greeted all the same.
  public var drain: Duration = .seconds(1)
  /// A call into the kernel that may block: claim, clear, reset, close.
  public var recovery: Duration = .seconds(3)
  /// How long a device that is not there is waited for.
  public var arrival: Duration = .seconds(5)
  /// How long libusb may be behind the kernel with the news of devices, before its list is made anew.
  public var news: Duration = .milliseconds(500)
  /// From an I/O error to the news that the device is gone.
  public var departure: Duration = .milliseconds(500)

  public init() {}
}
