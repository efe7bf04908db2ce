/// Puts IP datagrams together again from their fragments, in bounded memory.
///
/// At most `capacity` datagrams and `byteLimit` bytes are held; the oldest gives way. Overlapping data keeps the first
/// copy. A datagram that is not complete within 30 s, or is evicted, counts as `incomplete`.
public struct FragmentReassembler: Sendable {
  private struct Key: Hashable {
    var source: IPAddress
    var destination: IPAddress
    var identification: UInt32
    var protocolNumber: UInt8
  }

  private struct Partial {
    var key: Key
    var started: Int64
    var bytes: [UInt8] = []
    /// Half-open ranges that have been filled, sorted and merged.
    var filled: [Range<Int>] = []
    var total: Int?
  }

  private var partials: [Partial] = []
  private let capacity: Int
  private let byteLimit: Int
  private var held = 0
  /// Datagrams given up because a fragment never came.
  public private(set) var incomplete = 0

  public init(capacity: Int = 64, byteLimit: Int = 1 << 20) {
    self.capacity = capacity
    self.byteLimit = byteLimit
  }

  /// Takes one fragment; returns the datagram's transport bytes when it completes it.
  /// - Parameter time: capture time in nanoseconds.
  public mutating func add(_ packet: NetworkPacket, in frame: RawSpan, time: Int64) -> [UInt8]? {
    expire(before: time &- 30_000_000_000)
    let offset = packet.fragment.offset
    let end = offset + packet.payload.count
    guard packet.missing == 0, end <= 65_535, !packet.payload.isEmpty else { return nil }
    let key = Key(
      source: packet.flow.source.address, destination: packet.flow.destination.address,
      identification: packet.fragment.identification, protocolNumber: packet.protocolNumber)
    let index: Int
    if let known = partials.firstIndex(where: { $0.key == key }) {
      index = known
    } else {
      while partials.count >= capacity || (held > byteLimit && !partials.isEmpty) { drop(0) }
      partials.append(Partial(key: key, started: time))
      index = partials.count - 1
    }
    if partials[index].bytes.count < end {
      let grown = end - partials[index].bytes.count
      partials[index].bytes.append(contentsOf: repeatElement(0, count: grown))
      held += grown
    }
    store(frame, packet.payload, at: offset, into: index)
    if !packet.fragment.more { partials[index].total = end }
    guard let total = partials[index].total, partials[index].filled == [0..<total] else {
      // A stream of tiny fragments with holes would make the list of ranges long: give such a datagram up.
      if partials[index].filled.count > 256 { drop(index) }
      return nil
    }
    let whole = Array(partials[index].bytes[..<total])
    held -= partials[index].bytes.count
    partials.remove(at: index)
    return whole
  }

  private mutating func store(_ frame: RawSpan, _ source: Range<Int>, at offset: Int, into index: Int) {
    var merged = offset..<offset + source.count
    func copy(_ part: Range<Int>, into bytes: inout [UInt8]) {
      for target in part { bytes[target] = frame.net8(source.lowerBound + target - offset) }
    }
    var cursor = merged.lowerBound
    for range in partials[index].filled where range.upperBound > cursor && range.lowerBound < merged.upperBound {
      if range.lowerBound > cursor { copy(cursor..<range.lowerBound, into: &partials[index].bytes) }
      cursor = max(cursor, range.upperBound)
    }
    if cursor < merged.upperBound { copy(cursor..<merged.upperBound, into: &partials[index].bytes) }
    var kept: [Range<Int>] = []
    for range in partials[index].filled {
      if range.upperBound < merged.lowerBound || range.lowerBound > merged.upperBound {
        kept.append(range)
      } else {
        merged = min(range.lowerBound, merged.lowerBound)..<max(range.upperBound, merged.upperBound)
      }
    }
    kept.append(merged)
    partials[index].filled = kept.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Nothing follows after `time`: what waits counts as incomplete, unless it began in the last 10 ms before.
  public mutating func finish(at time: Int64) { expire(before: time &- 10_000_000) }

  private mutating func expire(before limit: Int64) {
    while let first = partials.first, first.started < limit { drop(0) }
  }

  private mutating func drop(_ index: Int) {
    held -= partials[index].bytes.count
    partials.remove(at: index)
    incomplete += 1
  }
}

extension NetworkDissector {
  /// The UDP or TCP packet in `bytes`, a datagram reassembled from fragments like `fragment`.
  public static func dissect(reassembled bytes: [UInt8], of fragment: NetworkPacket) -> NetworkPacket {
    var packet = NetworkPacket()
    packet.flow = fragment.flow
    packet.protocolNumber = fragment.protocolNumber
    dissectTransport(bytes.span.bytes, from: 0, to: bytes.count, into: &packet)
    return packet
  }
}
