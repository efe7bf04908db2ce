import CAV

/// The luma plane of a decoded frame, read as 8-bit values whatever the depth; valid while the frame is.
struct LumaPicture {
  let width: Int
  let height: Int
  private let base: UnsafePointer<UInt8>
  private let stride: Int
  private let step: Int
  private let wide: Bool
  private let shift: Int

  /// `nil` for formats without a luma plane that the CPU can read (RGB, palettes, hardware surfaces, bit streams).
  init?(_ frame: UnsafePointer<AVFrame>) {
    guard let format = av_pix_fmt_desc_get(AVPixelFormat(frame.pointee.format)) else { return nil }
    let unfit =
      UInt64(AV_PIX_FMT_FLAG_RGB) | UInt64(AV_PIX_FMT_FLAG_PAL) | UInt64(AV_PIX_FMT_FLAG_HWACCEL)
      | UInt64(AV_PIX_FMT_FLAG_BITSTREAM) | UInt64(AV_PIX_FMT_FLAG_BE)
    let luma = format.pointee.comp.0
    guard format.pointee.flags & unfit == 0, luma.plane == 0, luma.depth >= 8, luma.depth <= 16,
      let plane = frame.pointee.data.0
    else { return nil }
    width = Int(frame.pointee.width)
    height = Int(frame.pointee.height)
    base = UnsafePointer(plane) + Int(luma.offset)
    stride = Int(frame.pointee.linesize.0)
    step = Int(luma.step)
    wide = luma.depth > 8
    shift = Int(luma.shift) + Int(luma.depth) - 8
  }

  private func value(_ x: Int, _ y: Int) -> Int {
    let at = base + (y * stride + x * step)
    return wide ? (Int(at[0]) | Int(at[1]) << 8) >> shift : Int(at[0])
  }

  /// The mean of a square, from at most 8 × 8 samples. The square must lie inside the picture.
  func mean(x: Int, y: Int, side: Int) -> Int {
    let stepSize = max(1, side / 8)
    var sum = 0
    var count = 0
    for j in Swift.stride(from: y, to: y + side, by: stepSize) {
      for i in Swift.stride(from: x, to: x + side, by: stepSize) {
        sum += value(i, j)
        count += 1
      }
    }
    return count == 0 ? 0 : sum / count
  }

  /// A grid of about 48 × 48 samples.
  var samples: [UInt8] {
    let stepX = max(1, width / 48)
    let stepY = max(1, height / 48)
    var samples: [UInt8] = []
    for y in Swift.stride(from: stepY / 2, to: height, by: stepY) {
      for x in Swift.stride(from: stepX / 2, to: width, by: stepX) {
        samples.append(UInt8(truncatingIfNeeded: min(255, value(x, y))))
      }
    }
    return samples
  }

  /// Whether two grids show the same: what a coder changes in a still picture is less than 4 steps nearly everywhere.
  static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count, !a.isEmpty else { return false }
    var different = 0
    for i in a.indices where abs(Int(a[i]) - Int(b[i])) >= 4 { different += 1 }
    return different * 200 < a.count
  }

  /// Whether at least 98 % of the picture is darker than 10 % of the luma range, from a grid of about 48 × 48 samples.
  var isBlack: Bool {
    let stepX = max(1, width / 48)
    let stepY = max(1, height / 48)
    var dark = 0
    var count = 0
    for y in Swift.stride(from: stepY / 2, to: height, by: stepY) {
      for x in Swift.stride(from: stepX / 2, to: width, by: stepX) {
        count += 1
        if value(x, y) < 38 { dark += 1 }
      }
    }
    return count > 0 && dark * 100 >= count * 98
  }
}
