import Glibc
import RigEmulator
import RigLoop
import RigMedia
import RigModel
import RigRunner

/// Clips for the emulated device, encoded once per set of parameters and kept in the cache folder.
struct EncodedClips: ClipSource {
  private let encoder: ClipEncoder

  /// - Throws: `SystemError` where no cache folder can be made.
  init(_ loop: EpollLoop) throws(SystemError) {
    let folder = EncodedClips.cacheFolder
    try Folder.make(folder)
    encoder = ClipEncoder(loop, program: HelperProgram.media, folder: folder)
  }

  /// `STREAMRIG_CACHE`, else `XDG_CACHE_HOME` or `~/.cache`, else a folder of this user's under `/tmp`.
  private static var cacheFolder: String {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }
    if let folder = value("STREAMRIG_CACHE") { return folder }
    if let folder = value("XDG_CACHE_HOME") { return "\(folder)/streamrig" }
    if let home = value("HOME"), access(home, W_OK) == 0 { return "\(home)/.cache/streamrig" }
    return "/tmp/streamrig-cache-\(geteuid())"
  }

  func clip(for params: StreamParameters?, _ variation: ClipVariation) async throws -> Clip {
    var wanted = ClipEncoder.Parameters()
    if let params {
      if params.bitrate.bitsPerSecond > 0 { wanted.bitRate = Int(params.bitrate.bitsPerSecond) }
      wanted.gop = params.iFrameInterval + 1
    }
    if let rate = variation.bitRate { wanted.bitRate = rate }
    if let rate = variation.frameRate {
      // As many bits a picture as before.
      wanted.bitRate = max(50_000, wanted.bitRate * rate / wanted.frameRate)
      wanted.frameRate = rate
    }
    wanted.scene = variation.scene.rawValue
    let path = try await encoder.encode(wanted) { access($0, R_OK) == 0 }
    switch PlanFiles.contents(path, limit: 256 << 20) {
    case .success(let bytes): return try Clip(parsing: bytes)
    case .failure(let error): throw error
    }
  }
}
