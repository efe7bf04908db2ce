/// An incremental reader of pcap and pcapng files: bytes in, packets out, no I/O.
///
/// Feed it with `push` (or `fill`, which lets the caller read straight into the buffer), then call `next` until it
/// returns `nil`, and `finish` at the end of the file. Any chunking gives the same packets; memory stays at one chunk
/// and one record, at most `recordLimit` bytes.
public struct CaptureReader: Sendable {
  /// The longest record that is read: larger lengths are damage, not data.
  public static let recordLimit = 16 << 20

  enum Format: Sendable {
    case unknown
    case pcap(PcapHeader)
    case pcapng
  }

  /// Bytes of the file, among them those of the packet returned last; only its range means anything.
  public private(set) var buffer: [UInt8] = []
  /// The interfaces of the current pcapng section, or the one of a pcap file.
  public internal(set) var interfaces: [CaptureInterface] = []
  /// Packets dropped while capturing, as the file's statistics blocks say, over all sections; `nil`: no word of it.
  public internal(set) var reportedDrops: UInt64?
  /// Packets yielded so far.
  public internal(set) var packetCount = 0

  var format = Format.unknown
  var position = 0
  /// Where the file's bytes end in `buffer`; what lies behind is room to read into.
  private var filled = 0
  /// File offset of `buffer[0]`.
  private var base: Int64 = 0
  var section = PcapngSection()
  private var failure: CaptureError?

  public init() {}

  /// Offset in the file of the next record, bytes.
  public var fileOffset: Int64 { base + Int64(position) }
  var available: Int { filled - position }

  /// Adds bytes of the file.
  public mutating func push(_ bytes: some Collection<UInt8>) {
    compact()
    buffer.removeSubrange(filled...)
    buffer.append(contentsOf: bytes)
    filled = buffer.count
  }

  /// Lets `read` write up to `count` bytes of the file into the buffer; it returns how many it wrote.
  /// - Returns: the number written; 0 at the end of the file.
  public mutating func fill<Failure: Error>(
    upTo count: Int, _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    compact()
    let room = max(0, count)
    // The room stays from call to call, so that it is not cleared again each time.
    if buffer.count < filled + room {
      buffer.append(contentsOf: repeatElement(0, count: filled + room - buffer.count))
    }
    var written = 0
    var problem: Failure?
    let start = filled
    buffer.withUnsafeMutableBytes { whole in
      do throws(Failure) {
        written = try read(UnsafeMutableRawBufferPointer(rebasing: whole[start..<start + room]))
      } catch { problem = error }
    }
    if let problem { throw problem }
    written = min(max(0, written), room)
    filled += written
    return written
  }

  /// The next packet; `nil`: more bytes are needed. After an error every call throws it again.
  public mutating func next() throws(CaptureError) -> CapturedPacket? {
    if let failure { throw failure }
    do throws(CaptureError) {
      while true {
        switch format {
        case .unknown:
          guard try recognise() else { return nil }
        case .pcap(let header):
          return try nextPcapRecord(header)
        case .pcapng:
          switch try nextBlock() {
          case .needMore: return nil
          case .skipped: continue
          case .packet(let packet): return packet
          }
        }
      }
    } catch {
      failure = error
      throw error
    }
  }

  /// Says that no more bytes come; throws where the file ends inside a record, or before its header.
  public mutating func finish() throws(CaptureError) {
    if let failure { throw failure }
    if case .unknown = format {
      throw CaptureError(available >= 4 ? .truncated : .notACapture, at: 0)
    }
    if available > 0 { throw CaptureError(.truncated, at: fileOffset) }
  }

  private mutating func compact() {
    guard position > 0 else { return }
    base += Int64(position)
    let rest = position..<filled
    buffer.withUnsafeMutableBytes { whole in
      whole.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[rest]))
    }
    filled = rest.count
    position = 0
  }

  /// Reads the file's first bytes; `false`: too few so far.
  private mutating func recognise() throws(CaptureError) -> Bool {
    guard available >= 4 else { return false }
    let magic = read32(at: 0, little: true)
    if magic == 0x0a0d_0d0a {
      format = .pcapng
      return true
    }
    guard let header = PcapHeader(magic: magic) else { throw CaptureError(.notACapture, at: 0) }
    guard available >= PcapHeader.length else { return false }
    try beginPcap(header)
    return true
  }

  // MARK: fields, relative to `position`; callers have checked `available`

  @inline(__always)
  func read16(at offset: Int, little: Bool) -> UInt16 {
    let raw = buffer.span.bytes.unsafeLoadUnaligned(fromByteOffset: position + offset, as: UInt16.self)
    return little ? UInt16(littleEndian: raw) : UInt16(bigEndian: raw)
  }

  @inline(__always)
  func read32(at offset: Int, little: Bool) -> UInt32 {
    let raw = buffer.span.bytes.unsafeLoadUnaligned(fromByteOffset: position + offset, as: UInt32.self)
    return little ? UInt32(littleEndian: raw) : UInt32(bigEndian: raw)
  }
}
