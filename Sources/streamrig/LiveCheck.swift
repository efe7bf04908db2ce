import Glibc
import RigCapture
import RigChecks
import RigLoop
import RigPlan
import RigReport

/// Judges what an interface sees, until a signal, for a time or for a number of packets.
struct LiveCheck {
  static let options = [
    Option.value("--interface", "IF", "judge what this interface sees, until Ctrl-C"),
    Option.value("--filter", "EXPR", "only packets that match, in libpcap's language (pcap-filter(7))"),
    Option.value("--seconds", "N", "end after so long"),
    Option.value("--packets", "N", "end after so many packets"),
    Option.value("--write", "FILE", "write what is judged as pcapng too"),
  ]

  private let request: CaptureRequest
  private let seconds: Int?
  var interface: String { request.interface }

  /// - Returns: `nil` where no interface is asked for.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let interface = arguments.last("--interface") else {
      if let other = LiveCheck.options.first(where: { arguments.has($0.name) }) {
        throw UsageError(description: "\(other.name) needs --interface")
      }
      return nil
    }
    guard arguments.operands.isEmpty else {
      throw UsageError(
        description: "an interface or captures, not both: \(PrintableText.quote(arguments.operands[0]))")
    }
    var request = CaptureRequest(interface: interface, path: arguments.last("--write"), title: "streamrig check")
    request.filter = arguments.last("--filter")
    request.isPromiscuous = true
    request.hasMarks = false
    if arguments.has("--packets") {
      request.packetLimit = try arguments.number("--packets", 1...1_000_000_000_000, default: 1)
    }
    seconds = arguments.has("--seconds") ? try arguments.number("--seconds", 1...31_536_000, default: 1) : nil
    self.request = request
  }

  /// What ends the capture.
  private enum End: Sendable {
    case signal(Int32)
    case time
    /// The packet limit, or the capture ended for want of its interface.
    case capture
  }

  /// - Parameter began: called when packets are captured.
  /// - Returns: `nil` where no capture could be made; why was said.
  /// - Throws: `UsageError` for an interface or a filter that libpcap refuses, `SystemError`.
  func run(began: () -> Void) throws -> JudgedFile? {
    let loop = try EpollLoop()
    // The signals are blocked before any other thread exists, so that none of them is killed by one.
    let signals = try Signals(loop, [SIGINT, SIGTERM, SIGHUP])
    let thread = try LoopThread()
    defer { thread.stop() }
    let judge = PacketJudge(AnalysisContext(file: request.path ?? request.interface))
    let live: LiveCapture
    do {
      live = try LiveCapture(thread.loop, request, sink: judge)
    } catch {
      switch error.cause {
      case .interface, .filter: throw UsageError(description: TerminalText.line("\(error)", columns: 500))
      case .permission: Output.complain("\(error)\n\(CaptureAccess.remediesForInterface)")
      case .other: Output.complain(TerminalText.line("\(error)", columns: 500))
      }
      return nil
    }
    began()
    Output.diagnose("judging \(TerminalText.line(request.interface)); Ctrl-C ends it with the report")
    let counters = try loop.run { try await wait(live, on: thread, signals, loop) }
    let problem = try loop.run { await live.problem }
    return JudgedFile(
      path: request.interface, result: judge.finish(dropped: counters.dropped), drops: counters.dropped,
      error: problem,
      live: JudgedFile.Live(
        received: counters.received, dropped: counters.dropped, judged: counters.packets, written: request.path))
  }

  /// Waits for the end; a second signal gives up at once.
  private func wait(
    _ live: LiveCapture, on thread: LoopThread, _ signals: Signals, _ loop: EpollLoop
  ) async throws -> LiveCapture.Counters {
    let (ends, continuation) = AsyncStream.makeStream(of: End.self)
    let capture = thread.loop.spawn {
      try await live.run()
      continuation.yield(.capture)
    }
    let watcher = loop.spawn {
      while true { continuation.yield(.signal(try await signals.next())) }
    }
    let timer = seconds.map { seconds in
      loop.spawn {
        try await loop.sleep(for: .seconds(seconds))
        continuation.yield(.time)
      }
    }
    defer {
      watcher.cancel()
      timer?.cancel()
    }
    for await _ in ends { break }
    let impatient = loop.spawn {
      for await end in ends {
        if case .signal = end { exit(ExitStatus.interrupted) }
      }
    }
    defer { impatient.cancel() }
    let counters = await live.finish()
    _ = await capture.result
    return counters
  }
}
