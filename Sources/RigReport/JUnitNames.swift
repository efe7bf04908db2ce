import RigModel

/// Names in a report: unique, of bounded length, on one line.
struct JUnitNames {
  static let limit = 256
  private var suites: Set<String> = []
  private var classes: Set<String> = []

  /// `success[transport=udp] on emu-1`. Where another run has a suite of that name, the run's id tells them apart.
  mutating func suite(_ unit: CaseUnit, run: String) -> String {
    let name = unit.caseID + (unit.device.map { $0.isEmpty ? "" : " on \($0)" } ?? "")
    return Self.unique(Self.label(name), qualifier: run, in: &suites)
  }

  /// `flow.plan.cell.device` (without a flow `plan.cell.device`), each part escaped so that a dot separates parts and nothing else: readers split at dots.
  mutating func className(_ unit: CaseUnit, run: String) -> String {
    var parts: [String] = []
    var cell = unit.caseID[...]
    if let planned = unit.planned {
      parts = (planned.flow.map { [$0.rawValue] } ?? []) + [planned.plan]
      if cell.hasPrefix(planned.plan) { cell = cell.dropFirst(planned.plan.count) }
      if cell.hasPrefix("["), cell.hasSuffix("]") { cell = cell.dropFirst().dropLast() }
    }
    if !cell.isEmpty || parts.isEmpty { parts.append(String(cell)) }
    if let device = unit.device { parts.append(device) }
    let name = parts.map(Self.escape).joined(separator: ".")
    return Self.unique(Self.cut(name), qualifier: Self.escape(run), in: &classes)
  }

  static func unique(_ name: String, qualifier: String = "", in taken: inout Set<String>) -> String {
    if taken.insert(name).inserted { return name }
    if !qualifier.isEmpty {
      let qualified = cut("\(name) (run \(qualifier))")
      if taken.insert(qualified).inserted { return qualified }
    }
    // Each step tries a name that was not tried before, and there are finitely many taken ones.
    var number = 2
    while true {
      let numbered = cut(name, reserve: 12) + " #\(number)"
      if taken.insert(numbered).inserted { return numbered }
      number += 1
    }
  }

  /// A name on one line, never empty, at most `limit` characters.
  static func label(_ name: String) -> String {
    let line = oneLine(name)
    return cut(line.isEmpty ? "(no name)" : line)
  }

  /// Text on one line: every run of white space is one space.
  static func oneLine(_ text: String) -> String {
    // Most names are printable ASCII with single spaces inside, and need no work.
    var previous: UInt8 = 0x20
    let isPlain = text.utf8.allSatisfy { byte in
      defer { previous = byte }
      return byte < 0x7F && (byte > 0x20 || byte == 0x20 && previous != 0x20)
    }
    if isPlain && previous != 0x20 { return text }
    return XMLText.clean(text).split(whereSeparator: { $0.isWhitespace }).joined(separator: " ")
  }

  /// Cuts a long name and closes it with a hash of the whole, so that two long names stay apart.
  private static func cut(_ name: String, reserve: Int = 0) -> String {
    guard name.utf8.count > limit - reserve else { return name }
    let hash = "~" + StableHash.hex(name)
    var out = ""
    for scalar in name.unicodeScalars {
      if out.utf8.count + UTF8.width(scalar) > limit - reserve - hash.utf8.count { break }
      out.unicodeScalars.append(scalar)
    }
    return out + hash
  }

  /// Percent-encodes what is not in `[A-Za-z0-9_=,+~:-]`, dots and percent signs included.
  private static func escape(_ part: String) -> String {
    if part.isEmpty { return "(none)" }
    var out = ""
    for byte in part.utf8.prefix(4 * limit) {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3D, 0x2C, 0x2B, 0x7E, 0x3A, 0x2D:
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        out += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return out
  }
}
