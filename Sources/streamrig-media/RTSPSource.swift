import CAV
import RigModel

/// An RTSP session through libavformat: one URL, no probing of any other protocol or file.
///
/// The stream analysis of libavformat is left out on purpose: it would hold packets back and date them late.
/// What the SDP does not say (mostly the picture size) is then known with the first decoded frame.
final class RTSPSource {
  /// The sub-protocols of a session; a redirect may lead to another RTSP server and nowhere else.
  private static let protocols = "rtsp,rtp,tcp,udp"

  private var context: UnsafeMutablePointer<AVFormatContext>?

  /// - Parameters:
  ///   - interrupt: asked again and again while libav waits; a non-zero answer ends the call.
  ///   - opaque: handed to `interrupt`; must live as long as the source.
  init(
    _ request: ProbeRequest, interrupt: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Int32,
    opaque: UnsafeMutableRawPointer
  ) throws(AVFailure) {
    guard let format = av_find_input_format("rtsp") else { throw AVFailure(cav_error(ENOSYS), "find RTSP in libav") }
    guard let fresh = avformat_alloc_context() else { throw .outOfMemory("open the session") }
    fresh.pointee.interrupt_callback = AVIOInterruptCB(callback: interrupt, opaque: opaque)
    // Packets as they come: frames are assembled and dated here, not in libavformat (`FrameAssembler`).
    fresh.pointee.flags |= AVFMT_FLAG_NOBUFFER | AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    let values = [
      ("rtsp_transport", request.transport.rawValue), ("protocol_whitelist", Self.protocols),
      ("user_agent", "streamrig-media"),
      // Microseconds that a UDP packet out of order is waited for.
      ("max_delay", "100000"),
      // Bytes of the UDP receive buffer: a key frame comes as one burst.
      ("buffer_size", "1048576"),
    ]
    for (name, value) in values { av_dict_set(&options, name, value, 0) }
    // On failure libav frees the context itself.
    var opening: UnsafeMutablePointer<AVFormatContext>? = fresh
    try check(avformat_open_input(&opening, request.urlForLibav, format, &options), "open the session")
    context = opening
  }

  deinit { close() }

  /// Sends TEARDOWN and closes the sockets.
  func close() {
    var closing = context
    context = nil
    if closing != nil { avformat_close_input(&closing) }
  }

  /// Where the session was opened in the end: another URL after a redirect.
  var url: String { context?.pointee.url.map { String(cString: $0) } ?? "" }

  var streams: [UnsafeMutablePointer<AVStream>] {
    guard let context, let list = context.pointee.streams else { return [] }
    return (0..<Int(context.pointee.nb_streams)).compactMap { list[$0] }
  }

  /// Blocks for the next packet; the code is negative at the end and on errors.
  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    guard let context else { return cav_error_eof() }
    return av_read_frame(context, packet)
  }
}
