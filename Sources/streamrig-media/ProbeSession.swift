import CAV
import RigModel

/// One probed session, from the open command to the summary. Lives on the main thread; libav's interrupt callback
/// runs on it too.
final class ProbeSession {
  /// Why a session ended.
  /// `closed` was asked to once it was open; `interrupted` was asked to before; `eof` the server ended it;
  /// `timeout` nothing came within the limit; `error` anything else.
  enum Ending: String { case closed, eof, timeout, error, interrupted }

  private static let maximumConsecutiveReadErrors = 64

  private let request: ProbeRequest
  private let output: LineOutput
  private let stop: StopSwitch
  private var isOpen = false
  private var connectDeadline = Int64.max
  private var isUnreachable = false
  private var video: VideoReport
  private var audio: AudioReport
  private var errors: DecodeErrorReport
  private var videoIndex: Int32?
  private var audioIndex: Int32?
  private var seenStreams: Set<Int32> = []

  init(_ request: ProbeRequest, output: LineOutput, stop: StopSwitch) {
    self.request = request
    self.output = output
    self.stop = stop
    video = VideoReport(request, output: output)
    audio = AudioReport(output: output)
    errors = DecodeErrorReport(output: output)
  }

  func run() -> Int32 {
    let began = monotonicNanoseconds()
    stop.setDeadline(began &+ request.openTimeout.nanoseconds)
    connectDeadline = began &+ request.connectTimeout.nanoseconds
    let ending: Ending
    do throws(AVFailure) {
      let source = try RTSPSource(
        request,
        interrupt: { opaque in
          guard let opaque else { return 0 }
          return Unmanaged<ProbeSession>.fromOpaque(opaque).takeUnretainedValue().mustEnd() ? 1 : 0
        }, opaque: Unmanaged.passUnretained(self).toOpaque())
      isOpen = true
      let now = monotonicNanoseconds()
      reportOpened(source, at: now)
      let code = read(source)
      ending = report(code, "read the stream")
      stop.beginClosing(at: monotonicNanoseconds())
      source.close()
    } catch {
      ending = report(error.code, error.doing)
    }
    audio.flush(at: monotonicNanoseconds())
    errors.flush(at: monotonicNanoseconds())
    video.ledger.decodeErrors = errors.total
    output.emit("summary", video.summary + audio.summary)
    return ending == .closed || ending == .eof ? 0 : 1
  }

  /// The interrupt callback's answer. What is due by the clock is reported from here as well: while nothing arrives
  /// no other code of ours runs.
  private func mustEnd() -> Bool {
    let now = monotonicNanoseconds()
    if isOpen { tick(at: now) }
    if !isOpen, !isUnreachable, now >= connectDeadline { isUnreachable = ConnectionState.isConnecting }
    return isUnreachable || stop.mustEnd(at: now) || output.isBroken
  }

  private func tick(at now: Int64) {
    video.tick(at: now)
    audio.tick(at: now)
    errors.tick(at: now)
  }

  private func reportOpened(_ source: RTSPSource, at now: Int64) {
    var streams: [JSONValue] = []
    for stream in source.streams {
      guard let parameters = stream.pointee.codecpar else { continue }
      let described = StreamDescription(stream.pointee, parameters.pointee)
      streams.append(described.json)
      // Only the first of each kind is decoded; whatever else comes is dropped by libav.
      do throws(AVFailure) {
        if parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, videoIndex == nil {
          video.decoder = try StreamDecoder(parameters: parameters, timeBase: stream.pointee.time_base, assembles: true)
          video.timeBase = stream.pointee.time_base.quotient ?? 0
          video.stream = Int(stream.pointee.index)
          videoIndex = stream.pointee.index
        } else if parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, audioIndex == nil {
          audio.decoder = try StreamDecoder(parameters: parameters, timeBase: stream.pointee.time_base, assembles: true)
          audioIndex = stream.pointee.index
        }
      } catch {
        errors.note(error.code, error.message, at: now)
      }
    }
    let url = source.url
    output.emit(
      "opened", at: now,
      [
        ("streams", .array(streams)),
        ("redirected-to", url == request.urlForLibav ? nil : .string(ProbeRequest.shown(url))),
      ])
  }

  /// Reads until something ends it; returns libav's code for it.
  private func read(_ source: RTSPSource) -> Int32 {
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { return cav_error(ENOMEM) }
    var failures = 0
    extendDeadline(from: monotonicNanoseconds())
    while true {
      let code = source.read(into: packet)
      let now = monotonicNanoseconds()
      if stop.mustEnd(at: now) || output.isBroken { return cav_error_exit() }
      tick(at: now)
      guard code < 0 else {
        failures = 0
        extendDeadline(from: now)
        take(packet, at: now)
        av_packet_unref(packet)
        continue
      }
      if code == cav_error(EAGAIN) { continue }
      failures += 1
      guard code == cav_error_invalid_data(), failures < Self.maximumConsecutiveReadErrors else {
        drain()
        return code
      }
      errors.note(code, "read a packet: \(AVFailure.reason(for: code))", at: now)
    }
  }

  private func extendDeadline(from now: Int64) {
    let limit = request.idleTimeout.nanoseconds
    stop.setDeadline(limit == 0 ? .max : now &+ limit)
  }

  private func take(_ packet: UnsafePointer<AVPacket>, at now: Int64) {
    let index = packet.pointee.stream_index
    if seenStreams.count < 64, seenStreams.insert(index).inserted {
      output.emit(
        "first-packet", at: now,
        [("stream", .integer(Int64(index))), ("pts", packet.pointee.pts.validPTS.map(JSONValue.exact))])
    }
    var code: Int32 = 0
    if index == videoIndex {
      code = video.decode(packet)
    } else if index == audioIndex {
      code = audio.decode(packet)
    }
    // Decoding has written lines of its own meanwhile: the time is taken anew, so that times never go back.
    if code < 0 { errors.note(code, "decode: \(AVFailure.reason(for: code))", at: monotonicNanoseconds()) }
  }

  /// The frames that the decoders still hold.
  private func drain() {
    _ = video.decode(nil)
    _ = audio.decode(nil)
  }

  private func report(_ code: Int32, _ doing: String) -> Ending {
    let now = monotonicNanoseconds()
    // libav reports an interrupted call by many codes, INVALIDDATA among them: the switch knows better.
    let ending: Ending
    let message: String
    if stop.isStopRequested || output.isBroken {
      ending = isOpen ? .closed : .interrupted
      message = isOpen ? "closed on request" : "asked to close before the session was open"
    } else if isUnreachable {
      ending = .timeout
      message = "\(doing): nobody took the connection in \(request.connectTimeout.text)"
    } else if stop.isPastDeadline(at: now) {
      ending = .timeout
      message =
        isOpen
        ? "\(doing): nothing came for \(request.idleTimeout.text)"
        : "\(doing): not answered within \(request.openTimeout.text)"
    } else if code == cav_error_eof() && isOpen {
      ending = .eof
      message = "the server ended the stream"
    } else {
      ending = .error
      message = "\(doing): \(AVFailure.reason(for: code))"
    }
    output.emit(
      "ended", at: now,
      [
        ("reason", .string(ending.rawValue)), ("code", .integer(Int64(code))), ("message", .string(message)),
        (
          "unreachable",
          isUnreachable || (ending == .error && ConnectionState.isUnreachable(code) && !isOpen) ? true : nil
        ),
      ])
    return ending
  }
}
