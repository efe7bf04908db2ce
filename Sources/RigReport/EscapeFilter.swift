/// Drops terminal escape sequences (ECMA-48, 7-bit and 8-bit forms) from a stream of Unicode scalars.
///
/// A control string (OSC, DCS, SOS, PM, APC) that is never closed ends at the next line break, so that a device cannot
/// hide the rest of its log behind one opened sequence.
struct EscapeFilter {
  private enum State {
    case text, escape, intermediate, control, string, stringEscape
  }
  private var state = State.text

  /// The scalar if it is text, `nil` if it belongs to an escape sequence.
  mutating func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let code = scalar.value
    switch state {
    case .text:
      return begin(scalar)
    case .escape:
      switch code {
      case 0x5B: state = .control  // [
      case 0x5D, 0x50, 0x58, 0x5E, 0x5F: state = .string  // ] P X ^ _
      case 0x20...0x2F: state = .intermediate
      case 0x30...0x7E: state = .text
      default: return restart(scalar)
      }
      return nil
    case .intermediate:
      switch code {
      case 0x20...0x2F: break
      case 0x30...0x7E: state = .text
      default: return restart(scalar)
      }
      return nil
    case .control:
      switch code {
      case 0x20...0x3F: break
      case 0x40...0x7E: state = .text
      default: return restart(scalar)
      }
      return nil
    case .string:
      switch code {
      case 0x07, 0x18, 0x1A, 0x9C: state = .text  // BEL, CAN, SUB, ST
      case 0x1B: state = .stringEscape
      case 0x0A, 0x0D: return restart(scalar)
      default: break
      }
      return nil
    case .stringEscape:
      if code == 0x5C {
        state = .text
        return nil
      }
      state = .escape
      return next(scalar)
    }
  }

  private mutating func restart(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    state = .text
    return begin(scalar)
  }

  private mutating func begin(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x1B: state = .escape
    case 0x9B: state = .control
    case 0x90, 0x98, 0x9D, 0x9E, 0x9F: state = .string
    default: return scalar
    }
    return nil
  }

  /// The text without escape sequences; the same string where there are none.
  static func strip(_ text: String) -> String {
    guard mayHoldEscapes(text) else { return text }
    var filter = EscapeFilter()
    var out = ""
    for scalar in text.unicodeScalars {
      if let kept = filter.next(scalar) { out.unicodeScalars.append(kept) }
    }
    return out
  }

  /// Whether the text holds ESC, or the lead byte that every 8-bit control has in UTF-8.
  static func mayHoldEscapes(_ text: String) -> Bool { text.utf8.contains { $0 == 0x1B || $0 == 0xC2 } }
}
