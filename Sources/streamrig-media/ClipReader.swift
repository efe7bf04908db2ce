import RigModel

/// Reads a clip file (the form is described at `Clip`) and believes nothing in it.
struct ClipReader {
  /// What is wrong with a clip file, and at which byte.
  struct Fault: Error {
    let offset: Int
    let problem: String
    var message: String { "not a clip: at byte \(offset): \(problem)" }
  }

  struct Unit {
    let isVideo: Bool
    let isKey: Bool
    let pts: UInt64
    let bytes: ArraySlice<UInt8>
  }

  let header: JSONValue
  let parameterSets: [[UInt8]]
  let frames: Int
  let gop: Int
  let audioConfig: [UInt8]?
  let audioFrames: Int
  let units: [Unit]

  init(_ bytes: [UInt8]) throws(Fault) {
    guard bytes.starts(with: Clip.magic.utf8) else { throw Fault(offset: 0, problem: "the first line is not the mark") }
    let start = Clip.magic.utf8.count
    guard let end = bytes[start...].prefix(65_536).firstIndex(of: UInt8(ascii: "\n")) else {
      throw Fault(offset: start, problem: "the header has no end")
    }
    do throws(JSONError) {
      header = try JSONParser.parse(bytes[start..<end], maximumDepth: 8)
    } catch {
      throw Fault(offset: start + error.offset, problem: error.problem)
    }
    guard let video = header["video"], let frames = Self.number(video["frames"]), let gop = Self.number(video["gop"]),
      let sps = video["sps"]?.string.flatMap(Base64.bytes), let pps = video["pps"]?.string.flatMap(Base64.bytes),
      let count = Self.number(header["units"]), let audio = header["audio"]
    else { throw Fault(offset: start, problem: "the header lacks a member, or has one of a wrong kind") }
    self.frames = frames
    self.gop = gop
    parameterSets = [sps, pps]
    if audio.isNull {
      audioConfig = nil
      audioFrames = 0
    } else {
      guard let config = audio["config"]?.string.flatMap(Hex.bytes), !config.isEmpty,
        let number = Self.number(audio["frames"])
      else { throw Fault(offset: start, problem: "the header's audio is not complete") }
      audioConfig = config
      audioFrames = number
    }
    units = try Self.units(in: bytes, from: end + 1)
    guard units.count == count, units.count(where: \.isVideo) == frames else {
      throw Fault(offset: bytes.count, problem: "\(units.count) units stand here, the header says \(count)")
    }
  }

  private static func number(_ value: JSONValue?) -> Int? {
    value?.integer.flatMap { (0...1_000_000).contains($0) ? Int($0) : nil }
  }

  private static func units(in bytes: [UInt8], from start: Int) throws(Fault) -> [Unit] {
    var units: [Unit] = []
    var at = start
    while at < bytes.count {
      guard bytes.count - at >= Clip.unitHead else { throw Fault(offset: at, problem: "half a unit head") }
      let size = bytes[at + 4..<at + 8].reduce(0) { $0 << 8 | Int($1) }
      guard bytes[at] <= 1, bytes[at + 1] <= 1, bytes[at + 2] == 0, bytes[at + 3] == 0 else {
        throw Fault(offset: at, problem: "a unit head with unknown values")
      }
      guard size > 0, size <= bytes.count - at - Clip.unitHead else {
        throw Fault(offset: at + 4, problem: "a unit of \(size) bytes does not fit")
      }
      let body = at + Clip.unitHead
      units.append(
        Unit(
          isVideo: bytes[at] == 0, isKey: bytes[at + 1] == 1,
          pts: bytes[at + 8..<body].reduce(0) { $0 << 8 | UInt64($1) }, bytes: bytes[body..<body + size]))
      at = body + size
    }
    return units
  }
}
