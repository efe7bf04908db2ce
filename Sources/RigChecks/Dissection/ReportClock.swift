import RigWire

/// What the sender reports of one stream say about its clocks (RFC 3550 6.4.1), in constant memory.
public struct ReportClock: Sendable {
  private var first: (ntp: NTPTime, arrival: Int64)?
  private(set) var last: (ntp: NTPTime, rtpTime: UInt32, arrival: Int64)?
  /// RTP time from the first report to the latest, in clock ticks, across wraps.
  private var ticks: Int64 = 0

  mutating func see(_ report: RTCPPacket.SenderReport, arrival: Int64) {
    // 0: the sender has no wall clock.
    guard !report.ntp.isZero else { return }
    if let last { ticks &+= Int64(Int32(bitPattern: report.rtpTime &- last.rtpTime)) }
    if first == nil { first = (report.ntp, arrival) }
    last = (report.ntp, report.rtpTime, arrival)
  }

  /// How much faster RTP time runs than the reports' NTP time, millionths; `nil` below a second between two reports.
  func drift(clockRate: UInt32) -> Double? {
    guard let first, let last else { return nil }
    let wall = Double(last.ntp.nanoseconds(since: first.ntp)) / 1e9
    guard wall >= 1 else { return nil }
    return (Double(ticks) / Double(max(1, clockRate)) / wall - 1) * 1e6
  }

  /// How much faster the sender's NTP time runs than the clock of the capture, millionths.
  var skew: Double? {
    guard let first, let last else { return nil }
    let own = Double(last.arrival &- first.arrival) / 1e9
    guard own >= 1 else { return nil }
    return (Double(last.ntp.nanoseconds(since: first.ntp)) / 1e9 / own - 1) * 1e6
  }

  /// When `timestamp` was sampled by the sender's wall clock, ns since 1970.
  func sampled(_ timestamp: UInt32, clockRate: UInt32) -> Double? {
    guard let last else { return nil }
    let ticks = Double(Int32(bitPattern: timestamp &- last.rtpTime))
    return Double(last.ntp.unixNanoseconds) + ticks / Double(max(1, clockRate)) * 1e9
  }
}
