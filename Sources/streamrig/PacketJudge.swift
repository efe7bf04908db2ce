import RigCapture
import RigChecks
import RigWire
import Synchronization

/// Judges packets on the capture thread, as they come.
final class PacketJudge: PacketSink {
  private let analyzer: Mutex<CaptureAnalyzer>

  init(_ context: AnalysisContext) { analyzer = Mutex(CaptureAnalyzer(context)) }

  func see(frame: RawSpan, number: Int, time: Int64, link: LinkType) {
    analyzer.withLock { $0.see(frame: frame, number: number, time: time, link: link) }
  }

  func mediaOnWire() -> (packets: Int64, lastTime: Int64?) {
    analyzer.withLock { ($0.mediaPackets, $0.lastMediaTime) }
  }

  /// - Parameter dropped: packets that the capture lost.
  func finish(dropped: UInt64) -> AnalysisResult {
    analyzer.withLock {
      $0.setCaptureDropped(dropped)
      return $0.finish()
    }
  }
}
