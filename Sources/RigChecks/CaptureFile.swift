public import RigWire

/// The analysis of a whole capture file.
public struct CaptureFileAnalysis: Sendable {
  public var result: AnalysisResult
  /// Why reading stopped before the end, if it did; what was read before is judged all the same.
  public var error: CaptureError?
  /// Packets lost while capturing, as the file says.
  public var reportedDrops: UInt64?
}

/// Joins a `CaptureReader` and a `CaptureAnalyzer`: file bytes in, result out.
public struct CaptureFileAnalyzer: Sendable {
  public private(set) var reader = CaptureReader()
  public private(set) var analyzer: CaptureAnalyzer
  private var error: CaptureError?
  private let dropsAreKnown: Bool

  public init(_ context: AnalysisContext = AnalysisContext()) {
    analyzer = CaptureAnalyzer(context)
    dropsAreKnown = context.captureDropped != nil
  }

  public init(_ context: AnalysisContext, checks: [any WireCheck.Type]) {
    analyzer = CaptureAnalyzer(context, checks: checks)
    dropsAreKnown = context.captureDropped != nil
  }

  /// Takes the next bytes of the file.
  public mutating func push(_ bytes: some Collection<UInt8>) {
    reader.push(bytes)
    drain()
  }

  /// Lets `read` put up to `count` bytes of the file into the reader's buffer; 0 from it is the end of the file.
  /// - Returns: false at the end, or where reading on is useless.
  public mutating func fill<Failure: Error>(
    upTo count: Int, _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Bool {
    guard error == nil, try reader.fill(upTo: count, read) > 0 else { return false }
    drain()
    return error == nil
  }

  private mutating func drain() {
    guard error == nil else { return }
    // `next` moves through the buffer and never changes it: one reference serves all packets of this chunk.
    let buffer = reader.buffer
    let bytes = buffer.span.bytes
    do throws(CaptureError) {
      while let packet = try reader.next() {
        // The rig's own marks are no traffic of the device.
        if packet.linkType == .user0 { continue }
        analyzer.see(
          frame: bytes.extracting(packet.range), number: packet.number, time: packet.time,
          link: packet.linkType)
      }
    } catch { self.error = error }
  }

  public mutating func finish() -> CaptureFileAnalysis {
    if error == nil {
      do throws(CaptureError) { try reader.finish() } catch { self.error = error }
    }
    if !dropsAreKnown, let drops = reader.reportedDrops { analyzer.setCaptureDropped(drops) }
    return CaptureFileAnalysis(result: analyzer.finish(), error: error, reportedDrops: reader.reportedDrops)
  }
}

/// Judges a capture file that is in memory, fed in chunks of `chunk` bytes.
public func analyzeCapture(
  _ file: [UInt8], context: AnalysisContext = AnalysisContext(), chunk: Int = 1 << 20
) -> CaptureFileAnalysis {
  var analysis = CaptureFileAnalyzer(context)
  var at = 0
  while at < file.count {
    let end = min(at + max(1, chunk), file.count)
    analysis.push(file[at..<end])
    at = end
  }
  return analysis.finish()
}
