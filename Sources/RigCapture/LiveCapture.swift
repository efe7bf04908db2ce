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

/// A live capture by libpcap, handed to a sink packet by packet, and written as pcapng with stage markers among the
/// packets.
///
/// All calls are served by the capture thread's loop; the ring is drained every few milliseconds, so that a burst of
/// 100,000 packets a second fits it many times over.
public actor LiveCapture: PacketSource {
  /// Why no capture could be made.
  public struct Unavailable: Error, CustomStringConvertible {
    public enum Cause: Sendable {
      /// The kernel refused for want of permission.
      case permission
      /// There is no such interface.
      case interface
      /// The expression is wrong.
      case filter
      case other
    }
    public let description: String
    public let cause: Cause

    init(_ description: String, _ cause: Cause) {
      self.description = description
      self.cause = cause
    }
  }

  public struct Counters: Hashable, Sendable {
    /// Packets that the sink saw; they are in the file. Those of the control link are not among them.
    public var packets: UInt64
    /// What the kernel counted as matching, which includes what came after the end.
    public var received: UInt64
    /// What the kernel had no room for.
    public var dropped: UInt64
  }

  /// At 100,000 packets of 1,200 bytes a second, half a second during which nobody looks.
  static let ringBytes: Int32 = 64 << 20
  static let snapLength: Int32 = 262_144
  private static let drainEvery: Duration = .milliseconds(10)
  /// The kernel hands a block over after this long even if it is not full.
  private static let blockTimeout: Duration = .milliseconds(20)
  /// By then a packet has been handed over.
  private static let settled: Duration = .milliseconds(60)
  private static let batch = 4096
  /// So many batches of the smallest packets are a full ring, with what the kernel stores beside each.
  private static let ringRounds = Int(ringBytes) / (batch * 128)

  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let request: CaptureRequest
  private var handle: CaptureHandle?
  private let link: LinkType
  private let sink: any PacketSink
  private var file: CaptureWriter?
  private var number = 0
  private var packets: UInt64 = 0
  private var control: ControlTraffic?
  private var counters = Counters(packets: 0, received: 0, dropped: 0)
  private var drains = 0
  /// The interface went away, or libpcap gave up.
  private var isBroken = false
  /// Marks that wait for the packets of their time: the kernel hands packets over in blocks, a little later.
  private var marks: [PendingMark] = []
  /// Wall clock minus monotonic clock, nanoseconds, read once: marks and packets share one time line.
  private let wallOffset: Int64
  public private(set) var problem: String?

  /// - Throws: `Unavailable`.
  public init(_ loop: EpollLoop, _ request: CaptureRequest, sink: any PacketSink) throws(Unavailable) {
    self.loop = loop
    self.request = request
    self.sink = sink
    control = request.leavesOutControlTraffic ? ControlTraffic() : nil
    wallOffset = LiveCapture.wallClock() - EpollLoop.monotonicNow.nanoseconds
    let handle = try CaptureHandle(
      request, ringBytes: LiveCapture.ringBytes, blockTimeout: Int32(LiveCapture.blockTimeout.nanoseconds / 1_000_000))
    // In files raw IP has another number than libpcap's own.
    let type = LinkType(rawValue: UInt32(handle.linkType))
    let link = type == .rawBSD ? .raw : type
    self.link = link
    self.handle = consume handle
    do {
      file = try request.path.map { path throws(SystemError) in
        try CaptureWriter(
          path: path, interface: request.interface, link: link, snapLength: Int(LiveCapture.snapLength),
          title: request.title, hasMarks: request.hasMarks)
      }
    } catch {
      throw Unavailable("\(error)", .other)
    }
  }

  private static func wallClock() -> Int64 {
    var t = timespec()
    clock_gettime(CLOCK_REALTIME, &t)
    return Int64(t.tv_sec) * 1_000_000_000 + Int64(t.tv_nsec)
  }

  /// The capture takes no more packets.
  private var isOver: Bool { handle == nil || isBroken || packets >= limit }
  private var limit: UInt64 { request.packetLimit.map { UInt64(clamping: $0) } ?? .max }

  /// Drains the ring until `finish`, the packet limit, or the end of the interface.
  public func run() async throws {
    while !isOver {
      drain()
      if isOver { break }
      try await loop.sleep(for: LiveCapture.drainEvery)
    }
  }

  private func drain() {
    guard !isOver else { return }
    guard let pointer = handle?.pointer else { return }
    let limit = limit
    var isSound = true
    withUnsafeMutablePointer(to: &file) { writer in
      var context = DrainContext(
        writer: writer, sink: sink, link: link, number: number, packets: packets, marks: marks, control: control)
      isSound = LiveCapture.deliver(from: pointer, to: &context, limit: limit)
      number = context.number
      packets = context.packets
      marks = context.marks
      control = context.control
    }
    if !isSound {
      isBroken = true
      problem = problem ?? "capture on \(request.interface): \(handle?.error ?? "")"
    }
    writeMarks(before: LiveCapture.wallClock() - LiveCapture.settled.nanoseconds)
    file?.flush()
    if problem == nil, let error = file?.error { problem = "writing \(error)" }
    drains &+= 1
    if drains & 4095 == 0 { readCounters() }
  }

  /// At most one ring's worth: a flood must not keep marks and the end of the capture waiting for ever.
  /// - Returns: false where libpcap gave up.
  private static func deliver(from handle: OpaquePointer, to context: inout DrainContext, limit: UInt64) -> Bool {
    withUnsafeMutablePointer(to: &context) { context in
      let user = UnsafeMutableRawPointer(context).assumingMemoryBound(to: UInt8.self)
      for _ in 0..<ringRounds where context.pointee.packets < limit {
        let count = min(UInt64(batch), limit - context.pointee.packets)
        let delivered = pcap_dispatch(handle, Int32(count), deliverPacket, user)
        if delivered <= 0 { return delivered == 0 }
      }
      return true
    }
  }

  private func readCounters() {
    counters.packets = packets
    if let kernel = handle?.counters() {
      counters.received = kernel.received
      counters.dropped = kernel.dropped
    }
  }

  public func mark(_ text: String, at time: HostTime) {
    guard handle != nil, request.hasMarks else { return }
    marks.append(PendingMark(time: time.nanoseconds + wallOffset, text: text))
  }

  private func writeMarks(before time: Int64) {
    while let mark = marks.first, mark.time < time {
      marks.removeFirst()
      number += 1
      file?.mark(mark.text, time: mark.time)
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
    guard handle != nil else { return counters }
    // The last block is handed over by its time-out.
    if !isOver { try? await loop.sleep(for: LiveCapture.settled) }
    drain()
    writeMarks(before: .max)
    readCounters()
    handle = nil
    file?.close(received: counters.received, dropped: counters.dropped, time: LiveCapture.wallClock())
    if problem == nil, let error = file?.error { problem = "writing \(error)" }
    return counters
  }
}

/// What the C callback needs during one `pcap_dispatch`.
private struct DrainContext {
  let writer: UnsafeMutablePointer<CaptureWriter?>
  let sink: any PacketSink
  let link: LinkType
  var number: Int
  var packets: UInt64
  var marks: [PendingMark]
  var control: ControlTraffic?
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
    context.pointee.writer.pointee?.mark(mark.text, time: mark.time)
  }
  if context.pointee.control?.holds(raw.bytes, link: context.pointee.link) == true { return }
  context.pointee.number += 1
  context.pointee.packets += 1
  context.pointee.writer.pointee?.packet(raw, time: time, originalLength: Int(header.pointee.len))
  context.pointee.sink.see(
    frame: raw.bytes, number: context.pointee.number, time: time, link: context.pointee.link)
}
