/// Names of files and folders made from case ids, devices and other names that may hold anything.
public enum FileName {
  /// The longest name, in bytes.
  public static let limit = 120

  /// A name of `[A-Za-z0-9._=,+~-]` that is never empty, never begins with a dot or a dash, and holds no separator.
  /// A name that had to be changed or cut gets a hash of the original, so that two different ones stay different.
  public static func safe(_ name: String, limit: Int = limit) -> String {
    let limit = max(24, limit)
    var bytes: [UInt8] = []
    var changed = false
    for byte in name.utf8.prefix(limit + 1) {
      if isAllowed(byte), !bytes.isEmpty || (byte != 0x2E && byte != 0x2D) {
        bytes.append(byte)
      } else {
        changed = true
        if let last = bytes.last, last != 0x2D { bytes.append(0x2D) }
      }
    }
    while let last = bytes.last, last == 0x2D || last == 0x2E {
      bytes.removeLast()
      changed = true
    }
    // `~` marks the hash: a name that holds one of its own could imitate it.
    if changed || bytes.isEmpty || bytes.count > limit || bytes.contains(0x7E) || isReserved(bytes) {
      let suffix = Array("~\(StableHash.hex(name))".utf8)
      bytes = Array(bytes.prefix(limit - suffix.count)) + suffix
      if bytes.first == 0x7E { bytes.insert(0x5F, at: 0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The folder of one attempt at a case on one device: `success@emu-1`, `success-transport=udp~5f…@emu-1@2`.
  public static func caseFolder(caseID: String, device: String, attempt: Int = 1) -> String {
    safe(caseID, limit: 72) + "@" + safe(device, limit: 32) + (attempt > 1 ? "@\(attempt)" : "")
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2E, 0x5F, 0x3D, 0x2C, 0x2B, 0x7E, 0x2D: true  // . _ = , + ~ -
    default: false
    }
  }

  /// Names that Windows keeps for devices, with any extension: artifacts are often read there.
  private static func isReserved(_ bytes: [UInt8]) -> Bool {
    let stem = String(decoding: bytes.prefix { $0 != 0x2E }, as: UTF8.self).lowercased()
    if ["con", "prn", "aux", "nul"].contains(stem) { return true }
    return stem.utf8.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt"))
      && stem.utf8.last.map { $0 < 0x3A } == true
  }
}

/// FNV-1a, 64 bits: the same in every process, unlike `Hasher`.
enum StableHash {
  static func hex(_ text: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
