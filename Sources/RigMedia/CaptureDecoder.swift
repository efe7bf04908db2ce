public import RigDevice
public import RigLoop
import RigModel

/// Decodes the pictures of a capture in the media helper: what was captured elsewhere is proven as what is played here.
// Unchecked: touched only on the loop's thread.
public final class CaptureDecoder: @unchecked Sendable {
  /// A picture came out of the decoder.
  public struct Picture: Sendable {
    /// As it was given with the coded picture.
    public var time: Int64
    public var isKey: Bool
    public var width: Int
    public var height: Int
  }

  private let loop: EpollLoop
  private let child: ChildProcess
  private let codec: String
  private let line: @Sendable (String) -> Void
  private var reader: Task<Void, any Error>?
  private var pictures: [Picture] = []
  private var size = (width: 0, height: 0)
  private var summary: MediaSummary?
  /// How long the helper may take for what is left at the end.
  private static let patience: Duration = .seconds(30)

  /// - Parameters:
  ///   - program: path of `streamrig-media`.
  ///   - codec: `h264` or `h265`.
  ///   - stderr: a descriptor for the helper's stderr, taken over.
  ///   - line: takes each line that the helper says.
  /// - Throws: `SystemError` where it cannot be started.
  public init(
    _ loop: EpollLoop, program: String, codec: String, stderr: Int32?, line: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.codec = codec
    self.line = line
    child = try ChildProcess(loop, program: program, arguments: ["decode", "--codec", codec], stderr: stderr)
    reader = loop.spawn { [self] in try await read() }
  }

  /// Gives one coded picture in the byte stream format.
  public nonisolated(nonsending) func decode(_ bytes: [UInt8], time: Int64) async throws {
    guard !bytes.isEmpty else { return }
    try await child.io.write(CaptureDecoder.head(bytes.count, time) + bytes)
  }

  private static func head(_ count: Int, _ time: Int64) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
      + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> $0) }
  }

  /// The pictures that came out since the last call.
  public func takePictures() -> [Picture] {
    defer { pictures = [] }
    return pictures
  }

  /// No more comes: waits for what is left.
  /// - Throws: `DriverError` where the helper died, or hangs.
  public nonisolated(nonsending) func finish() async throws -> MediaSummary {
    try? await child.io.write(CaptureDecoder.head(0, 0))
    let hung = loop.schedule(at: loop.now + CaptureDecoder.patience) { self.child.signal(9) }
    _ = await reader?.result
    loop.cancel(hung)
    let exit = try await child.waitForExit()
    child.io.close()
    guard let summary, exit == .code(0) else {
      throw DriverError("the media helper did not decode the phone's capture: \(exit)")
    }
    return summary
  }

  private nonisolated(nonsending) func read() async throws {
    var lines = LineReader()
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      for line in lines.push(bytes) { take(line) }
    }
  }

  private func take(_ text: String) {
    line(text)
    guard let json = try? JSONParser.parse(text) else { return }
    switch json["kind"]?.string {
    case "frame":
      guard let time = json["at"]?.string.flatMap({ Int64($0) }) else { return }
      size = (Int(json["width"]?.integer ?? 0), Int(json["height"]?.integer ?? 0))
      pictures.append(
        Picture(
          time: time, isKey: json["key"]?.bool == true && json["corrupt"]?.bool != true, width: size.width,
          height: size.height))
    case "summary": summary = MediaSummary(json, codec: codec, width: size.width, height: size.height)
    default: break
    }
  }
}

extension MediaSummary {
  /// From the helper's `summary` line.
  init(_ json: JSONValue, codec: String, width: Int, height: Int) {
    self.init(
      frames: Int(json["frames"]?.integer ?? 0), keyFrames: Int(json["key-frames"]?.integer ?? 0),
      decodeErrors: Int(json["decode-errors"]?.integer ?? 0), width: width, height: height, codec: codec,
      gopLengths: json["gop-lengths"]?.array?.compactMap { $0["length"]?.integer.map { Int($0) } } ?? [],
      frameRate: json["fps"]?.double ?? 0, lostCounters: Int(json["lost-counters"]?.integer ?? 0),
      repeatedCounters: Int(json["repeated-counters"]?.integer ?? 0),
      blackFrames: Int(json["black-frames"]?.integer ?? 0), stillFrames: Int(json["still-frames"]?.integer ?? 0))
  }
}
