public import RigLoop
import RigModel

/// Makes test clips with the media helper, each only once.
public actor ClipEncoder {
  /// What is encoded; equal parameters share one file.
  public struct Parameters: Hashable, Sendable {
    public var width = 640
    public var height = 360
    public var frameRate = 30
    public var bitRate = 1_000_000
    public var gop = 30
    public var seconds = 4
    public var hasAudio = true
    /// `moving`, `still` or `black`; only the first has a bit rate to keep.
    public var scene = "moving"
    public init() {}

    var fileName: String {
      "clip1-\(width)x\(height)-\(frameRate)fps-\(bitRate)bps-gop\(gop)-\(seconds)s\(hasAudio ? "-aac" : "")\(suffix).clip"
    }

    private var suffix: String { scene == "moving" ? "" : "-\(scene)" }

    var arguments: [String] {
      [
        "--width", "\(width)", "--height", "\(height)", "--fps", "\(frameRate)", "--bitrate", "\(bitRate)", "--gop",
        "\(gop)", "--seconds", "\(seconds)",
      ] + (hasAudio ? ["--audio"] : []) + (scene == "moving" ? [] : ["--scene", scene, "--quality", "20"])
    }
  }

  public struct Failed: Error, CustomStringConvertible {
    public let description: String
  }

  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let program: String
  private let folder: String

  /// - Parameter folder: an existing folder for the files.
  public init(_ loop: EpollLoop, program: String, folder: String) {
    self.loop = loop
    self.program = program
    self.folder = folder
  }

  /// Path of the clip; `exists` tells whether it is there already.
  public func encode(_ parameters: Parameters, exists: (String) -> Bool) async throws -> String {
    let path = "\(folder)/\(parameters.fileName)"
    if exists(path) { return path }
    let child = try ChildProcess(
      loop, program: program, arguments: ["encode", "--out", path] + parameters.arguments)
    while case let bytes = try await child.io.read(), !bytes.isEmpty {}
    let exit = try await child.waitForExit()
    guard exit == .code(0) else { throw Failed(description: "\(program) encode: \(exit)") }
    return path
  }
}
