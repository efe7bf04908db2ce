import RigBytes
import RigEmulator

/// A clip file put together in code: 50 pictures a second, GOPs of 5, and audio frames of 1,024 samples at 48 kHz.
struct ClipFile {
  /// Sets of a real encoder (High, level 3, 640 × 360), the picture slices are arbitrary bytes.
  static let sps = ASCII.bytes(hex: "6764001eacb405017fcb08000003000800000301e478b175") ?? []
  static let pps = ASCII.bytes(hex: "68ef3cb0") ?? []

  var frames = 10
  var audioFrames = 10
  /// Bytes of a key frame's slice.
  var keySize = 4000
  /// Multiplied with the frame's number gives its time stamp; another order is that of reordered pictures.
  var order: [Int]?

  /// Key frames have two NAL units (SEI, IDR), others one.
  func nalUnits(_ frame: Int) -> [[UInt8]] {
    guard frame % 5 == 0 else { return [slice(0x41, 300, frame)] }
    return [[0x06, 0x05, 0x04, 0xAA, 0xBB, 0xCC, 0xDD, 0x80], slice(0x65, keySize, frame)]
  }

  func audio(_ frame: Int) -> [UInt8] { slice(0x21, 150 + frame % 7, frame) }

  /// No zero bytes, so that no start code is there by chance.
  private func slice(_ head: UInt8, _ count: Int, _ salt: Int) -> [UInt8] {
    [head] + (1..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ salt &* 7) % 255 + 1) }
  }

  func accessUnit(_ frame: Int) -> [UInt8] {
    nalUnits(frame).flatMap { nal in Self.number(UInt64(nal.count), 4) + nal }
  }

  var header: String {
    var text =
      #"{"video":{"codec":"h264","width":640,"height":360,"fps":50,"gop":5,"bitrate":1000,"frames":\#(frames),"#
    text += #""sps":"\#(Base64.encode(Self.sps))","pps":"\#(Base64.encode(Self.pps))"},"audio":"#
    guard audioFrames > 0 else { return text + "null}\n" }
    text += #"{"codec":"aac","rate":48000,"channels":1,"config":"1188","frames":\#(audioFrames),"#
    return text + #""samples-per-frame":1024}}"# + "\n"
  }

  var bytes: [UInt8] {
    var out = Array("streamrig-clip/1\n".utf8) + Array(header.utf8)
    for frame in 0..<frames {
      let shown = order?[frame] ?? frame
      out += Self.unit(track: 0, isKey: frame % 5 == 0, time: UInt64(shown * 1800), accessUnit(frame))
    }
    for frame in 0..<audioFrames {
      out += Self.unit(track: 1, isKey: true, time: UInt64(frame * 1024), audio(frame))
    }
    return out
  }

  static func unit(track: UInt8, isKey: Bool, time: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    [track, isKey ? 1 : 0, 0, 0] + number(UInt64(bytes.count), 4) + number(time, 8) + bytes
  }

  private static func number(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (size - 1 - $0))) }
  }

  func parsed() throws -> Clip { try Clip(parsing: bytes) }
}
