/// A sequence parameter set of H.265 (ITU-T H.265 7.3.2.2), up to the picture size and the reordering limit.
public struct H265SPS: Hashable, Sendable {
  public var id: UInt32
  public var profileIDC: UInt8
  public var isHighTier: Bool
  /// Level times 30.
  public var levelIDC: UInt8
  public var chromaFormatIDC: UInt32
  /// Luma samples, conformance window taken off.
  public var width: Int
  public var height: Int
  /// Of the highest sub-layer; `nil` where the bits end before it.
  public var maxNumReorderPictures: UInt32?

  /// Parses a NAL unit with its 2-byte header; `nil` where it is of another type (not 33), cut off, or not valid.
  public init?(parsing nal: [UInt8]) {
    guard nal.count > 2, nal[0] >> 1 & 63 == 33 else { return nil }
    var reader = BitReader(BitReader.rbsp(nal.dropFirst(2)))
    guard reader.skip(4), let layers = reader.bits(3), reader.skip(1), reader.skip(2), let tier = reader.bit(),
      let profile = reader.bits(5), reader.skip(80), let level = reader.bits(8)
    else { return nil }
    isHighTier = tier
    profileIDC = UInt8(profile)
    levelIDC = UInt8(level)
    guard Self.skipSubLayers(&reader, count: Int(layers)) else { return nil }
    guard let id = reader.unsigned(), id <= 15, let chroma = reader.unsigned(), chroma <= 3,
      chroma != 3 || reader.skip(1), let columns = reader.unsigned(), let rows = reader.unsigned(),
      columns > 0, rows > 0, columns <= 65536, rows <= 65536, let hasWindow = reader.bit()
    else { return nil }
    self.id = id
    chromaFormatIDC = chroma
    width = Int(columns)
    height = Int(rows)
    if hasWindow {
      guard let left = reader.unsigned(), let right = reader.unsigned(), let top = reader.unsigned(),
        let bottom = reader.unsigned()
      else { return nil }
      let cropX = (chroma == 1 || chroma == 2 ? 2 : 1) * (Int(left) + Int(right))
      let cropY = (chroma == 1 ? 2 : 1) * (Int(top) + Int(bottom))
      guard cropX < width, cropY < height else { return nil }
      width -= cropX
      height -= cropY
    }
    maxNumReorderPictures = Self.reorder(&reader, layers: Int(layers))
  }

  /// The sub-layer part of profile_tier_level (7.3.3).
  private static func skipSubLayers(_ reader: inout BitReader, count: Int) -> Bool {
    guard count > 0 else { return true }
    var sizes: [Int] = []
    for _ in 0..<count {
      guard let hasProfile = reader.bit(), let hasLevel = reader.bit() else { return false }
      sizes.append((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0))
    }
    guard reader.skip(2 * (8 - count)) else { return false }
    return sizes.allSatisfy { reader.skip($0) }
  }

  private static func reorder(_ reader: inout BitReader, layers: Int) -> UInt32? {
    guard reader.unsigned() != nil, reader.unsigned() != nil, reader.unsigned() != nil, let each = reader.bit() else {
      return nil
    }
    var last: UInt32?
    for _ in 0..<(each ? layers + 1 : 1) {
      guard reader.unsigned() != nil, let pictures = reader.unsigned(), reader.unsigned() != nil else { return nil }
      last = pictures
    }
    return last
  }
}
