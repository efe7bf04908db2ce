import CAV
import RigModel

/// `probe`: waits for one `open` command, then reports until the stream or its reader ends.
///
/// The lines, each with `kind` and `t` (`LineOutput.emit`), in this order; what is not known is left out:
/// ```
/// opened        streams [{index, type, codec, width, height, sample-rate, channels, time-base "1/90000", fps}],
///               redirected-to      PLAY was answered
/// first-packet  stream, pts        once for each stream
/// key-frame     stream, n, pts, width, height, fps          once: the first key frame that was decoded whole
/// frame         n, pts, key, width, height, counter (null = unreadable; only if asked for), corrupt
/// audio         frames, samples, pts                        once a second
/// decode-error  code, message, count
/// gap           ms, over           no frame for gap-ms (over false), and its length when a frame comes (over true)
/// log           level, source, message or suppressed
/// bad-command   message
/// ended         reason closed|eof|timeout|error|interrupted, code, message, refused,
///               unreachable        true where nobody took the TCP connection
/// summary       frames, key-frames, corrupt-frames, decode-errors, first-pts, last-pts, gop-lengths [{length, count}],
///               fps, lost-counters, repeated-counters, unreadable-counters, black-frames, audio-frames
/// ```
/// `pts` is in units of the stream's time base, `code` is libav's (0 or negative). Without an `open` nothing is written.
/// Where libav hangs in a call that cannot be interrupted, `ended` comes two seconds late and without a `summary`.
struct ProbeCommand {
  private let output = LineOutput()
  private let reader = CommandReader()

  func run() -> Int32 {
    let log = LibavLog.install(writingTo: output)
    while true {
      switch reader.next(waitingMilliseconds: 200) {
      case .nothing:
        if cav_stop_signal() != 0 { return 0 }
      case .end: return 0
      case .line(let bytes):
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
        guard let command = parse(bytes) else { continue }
        switch command["cmd"]?.string {
        case "open": return open(command, log: log)
        case "close": return 0
        default: output.emit("bad-command", [("message", "unknown command: open and close are known")])
        }
      }
    }
  }

  private func parse(_ bytes: [UInt8]) -> JSONValue? {
    do throws(JSONError) {
      return try JSONParser.parse(bytes[...], maximumDepth: 8)
    } catch {
      output.emit("bad-command", [("message", .string(error.description))])
      return nil
    }
  }

  private func open(_ command: JSONValue, log: LibavLog) -> Int32 {
    do throws(ProbeRequest.Refusal) {
      let request = try ProbeRequest(command)
      if let credentials = ProbeRequest.credentials(in: request.url) { log.hide(credentials) }
      let stop = StopSwitch()
      stop.watch(reader, output: output)
      return ProbeSession(request, output: output, stop: stop).run()
    } catch {
      output.emit(
        "ended",
        [
          ("reason", "error"), ("code", .integer(Int64(cav_error(EINVAL)))), ("refused", true),
          ("message", .string("refused: \(error.problem)")),
        ])
      let nothing = FrameLedger(readsCounter: false, counterModulus: nil)
      output.emit("summary", nothing.summary(timeBase: 0))
      return 1
    }
  }
}
