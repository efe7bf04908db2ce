/// How records stand on a byte channel: `[RS] json [SP "*" crc32-hex8] LF` (stage-link/1, Framing).
public struct RecordFraming: Hashable, Sendable {
  /// RS and CRC are required on serial and USB, optional on TCP and stdio.
  public var guarded: Bool
  /// The most bytes of JSON in a record: 4,096, or what hello lowers it to, not below 512.
  public var limit: Int

  public init(guarded: Bool, limit: Int = RecordFraming.defaultLimit) {
    self.guarded = guarded
    self.limit = max(RecordFraming.leastLimit, min(limit, RecordFraming.defaultLimit))
  }

  public static let defaultLimit = 4096
  public static let leastLimit = 512
  public static let maximumDepth = 8
  /// A record with no LF for this long is dropped.
  public static let staleAfter: Duration = .seconds(1)

  static let recordStart: UInt8 = 0x1E
  static let lineFeed: UInt8 = 0x0A

  /// The bytes of one record. RS and CRC are always sent: every receiver accepts them, and they cost 11 bytes.
  public func encode(_ json: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [RecordFraming.recordStart]
    out.reserveCapacity(json.count + 12)
    out += json
    out += [0x20, UInt8(ascii: "*")]
    out += CRC32.hex(CRC32.checksum(json))
    out.append(RecordFraming.lineFeed)
    return out
  }
}
