import Glibc
public import RigLoop
public import RigWire

/// Appends blocks to a pcapng file through a buffer; the first error ends the writing and is kept.
public struct CaptureWriter: ~Copyable {
  public let path: String
  private let fd: Int32
  private var writer = PcapngWriter()
  private var buffer: [UInt8] = []
  public private(set) var error: SystemError?

  private static let mediaInterface = 0
  private static let rigInterface = 1

  /// Small enough to stay in the processor's cache until the kernel has copied it.
  private static let room = 64 << 10

  public init(
    path: String, interface: String, link: LinkType, snapLength: Int, title: String, hasMarks: Bool
  ) throws(SystemError) {
    self.path = path
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw SystemError("open", on: path) }
    buffer.reserveCapacity(CaptureWriter.room + snapLength + 64)
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, 255)
    let name = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    buffer += writer.sectionHeader(hardware: name, os: "Linux", application: "streamrig")
    buffer += writer.interface(name: interface, linkType: link, snapLength: snapLength, description: title)
    if hasMarks {
      buffer += writer.interface(
        name: PcapngWriter.rigInterfaceName, linkType: .user0, description: "stage marks of the rig")
    }
    flush()
  }

  public mutating func packet(_ bytes: UnsafeRawBufferPointer, time: Int64, originalLength: Int) {
    guard error == nil else { return }
    writer.append(
      packet: bytes.bytes, interface: CaptureWriter.mediaInterface, time: time, originalLength: originalLength,
      to: &buffer)
    if buffer.count > CaptureWriter.room { flush() }
  }

  /// For a writer with marks: a packet on the interface `rig` whose comment, and bytes, are `text`.
  public mutating func mark(_ text: String, time: Int64) {
    guard error == nil else { return }
    let bytes = Array(text.utf8)
    buffer += writer.packet(
      interface: CaptureWriter.rigInterface, time: time, bytes: bytes.span.bytes, comment: text)
  }

  public mutating func flush() {
    var sent = 0
    while sent < buffer.count, error == nil {
      let n = buffer.withUnsafeBytes { Glibc.write(fd, $0.baseAddress?.advanced(by: sent), $0.count - sent) }
      if n >= 0 { sent += n } else if errno != EINTR { error = SystemError("write", on: path) }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  public mutating func close(received: UInt64, dropped: UInt64, time: Int64) {
    buffer += writer.statistics(
      interface: CaptureWriter.mediaInterface, time: time, received: received, dropped: dropped)
    flush()
  }

  deinit { Glibc.close(fd) }
}
