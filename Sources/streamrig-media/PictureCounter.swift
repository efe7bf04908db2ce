/// A number in the picture: a 24-bit frame counter and its CRC-8, as 32 black or white blocks that survive any
/// sensible compression and any scaling.
///
/// ```
///        block   width/20, rounded down to a multiple of 8, at least 8 pixels
///   row 0   c23 c22 c21 c20 c19 c18 c17 c16 c15 c14 c13 c12 c11 c10 c9 c8     white = 1
///   row 1   c7  c6  c5  c4  c3  c2  c1  c0  k7  k6  k5  k4  k3  k2  k1 k0
/// ```
/// The first block stands one block right of and one block below the top left corner. The CRC has the polynomial
/// x⁸+x²+x+1 and starts at 0xFF, so that neither an all-black nor an all-white picture reads as a number.
enum PictureCounter {
  static let columns = 16
  static let rows = 2
  static let maximum = 0xFF_FFFF
  /// The luma of the two kinds of block when painted, and the most (least) a block may have to be read as one.
  static let black: UInt8 = 16
  static let white: UInt8 = 235
  private static let blackest = 88
  private static let whitest = 168

  static func block(forWidth width: Int) -> Int { max(8, width / 20 / 8 * 8) }

  /// The lines at the top of the picture that belong to the counter and its quiet surround.
  static func height(forWidth width: Int) -> Int { block(forWidth: width) * 4 }

  static func crc8(_ counter: Int) -> UInt8 {
    var crc: UInt8 = 0xFF
    for shift in [16, 8, 0] {
      crc ^= UInt8(truncatingIfNeeded: counter >> shift)
      for _ in 0..<8 { crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 0x07 }
    }
    return crc
  }

  static func paint(_ counter: Int, into luma: UnsafeMutablePointer<UInt8>, stride: Int, width: Int) {
    let block = block(forWidth: width)
    let word = UInt32(truncatingIfNeeded: counter & maximum) << 8 | UInt32(crc8(counter))
    for row in 0..<rows {
      for line in 0..<block {
        var at = luma + ((row + 1) * block + line) * stride + block
        for column in 0..<columns {
          let bit = word >> UInt32(31 - row * columns - column) & 1
          at.update(repeating: bit == 1 ? white : black, count: block)
          at += block
        }
      }
    }
  }

  /// The number in the picture; `nil` where a block is neither black nor white or the CRC is wrong.
  static func read(_ picture: LumaPicture) -> Int? {
    let block = block(forWidth: picture.width)
    guard picture.width >= (columns + 1) * block, picture.height >= (rows + 1) * block else { return nil }
    var word: UInt32 = 0
    for row in 0..<rows {
      for column in 0..<columns {
        // The middle half of the block: its edges are where compression rings.
        let mean = picture.mean(
          x: (column + 1) * block + block / 4, y: (row + 1) * block + block / 4, side: block / 2)
        switch mean {
        case ...blackest: word <<= 1
        case whitest...: word = word << 1 | 1
        default: return nil
        }
      }
    }
    let counter = Int(word >> 8)
    return crc8(counter) == UInt8(truncatingIfNeeded: word) ? counter : nil
  }
}
