/// Cuts a byte stream into lines of bounded length.
struct LineReader {
  private var partial: [UInt8] = []
  private var isSkipping = false
  static let longestLine = 64 * 1024

  /// The lines that these bytes complete; an overlong one is dropped whole.
  mutating func push(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      if byte == 0x0A {
        if !isSkipping { lines.append(String(decoding: partial, as: UTF8.self)) }
        partial.removeAll(keepingCapacity: true)
        isSkipping = false
      } else if !isSkipping {
        partial.append(byte)
        if partial.count > LineReader.longestLine {
          isSkipping = true
          partial.removeAll(keepingCapacity: true)
        }
      }
    }
    return lines
  }
}
