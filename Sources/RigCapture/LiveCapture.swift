internal import CPcap
import Glibc
public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// Takes captured packets on the capture thread, in order.
public protocol PacketSink: Sendable {
  func see(frame: RawSpan, number: Int, time: Int64, link: LinkType)
  func mediaOnWire() -> (packets: Int64, lastTime: Int64?)
}

/// A live capture by libpcap of one device's traffic, written as pcapng with stage markers among the packets.
///
/// All calls are served by the capture thread's loop; the ring is drained every few milliseconds, so that a burst of
/// 100,000 packets a second fits it several times over.
public actor LiveCapture: PacketSource {
  /// Why no capture could be made, and how to get one.
  public struct Unavailable: Error, CustomStringConvertible {
    public let description: String
    /// The kernel refused for want of permission.
    public let isPermission: Bool
  }

  public struct Counters: Hashable, Sendable {
    /// Packets in the file.
    public var packets: UInt64
    /// What the kernel counted as matching, which includes what came before the filter was set.
    public var received: UInt64
    /// What the kernel had no room for.
    public var dropped: UInt64
  }

  public static let ringBytes: Int32 = 32 << 20
  private static let drainEvery: Duration = .milliseconds(10)
  /// The kernel hands a block over after this long even if it is not full.
  private static let blockTimeout: Duration = .milliseconds(20)
  /// By then a packet has been handed over.
  private static let settled: Duration = .milliseconds(60)

  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let handle: OpaquePointer
  private let link: LinkType
  private let sink: any PacketSink
  private var file: CaptureWriter
  private var number = 0
  private var packets: UInt64 = 0
  private var isOpen = true
  /// Marks that wait for the packets of their time: the kernel hands packets over in blocks, a little later.
  private var marks: [PendingMark] = []
  /// Wall clock minus monotonic clock, nanoseconds, read once: marks and packets share one time line.
  private let wallOffset: Int64
  public private(set) var problem: String?

  /// - Parameters:
  ///   - interface: `lo`, `wlan0`, …
  ///   - host: only traffic to or from this address.
  ///   - path: the pcapng file, made anew.
  /// - Throws: `Unavailable`.
  public init(
    _ loop: EpollLoop, interface: String, host: String, path: String, title: String, sink: any PacketSink
  ) throws(Unavailable) {
    self.loop = loop
    self.sink = sink
    wallOffset = LiveCapture.wallClock() - EpollLoop.monotonicNow.nanoseconds
    handle = try LiveCapture.activate(interface, filter: LiveCapture.filter(host, interface))
    link = LinkType(rawValue: UInt32(pcap_datalink(handle)))
    do {
      file = try CaptureWriter(path: path, interface: interface, link: link, title: title)
    } catch {
      pcap_close(handle)
      throw Unavailable(description: "\(error)", isPermission: false)
    }
  }

  /// On `lo` every packet passes twice; only its arrival is wanted, and so the kernel's counters are not doubled.
  private static func filter(_ host: String, _ interface: String) -> String {
    interface == "lo" ? "inbound and host \(host)" : "host \(host)"
  }

  private static func activate(_ interface: String, filter: String) throws(Unavailable) -> OpaquePointer {
    var error = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = pcap_create(interface, &error) else {
      throw Unavailable(description: "capture on \(interface): \(text(error))", isPermission: false)
    }
    pcap_set_snaplen(handle, 262_144)
    pcap_set_timeout(handle, Int32(blockTimeout.nanoseconds / 1_000_000))
    pcap_set_buffer_size(handle, ringBytes)
    pcap_set_tstamp_precision(handle, Int32(PCAP_TSTAMP_PRECISION_NANO))
    let rc = pcap_activate(handle)
    guard rc >= 0 else {
      let reason = String(cString: pcap_geterr(handle))
      let status = String(cString: pcap_statustostr(rc))
      pcap_close(handle)
      throw Unavailable(
        description: "capture on \(interface): \(status)\(reason.isEmpty ? "" : " (\(reason))")",
        isPermission: rc == PCAP_ERROR_PERM_DENIED)
    }
    var program = bpf_program()
    defer { pcap_freecode(&program) }
    guard pcap_compile(handle, &program, filter, 1, bpf_u_int32.max) == 0, pcap_setfilter(handle, &program) == 0,
      pcap_setnonblock(handle, 1, &error) == 0
    else {
      let reason = String(cString: pcap_geterr(handle))
      pcap_close(handle)
      throw Unavailable(description: "capture filter \"\(filter)\": \(reason)", isPermission: false)
    }
    return handle
  }

  private static func text(_ c: [CChar]) -> String {
    String(decoding: c.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func wallClock() -> Int64 {
    var t = timespec()
    clock_gettime(CLOCK_REALTIME, &t)
    return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
  }

  /// Drains the ring until `finish`.
  public func run() async throws {
    while isOpen {
      drain()
      try await loop.sleep(for: LiveCapture.drainEvery)
    }
  }

  private func drain() {
    guard isOpen else { return }
    withUnsafeMutablePointer(to: &file) { writer in
      var context = DrainContext(
        writer: writer, sink: sink, link: link, number: number, packets: packets, marks: marks)
      withUnsafeMutablePointer(to: &context) { raw in
        let user = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: UInt8.self)
        // At most one ring's worth: a flood must not keep marks and the end of the capture waiting for ever.
        var rounds = 0
        while rounds < 64, pcap_dispatch(handle, 4096, deliverPacket, user) > 0 { rounds += 1 }
      }
      number = context.number
      packets = context.packets
      marks = context.marks
    }
    writeMarks(before: LiveCapture.wallClock() - LiveCapture.settled.nanoseconds)
    file.flush()
    if problem == nil, let error = file.error { problem = "writing \(file.path): \(error)" }
  }

  public func mark(_ text: String, at time: HostTime) {
    guard isOpen else { return }
    marks.append(PendingMark(time: time.nanoseconds + wallOffset, text: text))
  }

  private func writeMarks(before time: Int64) {
    while let mark = marks.first, mark.time < time {
      marks.removeFirst()
      number += 1
      file.mark(mark.text, time: mark.time)
    }
  }

  public func mediaOnWire() -> MediaOnWire {
    drain()
    let seen = sink.mediaOnWire()
    return MediaOnWire(
      packets: seen.packets, last: seen.lastTime.map { HostTime(nanoseconds: $0 - wallOffset) })
  }

  /// Drains what is left, closes the file, and tells what the kernel counted.
  public func finish() async -> Counters {
    guard isOpen else { return Counters(packets: packets, received: 0, dropped: 0) }
    // The last block is handed over by its time-out.
    try? await loop.sleep(for: LiveCapture.settled)
    drain()
    writeMarks(before: .max)
    isOpen = false
    var stats = pcap_stat()
    pcap_stats(handle, &stats)
    let counters = Counters(
      packets: packets, received: UInt64(stats.ps_recv), dropped: UInt64(stats.ps_drop) + UInt64(stats.ps_ifdrop))
    file.close(received: counters.received, dropped: counters.dropped, time: LiveCapture.wallClock())
    pcap_close(handle)
    return counters
  }
}

/// What the C callback needs during one `pcap_dispatch`.
private struct DrainContext {
  let writer: UnsafeMutablePointer<CaptureWriter>
  let sink: any PacketSink
  let link: LinkType
  var number: Int
  var packets: UInt64
  var marks: [PendingMark]
}

private struct PendingMark {
  /// Nanoseconds since 1970.
  let time: Int64
  let text: String
}

/// Called by libpcap for each packet, on the thread that called `pcap_dispatch`.
private let deliverPacket: pcap_handler = { user, header, bytes in
  guard let user, let header, let bytes else { return }
  let context = UnsafeMutableRawPointer(user).assumingMemoryBound(to: DrainContext.self)
  // With nanosecond precision asked for, tv_usec holds nanoseconds.
  let time = Int64(header.pointee.ts.tv_sec) * 1_000_000_000 + Int64(header.pointee.ts.tv_usec)
  let raw = UnsafeRawBufferPointer(start: bytes, count: Int(header.pointee.caplen))
  while let mark = context.pointee.marks.first, mark.time <= time {
    context.pointee.marks.removeFirst()
    context.pointee.number += 1
    context.pointee.writer.pointee.mark(mark.text, time: mark.time)
  }
  context.pointee.number += 1
  context.pointee.packets += 1
  context.pointee.writer.pointee.packet(raw, time: time, originalLength: Int(header.pointee.len))
  context.pointee.sink.see(
    frame: raw.bytes, number: context.pointee.number, time: time, link: context.pointee.link)
}
