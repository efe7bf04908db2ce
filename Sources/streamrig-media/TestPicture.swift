import CAV
import RigModel

/// The moving test picture: sliding gradients, below them a band of noise that is new in every frame (it is what
/// costs the bits), and the frame counter at the top left. The same seed gives the same pictures.
struct TestPicture {
  private static let period = 512

  private let width: Int
  private let height: Int
  /// The first line of the noise band.
  private let noiseTop: Int
  private let ramp: [UInt8]
  private let noise: [UInt8]
  private let seed: UInt64

  /// - Parameters:
  ///   - busyness: 0…1, the share of the lines under the counter that carry noise.
  ///   - amplitude: the largest deviation of the noise from mid-grey, in luma steps.
  init(width: Int, height: Int, busyness: Double, amplitude: Int, seed: UInt64) {
    self.width = width
    self.height = height
    self.seed = seed
    let free = height - PictureCounter.height(forWidth: width)
    noiseTop = height - Int(Double(free) * min(max(busyness, 0), 1))
    ramp = (0..<width + Self.period).map { x in
      let phase = x % Self.period
      return UInt8(48 + (phase < Self.period / 2 ? phase : Self.period - phase) * 5 / 8)
    }
    var random = SplitMix64(seed: seed)
    let levels = UInt64(2 * min(amplitude, 100) + 1)
    noise = (0..<width + 65_536).map { _ in UInt8(128 - (levels - 1) / 2 + random.next() % levels) }
  }

  /// A picture of nothing: a camera behind its cap.
  static func paintBlack(_ frame: UnsafeMutablePointer<AVFrame>, height: Int) {
    guard let luma = frame.pointee.data.0, let blue = frame.pointee.data.1, let red = frame.pointee.data.2 else {
      return
    }
    luma.update(repeating: PictureCounter.black, count: Int(frame.pointee.linesize.0) * height)
    blue.update(repeating: 128, count: Int(frame.pointee.linesize.1) * (height / 2))
    red.update(repeating: 128, count: Int(frame.pointee.linesize.2) * (height / 2))
  }

  /// Paints frame `number` into a writable YUV 4:2:0 frame.
  func paint(_ number: Int, counter: Int, into frame: UnsafeMutablePointer<AVFrame>) {
    guard let luma = frame.pointee.data.0, let blue = frame.pointee.data.1, let red = frame.pointee.data.2 else {
      return
    }
    let stride = Int(frame.pointee.linesize.0)
    var random = SplitMix64(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9)
    ramp.withUnsafeBufferPointer { ramp in
      noise.withUnsafeBufferPointer { noise in
        guard let ramp = ramp.baseAddress, let noise = noise.baseAddress else { return }
        for y in 0..<height {
          let line =
            y < noiseTop ? ramp + (2 * number + y) % Self.period : noise + Int(random.next() & 0xFFFF)
          (luma + y * stride).update(from: line, count: width)
        }
        for y in 0..<height / 2 {
          (blue + y * Int(frame.pointee.linesize.1)).update(
            from: ramp + (number + 2 * y) % Self.period, count: width / 2)
          (red + y * Int(frame.pointee.linesize.2)).update(
            from: ramp + (3 * number + y) % Self.period, count: width / 2)
        }
      }
    }
    PictureCounter.paint(counter, into: luma, stride: stride, width: width)
  }
}
