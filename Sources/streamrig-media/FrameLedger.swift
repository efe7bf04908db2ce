import RigModel

/// What a row of decoded video frames amounts to: counts, GOP lengths, and the gaps in their counters. Constant memory.
struct FrameLedger {
  private(set) var frames = 0
  private(set) var keyFrames = 0
  private(set) var corruptFrames = 0
  private(set) var blackFrames = 0
  /// Frames that show what the one before showed.
  private(set) var stillFrames = 0
  private var lastSamples: [UInt8] = []
  private(set) var lostCounters = 0
  private(set) var repeatedCounters = 0
  private(set) var unreadableCounters = 0
  private(set) var firstPTS: Int64?
  private(set) var lastPTS: Int64?
  /// How often each distance between two key frames was seen, in frames.
  private(set) var gopLengths: [Int: Int] = [:]
  var decodeErrors = 0

  private var framesSinceKey: Int?
  private var lastCounter: Int?
  /// Frames since `lastCounter` whose counter could not be read: they are there, so they are not lost.
  private var unreadableSince = 0
  private let readsCounter: Bool
  private let counterModulus: Int?
  private static let maximumGOPLengths = 128

  /// - Parameter counterModulus: the number at which the counter starts again, where known.
  init(readsCounter: Bool, counterModulus: Int?) {
    self.readsCounter = readsCounter
    self.counterModulus = counterModulus
  }

  mutating func add(pts: Int64?, isKey: Bool, isCorrupt: Bool, isBlack: Bool, counter: Int?, samples: [UInt8] = []) {
    frames += 1
    if isCorrupt { corruptFrames += 1 }
    if isBlack { blackFrames += 1 }
    if !samples.isEmpty {
      if LumaPicture.isSame(samples, lastSamples) { stillFrames += 1 }
      lastSamples = samples
    }
    if let pts {
      firstPTS = firstPTS ?? pts
      lastPTS = pts
    }
    if isKey {
      keyFrames += 1
      if let length = framesSinceKey, gopLengths[length] != nil || gopLengths.count < Self.maximumGOPLengths {
        gopLengths[length, default: 0] += 1
      }
      framesSinceKey = 1
    } else {
      framesSinceKey = framesSinceKey.map { $0 + 1 }
    }
    if readsCounter { note(counter) }
  }

  private mutating func note(_ counter: Int?) {
    guard let counter else {
      unreadableCounters += 1
      unreadableSince += 1
      return
    }
    defer {
      lastCounter = counter
      unreadableSince = 0
    }
    guard let last = lastCounter else { return }
    if counter == last {
      repeatedCounters += 1
      return
    }
    let missing =
      if counter > last {
        counter - last - 1
      } else if let modulus = counterModulus, modulus > last {
        modulus - last - 1 + counter
      } else {
        // Where the counter starts again is not known: only what is missing after the start can be told.
        counter
      }
    lostCounters += max(0, missing - unreadableSince)
  }

  /// Frames per second by their presentation times; `nil` for fewer than two.
  func framesPerSecond(timeBase: Double) -> Double? {
    guard let firstPTS, let lastPTS, frames > 1 else { return nil }
    let (ticks, overflow) = lastPTS.subtractingReportingOverflow(firstPTS)
    guard !overflow, ticks > 0, timeBase > 0 else { return nil }
    return (Double(frames - 1) / (Double(ticks) * timeBase) * 1000).rounded() / 1000
  }

  /// The members of a `summary` line. GOP lengths are a list of `{length, count}`, shortest first.
  func summary(timeBase: Double) -> [(String, JSONValue?)] {
    let lengths = gopLengths.sorted { $0.key < $1.key }.map { length, count -> JSONValue in
      ["length": .count(length), "count": .count(count)]
    }
    return [
      ("frames", .count(frames)), ("key-frames", .count(keyFrames)), ("corrupt-frames", .count(corruptFrames)),
      ("decode-errors", .count(decodeErrors)), ("first-pts", firstPTS.map(JSONValue.exact)),
      ("last-pts", lastPTS.map(JSONValue.exact)), ("gop-lengths", .array(lengths)),
      ("fps", framesPerSecond(timeBase: timeBase).map(JSONValue.number)),
      ("lost-counters", readsCounter ? .count(lostCounters) : nil),
      ("repeated-counters", readsCounter ? .count(repeatedCounters) : nil),
      ("unreadable-counters", readsCounter ? .count(unreadableCounters) : nil),
      ("black-frames", .count(blackFrames)), ("still-frames", .count(stillFrames)),
    ]
  }
}
