internal import CPcap
import Glibc

/// An open libpcap handle: it captures from `init` on.
struct CaptureHandle: ~Copyable {
  let pointer: OpaquePointer
  private var total = (received: UInt64(0), dropped: UInt64(0))
  private var last = pcap_stat()

  /// - Parameters:
  ///   - ringBytes: the kernel's buffer; the kernel gives less where it has less.
  ///   - blockTimeout: ms after which the kernel hands a block over even if it is not full.
  /// - Throws: `LiveCapture.Unavailable`, in libpcap's words.
  init(_ request: CaptureRequest, ringBytes: Int32, blockTimeout: Int32) throws(LiveCapture.Unavailable) {
    let place = "capture on \(request.interface)"
    var error = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = pcap_create(request.interface, &error) else {
      throw LiveCapture.Unavailable("\(place): \(CaptureHandle.text(error))", .interface)
    }
    // Packets of any size are packed into the ring's blocks. Immediate mode would give each a slot of the snap length.
    pcap_set_snaplen(handle, LiveCapture.snapLength)
    pcap_set_promisc(handle, request.isPromiscuous ? 1 : 0)
    pcap_set_timeout(handle, blockTimeout)
    pcap_set_buffer_size(handle, ringBytes)
    pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO)
    let rc = pcap_activate(handle)
    guard rc >= 0 else {
      let reason = String(cString: pcap_geterr(handle))
      let status = String(cString: pcap_statustostr(rc))
      pcap_close(handle)
      let cause: LiveCapture.Unavailable.Cause =
        switch rc {
        case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED: .permission
        case PCAP_ERROR_NO_SUCH_DEVICE: .interface
        default: .other
        }
      throw LiveCapture.Unavailable("\(place): \(status)\(reason.isEmpty ? "" : " (\(reason))")", cause)
    }
    do throws(LiveCapture.Unavailable) {
      if request.ignoresOutgoing { try CaptureHandle.ignoreOutgoing(handle, place) }
      // By itself first: the message is about what the user wrote.
      if let filter = request.filter { try CaptureHandle.filter(handle, filter, installs: false) }
      try CaptureHandle.filter(handle, request.expression, installs: true)
      guard pcap_setnonblock(handle, 1, &error) == 0 else {
        throw LiveCapture.Unavailable("\(place): \(CaptureHandle.text(error))", .other)
      }
    } catch {
      pcap_close(handle)
      throw error
    }
    pointer = handle
    // What the kernel counted before the filter was set is none of the request's.
    pcap_stats(handle, &last)
  }

  private static func filter(
    _ handle: OpaquePointer, _ expression: String, installs: Bool
  ) throws(LiveCapture.Unavailable) {
    var program = bpf_program()
    guard pcap_compile(handle, &program, expression, 1, bpf_u_int32.max) == 0 else {
      let reason = String(cString: pcap_geterr(handle))
      throw LiveCapture.Unavailable("capture filter \"\(expression)\": \(reason)", .filter)
    }
    defer { pcap_freecode(&program) }
    guard installs else { return }
    guard pcap_setfilter(handle, &program) == 0 else {
      let reason = String(cString: pcap_geterr(handle))
      throw LiveCapture.Unavailable("capture filter \"\(expression)\": \(reason)", .other)
    }
  }

  /// libpcap drops what leaves through loopback by itself, but the kernel would have counted and copied it. The filter
  /// `inbound` would do too, were it not that libpcap refuses all packets by it that come in the moment it is set.
  private static func ignoreOutgoing(_ handle: OpaquePointer, _ place: String) throws(LiveCapture.Unavailable) {
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(pcap_fileno(handle), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, size) == 0 else {
      throw LiveCapture.Unavailable("\(place): PACKET_IGNORE_OUTGOING: \(String(cString: strerror(errno)))", .other)
    }
  }

  private static func text(_ c: [CChar]) -> String {
    String(decoding: c.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var linkType: Int32 { pcap_datalink(pointer) }

  /// What went wrong last.
  var error: String { String(cString: pcap_geterr(pointer)) }

  /// What the kernel counted so far. libpcap's counters have 32 bits: to be asked before they wrap.
  mutating func counters() -> (received: UInt64, dropped: UInt64) {
    var stats = pcap_stat()
    guard pcap_stats(pointer, &stats) == 0 else { return total }
    total.received += UInt64(stats.ps_recv &- last.ps_recv)
    total.dropped += UInt64(stats.ps_drop &- last.ps_drop) + UInt64(stats.ps_ifdrop &- last.ps_ifdrop)
    last = stats
    return total
  }

  deinit { pcap_close(pointer) }
}
