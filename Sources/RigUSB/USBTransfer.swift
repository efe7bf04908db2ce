internal import CUSB
internal import RigLoop
internal import RigModel

/// One bulk transfer with its buffer, used again and again.
///
/// From `submit` until its end is posted to the loop, libusb and the kernel own the buffer, and a reference is held.
// Unchecked: touched on the loop's thread; while it flies, by libusb's thread alone, which only posts its end.
final class USBTransfer: @unchecked Sendable {
  enum Status: Hashable, Sendable {
    case completed, timedOut, stalled, cancelled, noDevice, failed
  }

  let capacity: Int
  private let loop: Loop
  private let raw: UnsafeMutablePointer<libusb_transfer>
  private let buffer: UnsafeMutablePointer<UInt8>
  private let ended: @Sendable (USBTransfer, Status, Int) -> Void
  private(set) var isFlying = false

  /// - Parameter ended: called on the loop with the bytes that were transferred, whatever the status.
  /// - Returns: `nil` where there is no memory.
  init?(
    _ loop: Loop, _ handle: OpaquePointer, endpoint: UInt8, capacity: Int,
    ended: @escaping @Sendable (USBTransfer, Status, Int) -> Void
  ) {
    guard let raw = libusb_alloc_transfer(0) else { return nil }
    self.loop = loop
    self.raw = raw
    self.capacity = capacity
    self.ended = ended
    buffer = .allocate(capacity: capacity)
    buffer.initialize(repeating: 0, count: capacity)
    raw.pointee.dev_handle = handle
    raw.pointee.endpoint = endpoint
    raw.pointee.type = UInt8(LIBUSB_TRANSFER_TYPE_BULK.rawValue)
    raw.pointee.buffer = buffer
    raw.pointee.callback = USBTransfer.callback
  }

  deinit {
    libusb_free_transfer(raw)
    buffer.deallocate()
  }

  /// - Parameters:
  ///   - timeout: zero: none.
  ///   - endsMessage: a zero-length packet follows data that fills its last packet.
  /// - Returns: what libusb answered; 0: it flies.
  func submit(length: Int, timeout: Duration, endsMessage: Bool = false) -> Int32 {
    raw.pointee.flags = endsMessage ? UInt8(LIBUSB_TRANSFER_ADD_ZERO_PACKET.rawValue) : 0
    raw.pointee.length = Int32(min(length, capacity))
    raw.pointee.timeout = UInt32(clamping: timeout.nanoseconds / 1_000_000)
    let held = Unmanaged.passRetained(self)
    raw.pointee.user_data = held.toOpaque()
    isFlying = true
    let code = libusb_submit_transfer(raw)
    if code != 0 {
      isFlying = false
      held.release()
    }
    return code
  }

  /// Its end comes all the same, soon.
  func cancel() { if isFlying { libusb_cancel_transfer(raw) } }

  /// Bytes to send.
  func load(_ bytes: ArraySlice<UInt8>) {
    for (i, byte) in bytes.prefix(capacity).enumerated() { buffer[i] = byte }
  }

  /// The first `count` bytes that came.
  func bytes(_ count: Int) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: buffer, count: count) }

  // Called on libusb's thread; a closure of a static member belongs to no actor.
  private static let callback: @convention(c) (UnsafeMutablePointer<libusb_transfer>?) -> Void = { raw in
    guard let raw, let held = raw.pointee.user_data else { return }
    let transfer = Unmanaged<USBTransfer>.fromOpaque(held).takeRetainedValue()
    let status = Status(raw.pointee.status)
    let count = max(0, min(Int(raw.pointee.actual_length), transfer.capacity))
    transfer.loop.post {
      transfer.isFlying = false
      transfer.ended(transfer, status, count)
    }
  }
}

extension USBTransfer.Status {
  init(_ status: libusb_transfer_status) {
    self =
      switch status {
      case LIBUSB_TRANSFER_COMPLETED: .completed
      case LIBUSB_TRANSFER_TIMED_OUT: .timedOut
      case LIBUSB_TRANSFER_STALL: .stalled
      case LIBUSB_TRANSFER_CANCELLED: .cancelled
      case LIBUSB_TRANSFER_NO_DEVICE: .noDevice
      default: .failed
      }
  }
}
