internal import CUSB

/// A failure on the USB: what was tried, on which device, and why it failed.
public struct USBError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// The device is no longer there.
    case unplugged
    case noAccess
    /// Another program or driver has the interface.
    case busy
    /// An endpoint halted again after it was cleared.
    case stalled
    /// The device took or answered nothing in time.
    case timedOut
    /// A call into the kernel did not return in time.
    case hangs
    /// The transfer failed for another reason, twice.
    case failed
    case notFound
    /// More than one device fits.
    case ambiguous
    case noUSB
    case closed
  }

  public let kind: Kind
  public let text: String

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  public var description: String { text }

  /// What libusb answered to `call`.
  init(code: Int32, _ call: String) {
    let kind: Kind =
      switch code {
      case LIBUSB_ERROR_NO_DEVICE.rawValue: .unplugged
      case LIBUSB_ERROR_ACCESS.rawValue: .noAccess
      case LIBUSB_ERROR_BUSY.rawValue: .busy
      case LIBUSB_ERROR_PIPE.rawValue: .stalled
      case LIBUSB_ERROR_TIMEOUT.rawValue: .timedOut
      case LIBUSB_ERROR_NOT_FOUND.rawValue: .notFound
      default: .failed
      }
    self.init(kind, "\(call): \(String(cString: libusb_strerror(code))) (\(String(cString: libusb_error_name(code))))")
  }

  static let unplugged = USBError(.unplugged, "the device was unplugged")
}
