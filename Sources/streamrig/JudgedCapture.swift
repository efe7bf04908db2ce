import RigCapture
import RigChecks
import RigDevice
import RigLoop
import RigModel
import RigRunner
import RigWire

/// A live capture whose packets are judged as they come.
struct JudgedCapture: CaseCapture {
  private let live: LiveCapture
  private let judge: PacketJudge
  private let running: Task<Void, any Error>

  /// - Parameter control: the control link's end, whose packets are not captured.
  /// - Throws: `LiveCapture.Unavailable`.
  init(
    _ thread: LoopThread, interface: String, host: String, except control: SocketAddress?, folder: CaseFolder,
    item: Case
  ) throws(LiveCapture.Unavailable) {
    let context = AnalysisContext(
      expectedGOP: item.plan.params.map { $0.iFrameInterval + 1 },
      askedBitRate: item.plan.params.flatMap { $0.bitrate.bitsPerSecond > 0 ? $0.bitrate : nil },
      settings: item.plan.checks, hosts: IPAddress(host).map { [$0] } ?? [], file: "capture.pcapng")
    let judge = PacketJudge(context)
    var request = CaptureRequest(
      interface: interface, host: host, path: "\(folder.path)/capture.pcapng", title: item.id)
    request.leavesOutControlTraffic = true
    if let control { request.exceptEnd = (control.host, control.port) }
    let live = try LiveCapture(thread.loop, request, sink: judge)
    self.judge = judge
    self.live = live
    running = thread.loop.spawn { try await live.run() }
    folder.announce("capture.pcapng", title: "packets and stage marks")
  }

  func mark(_ text: String, at time: HostTime) async { await live.mark(text, at: time) }
  func mediaOnWire() async -> MediaOnWire { await live.mediaOnWire() }

  func finish() async -> CaptureOutcome {
    let counters = await live.finish()
    _ = await running.result
    return CaptureOutcome(
      result: judge.finish(dropped: counters.dropped), packets: counters.packets, dropped: counters.dropped,
      problem: await live.problem)
  }
}
