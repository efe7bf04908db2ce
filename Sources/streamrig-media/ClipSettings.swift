/// What `encode` is to make.
struct ClipSettings {
  var path = ""
  var width = 640
  var height = 360
  var framesPerSecond = 30
  /// Bits per second of the video's payload.
  var bitRate = 1_000_000
  /// Frames from key frame to key frame.
  var gop = 30
  var seconds = 4
  var hasAudio = false
  var seed: UInt64 = 1
  /// 0 (best) to 41: every picture gets the bits it needs for this quality; the bit rate then follows from it.
  var quality: Int?
  var hasInbandParameterSets = false
  var scene = Scene.moving

  /// What the picture shows. Only the moving one has the frame counter in it.
  enum Scene: String, CaseIterable { case moving, still, black }

  static let audioRate = 48_000
  static let samplesPerAudioFrame = 1024
  private static let maximumFrames = 18_000

  init(arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    var seen: Set<String> = []
    while let name = rest.popFirst() {
      guard seen.insert(name).inserted else { throw UsageError("\(name) stands here twice") }
      switch name {
      case "--audio": hasAudio = true
      case "--inband-parameter-sets": hasInbandParameterSets = true
      case "--scene":
        let word = try Self.text(&rest, name)
        guard let scene = Scene(rawValue: word) else {
          throw UsageError("--scene is one of \(Scene.allCases.map(\.rawValue).joined(separator: ", ")), not \(word)")
        }
        self.scene = scene
      case "--out": path = try Self.text(&rest, name)
      case "--width": width = try Self.number(&rest, name, 160...3840)
      case "--height": height = try Self.number(&rest, name, 90...3840)
      case "--fps": framesPerSecond = try Self.number(&rest, name, 1...120)
      case "--bitrate": bitRate = try Self.number(&rest, name, 50_000...100_000_000)
      case "--gop": gop = try Self.number(&rest, name, 1...1000)
      case "--seconds": seconds = try Self.number(&rest, name, 1...120)
      case "--seed": seed = UInt64(try Self.number(&rest, name, 0...Int(Int32.max)))
      case "--quality": quality = try Self.number(&rest, name, 0...41)
      default: throw UsageError("encode does not know \(name)")
      }
    }
    guard !path.isEmpty else { throw UsageError("encode needs --out FILE") }
    guard width % 2 == 0, height % 2 == 0 else { throw UsageError("--width and --height must be even") }
    guard height >= PictureCounter.height(forWidth: width) + 16 else {
      throw UsageError(
        "--height must be at least \(PictureCounter.height(forWidth: width) + 16) at this width, for the frame counter")
    }
    guard frames <= Self.maximumFrames else {
      throw UsageError("the clip would have \(frames) frames, more than \(Self.maximumFrames): \(whyLong)")
    }
  }

  /// At least the seconds asked for, in whole GOPs; with audio also in whole audio frames, so that both tracks
  /// start again together when the clip is looped.
  var frames: Int {
    var unit = gop
    if hasAudio {
      // n frames last n × rate / fps samples, which must be a multiple of the samples in an audio frame.
      let wanted = Self.samplesPerAudioFrame * framesPerSecond
      let aligned = wanted / Self.greatestCommonDivisor(wanted, Self.audioRate)
      unit = gop / Self.greatestCommonDivisor(gop, aligned) * aligned
    }
    let asked = seconds * framesPerSecond
    return (asked + unit - 1) / unit * unit
  }

  var audioFrames: Int {
    hasAudio ? frames * Self.audioRate / (framesPerSecond * Self.samplesPerAudioFrame) : 0
  }

  var duration: Double { Double(frames) / Double(framesPerSecond) }

  private var whyLong: String { hasAudio ? "video GOPs and audio frames meet only then; try another gop" : "too long" }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }

  private static func text(_ rest: inout ArraySlice<String>, _ name: String) throws(UsageError) -> String {
    guard let text = rest.popFirst(), !text.isEmpty else { throw UsageError("\(name) needs a value") }
    return text
  }

  private static func number(
    _ rest: inout ArraySlice<String>, _ name: String, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    let value = try text(&rest, name)
    guard let number = Int(value), range.contains(number) else {
      throw UsageError("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    return number
  }
}
