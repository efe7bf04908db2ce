import RigBytes

/// What one RTP packet tells of the NAL units in it, without copying any.
struct PayloadFacts {
  /// Bit n: a NAL unit of type n begins or goes on in this packet (H.264: 0–31; H.265: 0–63).
  var types: UInt64 = 0
  var isFragment = false
  var fragmentStart = false
  var fragmentEnd = false
  /// RFC 6184 5.8 or RFC 7798 4.4.3 is broken by this packet alone.
  var badFragment = false
  /// A type or an aggregation that cannot be read.
  var badPacketization = false
  /// Of H.264: the type in the first byte of the payload.
  var structure = PayloadStructure(type: 0)

  @inline(__always)
  private mutating func add(_ type: UInt8) { types |= 1 << UInt64(type & 63) }

  /// RFC 6184 5.2: single NAL unit packets, STAP-A, FU-A; the interleaved modes are taken as unreadable.
  @inline(__always)
  init(h264 bytes: RawSpan, in range: Range<Int>) {
    guard let first = bytes.u8(at: range.lowerBound), !range.isEmpty else { return }
    let type = first & 31
    structure = PayloadStructure(type: type)
    switch type {
    case 1...23: add(type)
    case 28:
      isFragment = true
      guard range.count >= 2, let header = bytes.u8(at: range.lowerBound + 1) else {
        badFragment = true
        return
      }
      fragmentStart = header & 0x80 != 0
      fragmentEnd = header & 0x40 != 0
      let inner = header & 31
      badFragment = (fragmentStart && fragmentEnd) || inner == 0 || inner > 23 || range.count < 3
      add(inner)
    case 24: readAggregate(bytes, from: range.lowerBound + 1, to: range.upperBound) { $0 & 31 }
    default: badPacketization = true
    }
  }

  /// RFC 7798 4.4: single NAL unit packets, APs, FUs, without DONL fields.
  init(h265 bytes: RawSpan, in range: Range<Int>) {
    guard let first = bytes.u8(at: range.lowerBound), !range.isEmpty else { return }
    let type = first >> 1 & 63
    switch type {
    case 0...47: add(type)
    case 48: readAggregate(bytes, from: range.lowerBound + 2, to: range.upperBound) { $0 >> 1 & 63 }
    case 49:
      isFragment = true
      guard range.count >= 3, let header = bytes.u8(at: range.lowerBound + 2) else {
        badFragment = true
        return
      }
      fragmentStart = header & 0x80 != 0
      fragmentEnd = header & 0x40 != 0
      badFragment = fragmentStart && fragmentEnd
      add(header & 63)
    default: badPacketization = type != 50
    }
  }

  private mutating func readAggregate(_ bytes: RawSpan, from start: Int, to end: Int, type: (UInt8) -> UInt8) {
    var at = start
    if at >= end { badPacketization = true }
    while at < end {
      guard let size = bytes.u16(at: at), size > 0, at + 2 + Int(size) <= end, let first = bytes.u8(at: at + 2) else {
        badPacketization = true
        return
      }
      add(type(first))
      at += 2 + Int(size)
    }
  }

  func contains(_ types: ClosedRange<UInt64>) -> Bool {
    let width = types.upperBound - types.lowerBound + 1
    return self.types >> types.lowerBound & ((1 << width) - 1) != 0
  }
}

/// How an H.264 payload is built (RFC 6184 5.2), and in which packetization modes that may be (5.4).
struct PayloadStructure {
  var type: UInt8

  /// Of the interleaved mode alone: STAP-B, MTAP16, MTAP24, FU-B.
  var isInterleaved: Bool { (25...27).contains(type) || type == 29 }

  func breaks(mode: Int) -> Bool {
    switch mode {
    case 0: (24...29).contains(type)
    case 1: isInterleaved
    case 2: (1...24).contains(type)
    default: false
    }
  }
}

/// The AU headers of an MPEG-4 audio packet (RFC 3640 3.2.1).
enum AUHeaders {
  /// Whether the packet is well formed: whole headers, and sizes that add up to the data (a single fragment may exceed
  /// it). Sizes of 0 bits leave nothing to compare.
  static func areSound(
    _ bytes: RawSpan, in range: Range<Int>, sizeLength: Int, indexLength: Int, indexDeltaLength: Int
  ) -> Bool {
    guard sizeLength > 0, sizeLength <= 32, indexLength <= 32, indexDeltaLength <= 32 else { return true }
    guard range.count >= 2, let bits = bytes.u16(at: range.lowerBound).map({ Int($0) }), bits > 0 else { return false }
    let dataStart = range.lowerBound + 2 + (bits + 7) / 8
    guard dataStart <= range.upperBound else { return false }
    var at = (range.lowerBound + 2) * 8
    let end = at + bits
    var sum = 0
    var count = 0
    while at < end {
      let width = sizeLength + (count == 0 ? indexLength : indexDeltaLength)
      guard at + width <= end else { return false }
      sum += read(bytes, at, sizeLength)
      at += width
      count += 1
    }
    let data = range.upperBound - dataStart
    return count == 1 ? sum >= data && sum > 0 : sum == data
  }

  private static func read(_ bytes: RawSpan, _ bit: Int, _ width: Int) -> Int {
    var value = 0
    for position in bit..<bit + width {
      let byte = bytes.u8(at: position >> 3) ?? 0
      value = value << 1 | Int(byte >> UInt8(7 - position & 7) & 1)
    }
    return value
  }
}
