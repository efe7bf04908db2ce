/// A decoder and what must hold of it whatever bytes it is given.
public struct FuzzTarget: Sendable {
  /// Also the name of its folder under `Tests/Corpus`.
  public let name: String
  /// The longest input that is worth trying, bytes.
  public let maximumLength: Int
  /// Throws `FuzzViolation` where a promise is broken, and traps where the decoder does.
  public let check: @Sendable (UnsafeRawBufferPointer) throws -> Void

  init(
    _ name: String, maximumLength: Int = 4096, _ check: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) {
    self.name = name
    self.maximumLength = maximumLength
    self.check = check
  }
}

/// A promise that an input showed to be broken.
public struct FuzzViolation: Error, CustomStringConvertible {
  public let description: String
}

func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws(FuzzViolation) {
  guard holds else { throw FuzzViolation(description: promise()) }
}

/// All targets: one line each.
public enum FuzzTargets {
  public static let all: [FuzzTarget] = [
    FuzzTarget("rtsp-parser", RTSPTargets.parser),
    FuzzTarget("rtsp-headers", maximumLength: 512, RTSPTargets.headers),
    FuzzTarget("rtsp-url", maximumLength: 1100, RTSPTargets.url),
    FuzzTarget("sdp", maximumLength: 2048, SDPTarget.check),
    FuzzTarget("rtp", maximumLength: 2048, RTPTarget.check),
    FuzzTarget("h264", maximumLength: 2048, PayloadTargets.h264),
    FuzzTarget("h265", maximumLength: 2048, PayloadTargets.h265),
    FuzzTarget("aac", maximumLength: 1024, PayloadTargets.aac),
    FuzzTarget("tcp-order", maximumLength: 1024, TCPTargets.order),
    FuzzTarget("dialogue", maximumLength: 8192, TCPTargets.dialogue),
    FuzzTarget("frames", maximumLength: 8192, CaptureTargets.frames),
    FuzzTarget("capture", CaptureTargets.reader),
    FuzzTarget("stage-link", StageLinkTarget.check),
    FuzzTarget("json", maximumLength: 1024, TextTargets.json),
    FuzzTarget("text", maximumLength: 512, TextTargets.text),
    FuzzTarget("plan", PlanTarget.check),
    FuzzTarget("journal", maximumLength: 8192, JournalTarget.check),
    FuzzTarget("clip", ClipTarget.check),
  ]

  /// Wrong on purpose, to show that the fuzzer finds what it should: no part of `all`.
  public static let planted = FuzzTarget("planted", maximumLength: 64, PlantedBug.check)

  public static func named(_ name: String) -> FuzzTarget? { (all + [planted]).first { $0.name == name } }
}
