/// Text from a device's string descriptors, made safe to show and to compare: one line, no control bytes, no
/// text-direction overrides.
enum USBText {
  /// A string descriptor holds at most 126 UTF-16 units.
  static let limit = 126

  static func clean(_ bytes: some Collection<UInt8>) -> String {
    var out = ""
    for scalar in String(decoding: bytes.prefix(4 * limit), as: UTF8.self).unicodeScalars.prefix(limit) {
      switch scalar.value {
      case 0x0A, 0x0D: continue
      case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: out.unicodeScalars.append("\u{FFFD}")
      case 0x061C, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F: continue
      default: out.unicodeScalars.append(scalar)
      }
    }
    var trimmed = out[...]
    while trimmed.first == " " { trimmed.removeFirst() }
    while trimmed.last == " " { trimmed.removeLast() }
    return String(trimmed)
  }
}
