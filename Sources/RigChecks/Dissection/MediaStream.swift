public import RigModel
public import RigWire

/// One RTP stream: a source (SSRC) on one transport. Statistics, and the state that notes are made from.
public struct MediaStream: Sendable {
  public let ssrc: UInt32
  public let flow: FlowKey
  /// Interleaved in RTSP (RFC 2326 10.12), on this channel.
  public let channel: UInt8?
  public internal(set) var track: Int
  public internal(set) var payloadType: UInt8
  public internal(set) var codec: MediaCodec?
  /// Hz; 90,000 is assumed where no description was seen.
  public internal(set) var clockRate: UInt32
  public let first: WirePlace
  public internal(set) var last: WirePlace
  public internal(set) var packets: Int64 = 0
  /// Payload bytes, headers and padding left out.
  public internal(set) var bytes: Int64 = 0
  /// Packets that end in padding.
  public internal(set) var padded: Int64 = 0
  public internal(set) var sequence = SequenceTracker()
  /// Interarrival jitter of RFC 3550 A.8 over all packets as they arrive, and its greatest value in clock ticks.
  public internal(set) var jitter: JitterEstimator
  public internal(set) var maxJitter = 0.0
  /// The jitter as it stood after each packet but the first, ms.
  public internal(set) var jitters = LogHistogram()
  /// Different timestamps seen: pictures, or audio packets.
  public internal(set) var frames: Int64 = 0
  public internal(set) var keyFrames: Int64 = 0
  public internal(set) var firstKey: WirePlace?
  public internal(set) var groups = GroupLengths()
  public internal(set) var senderReports = 0
  /// The sender's clocks by its reports.
  public internal(set) var reports = ReportClock()
  /// Packets that arrived out of order when their picture was over: a later timestamp had begun.
  public internal(set) var tooLate = 0
  public internal(set) var bursts = LossBursts()
  /// Time of the latest key frame, and the longest time between two, ns.
  public internal(set) var lastKeyTime: Int64 = 0
  public internal(set) var longestKeyInterval: Int64 = 0
  /// RTP time from the first packet to the newest, in clock ticks, across wraps.
  public internal(set) var mediaTicks: Int64 = 0
  /// Enough consistent packets to be a stream and no accident; at once where SETUP announced it.
  public internal(set) var isConfirmed: Bool

  public var isInterleaved: Bool { channel != nil }

  /// Of the description; -1 where none was seen.
  var packetizationMode = -1
  var promisesOrder = false
  var highestMarker = false
  var highestTimestamp: UInt32 = 0
  var highestArrival: Int64 = 0
  private var fragmentOpen = false
  private var fragmentKnown = false
  private var unit: AccessUnitEvent?
  private var unitWasHurt = false

  init(
    ssrc: UInt32, flow: FlowKey, channel: UInt8?, track: Int, payloadType: UInt8, codec: MediaCodec?, clockRate: UInt32,
    place: WirePlace, isConfirmed: Bool
  ) {
    self.ssrc = ssrc
    self.flow = flow
    self.channel = channel
    self.track = track
    self.payloadType = payloadType
    self.codec = codec
    self.clockRate = clockRate
    self.isConfirmed = isConfirmed
    jitter = JitterEstimator(clockRate: clockRate)
    first = place
    last = place
  }

  /// Takes a packet: updates the statistics, adds to the event's notes and returns the access unit that it ends.
  /// - Parameter packet: the bytes that `header` was parsed from.
  mutating func see(
    _ event: inout RTPEvent, _ header: RTPHeader, in packet: RawSpan, aac: AACFormatParameters?
  ) -> AccessUnitEvent? {
    var isContiguous = false
    var isNewest = true
    switch sequence.receive(header.sequence) {
    case .first: event.notes.insert(.firstPacket)
    case .inOrder: isContiguous = true
    case .gap(let missing, _):
      event.notes.insert(.gap)
      event.missing = missing
      bursts.gap(missing: missing, before: header.sequence)
      unitWasHurt = true
      fragmentKnown = false
    case .duplicate:
      event.notes.insert(.duplicate)
      isNewest = false
    case .late(let behind):
      event.notes.insert(.reordered)
      event.missing = behind
      bursts.fill(header.sequence)
      if Int32(bitPattern: header.timestamp &- highestTimestamp) < 0 { tooLate += 1 }
      isNewest = false
    case .suspect: isNewest = false
    case .restart:
      event.notes.insert(.restart)
      bursts.restart()
      unitWasHurt = true
      fragmentKnown = false
    }
    jitter.receive(timestamp: header.timestamp, arrival: event.place.time)
    maxJitter = max(maxJitter, jitter.jitter)
    if packets > 0 { jitters.add(jitter.seconds * 1000) }
    packets += 1
    bytes += Int64(header.payload.count)
    if header.hasPadding { padded += 1 }
    last = event.place
    guard isNewest else { return nil }
    return seeNewest(&event, header, in: packet, aac: aac, isContiguous: isContiguous)
  }

  @inline(__always)
  private mutating func seeNewest(
    _ event: inout RTPEvent, _ header: RTPHeader, in bytes: RawSpan, aac: AACFormatParameters?, isContiguous: Bool
  ) -> AccessUnitEvent? {
    let step = packets > 1 ? Int64(Int32(bitPattern: header.timestamp &- highestTimestamp)) : 0
    mediaTicks &+= step
    if isContiguous {
      event.timestampStep = step
      noteTiming(&event, step)
    }
    var finished: AccessUnitEvent?
    if var unit, unit.timestamp == header.timestamp {
      unit.packets += 1
      unit.bytes += header.payload.count
      unit.hasMarker = unit.hasMarker || header.marker
      unit.last = event.place
      if unitWasHurt { unit.isWhole = false }
      self.unit = unit
    } else {
      finished = unit
      if unitWasHurt { finished?.isWhole = false }
      if let finished { count(finished) }
      unit = AccessUnitEvent(
        stream: event.stream, track: event.track, ssrc: ssrc, timestamp: header.timestamp, packets: 1,
        bytes: header.payload.count, hasMarker: header.marker, isKey: false, hasPicture: false, hasSPS: false,
        hasPPS: false, isWhole: !unitWasHurt, first: event.place, last: event.place)
    }
    unitWasHurt = false
    switch codec {
    case .h264, .h265:
      if !header.payload.isEmpty { readVideo(&event, header, in: bytes) }
    case .aac:
      if let aac, !header.payload.isEmpty,
        !AUHeaders.areSound(
          bytes, in: header.payload, sizeLength: aac.sizeLength, indexLength: aac.indexLength,
          indexDeltaLength: aac.indexDeltaLength)
      {
        event.notes.insert(.badAUHeaders)
      }
    default: break
    }
    highestTimestamp = header.timestamp
    highestMarker = header.marker
    highestArrival = event.place.time
    return finished
  }

  @inline(__always)
  private func noteTiming(_ event: inout RTPEvent, _ step: Int64) {
    if step == 0 {
      if highestMarker, codec?.isVideo == true { event.notes.insert(.markerEarly) }
      return
    }
    if !highestMarker, codec?.isVideo == true { event.notes.insert(.markerMissing) }
    // Pictures may be sent out of display order, unless the description rules that out: a second is more than any reordering takes.
    let tolerance = codec?.isVideo == false || promisesOrder ? 0 : Int64(clockRate)
    if step < -tolerance { event.notes.insert(.timestampBack) }
    let elapsed = Double(event.place.time &- highestArrival) / 1e9
    if abs(Double(step) / Double(max(1, clockRate)) - elapsed) > 10 { event.notes.insert(.timestampJump) }
  }

  @inline(__always)
  private mutating func readVideo(_ event: inout RTPEvent, _ header: RTPHeader, in bytes: RawSpan) {
    let isH264 = codec == .h264
    let facts =
      isH264 ? PayloadFacts(h264: bytes, in: header.payload) : PayloadFacts(h265: bytes, in: header.payload)
    var bad = facts.badFragment
    if facts.isFragment {
      if fragmentKnown, facts.fragmentStart == fragmentOpen { bad = true }
      fragmentOpen = !facts.fragmentEnd
      fragmentKnown = true
    } else {
      if fragmentKnown, fragmentOpen { bad = true }
      fragmentOpen = false
      fragmentKnown = true
    }
    if bad { event.notes.insert(.badFragment) }
    if isH264, facts.structure.breaks(mode: packetizationMode) {
      event.notes.insert(.offMode)
    } else if facts.badPacketization, !(isH264 && packetizationMode == 2 && facts.structure.isInterleaved) {
      event.notes.insert(.badPacketization)
    }
    if isH264 {
      if facts.types & 1 << 5 != 0 { unit?.isKey = true }
      if facts.contains(1...5) { unit?.hasPicture = true }
      if facts.types & 1 << 7 != 0 { noteParameterSet(&event, facts) }
      if facts.types & 1 << 8 != 0 { unit?.hasPPS = true }
    } else {
      if facts.contains(16...23) { unit?.isKey = true }
      if facts.contains(0...31) { unit?.hasPicture = true }
      if facts.types & 1 << 33 != 0 { noteParameterSet(&event, facts) }
      if facts.types & 1 << 34 != 0 { unit?.hasPPS = true }
    }
  }

  private mutating func noteParameterSet(_ event: inout RTPEvent, _ facts: PayloadFacts) {
    unit?.hasSPS = true
    if !facts.isFragment { event.notes.insert(.parameterSet) }
  }

  private mutating func count(_ unit: AccessUnitEvent) {
    guard codec?.isVideo != true || unit.hasPicture else { return }
    frames += 1
    if unit.isKey {
      keyFrames += 1
      if firstKey == nil {
        firstKey = unit.first
      } else {
        longestKeyInterval = max(longestKeyInterval, unit.first.time &- lastKeyTime)
      }
      lastKeyTime = unit.first.time
    }
    if codec?.isVideo == true { groups.see(isKey: unit.isKey, isWhole: unit.isWhole) }
  }

  /// The access unit that the end of the capture leaves open; it may be cut.
  mutating func finish() -> AccessUnitEvent? {
    guard let last = unit else { return nil }
    unit = nil
    count(last)
    return last
  }

  /// Arrival of the newest packet less the time at which the sender says it was sampled, seconds; the clocks of sender and
  /// capture need not agree, so only differences between streams of one sender mean something.
  var lag: Double? {
    reports.sampled(highestTimestamp, clockRate: clockRate).map { (Double(highestArrival) - $0) / 1e9 }
  }

  /// Bits of payload per second between the first and the last packet; `nil` for a single moment.
  public var bitRate: Double? {
    let seconds = Double(last.time &- first.time) / 1e9
    return seconds > 0 ? Double(bytes) * 8 / seconds : nil
  }
}

/// Lengths of groups of pictures, key frame to key frame.
public struct GroupLengths: Sendable, Hashable {
  /// The first lengths, at most 512 of them.
  public private(set) var lengths: [Int] = []
  public private(set) var count = 0
  public private(set) var shortest: Int?
  public private(set) var longest: Int?
  /// Pictures since the last key frame; `nil` before the first.
  public private(set) var open: Int?
  private var openIsWhole = true

  mutating func see(isKey: Bool, isWhole: Bool) {
    if isKey {
      if let open, openIsWhole {
        count += 1
        if lengths.count < 512 { lengths.append(open) }
        shortest = min(shortest ?? open, open)
        longest = max(longest ?? open, open)
      }
      open = 1
      openIsWhole = isWhole
    } else if let length = open {
      open = length + 1
      if !isWhole { openIsWhole = false }
    }
  }
}
