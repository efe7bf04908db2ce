/// The AudioSpecificConfig of MPEG-4 audio (ISO/IEC 14496-3 1.6.2.1), as `config=` of SDP carries it.
public struct AudioSpecificConfig: Hashable, Sendable {
  /// 2 = AAC LC, 5 = SBR, 29 = PS.
  public var objectType: UInt8
  /// Hz.
  public var sampleRate: Int
  /// 0: defined inside the stream.
  public var channelConfiguration: UInt8
  /// Samples per access unit.
  public var frameLength: Int

  private static let rates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]

  /// `nil` where the bits end too early or the rate index is reserved.
  public init?(parsing bytes: [UInt8]) {
    var reader = BitReader(Array(bytes.prefix(64)))
    guard let type = Self.objectType(&reader), let rate = Self.rate(&reader), let channels = reader.bits(4) else {
      return nil
    }
    objectType = type
    sampleRate = rate
    channelConfiguration = UInt8(channels)
    frameLength = 1024
    var inner = type
    if type == 5 || type == 29 {
      guard Self.rate(&reader) != nil, let core = Self.objectType(&reader) else { return nil }
      inner = core
    }
    if [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(inner), reader.bit() == true { frameLength = 960 }
  }

  private static func objectType(_ reader: inout BitReader) -> UInt8? {
    guard let type = reader.bits(5) else { return nil }
    if type < 31 { return UInt8(type) }
    return reader.bits(6).map { UInt8(32 + $0) }
  }

  private static func rate(_ reader: inout BitReader) -> Int? {
    guard let index = reader.bits(4) else { return nil }
    if index == 15 { return reader.bits(24).map { Int($0) } }
    return Int(index) < rates.count ? rates[Int(index)] : nil
  }
}
