import RigModel

/// Wall-clock time as text: ISO 8601, UTC, whatever the host's zone and locale are.
enum WallTime {
  /// `2026-11-30T05:24:28`, from nanoseconds since 1970.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (days, rest) = floorDivide(floorDivide(nanoseconds, 1_000_000_000).quotient, 86400)
    return "\(CalendarDate(daysSince1970: days))T" + pad(rest / 3600, 2) + ":"
      + pad(rest / 60 % 60, 2) + ":" + pad(rest % 60, 2)
  }

  /// `2026-11-30T05:24:28.125Z`
  static func milliseconds(_ nanoseconds: Int64) -> String {
    seconds(nanoseconds) + "." + pad(floorDivide(nanoseconds, 1_000_000_000).remainder / 1_000_000, 3) + "Z"
  }

  /// `2026-11-30T05:24:28.125000001Z`
  static func nanoseconds(_ nanoseconds: Int64) -> String {
    seconds(nanoseconds) + "." + pad(floorDivide(nanoseconds, 1_000_000_000).remainder, 9) + "Z"
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> (quotient: Int64, remainder: Int64) {
    let (q, r) = a.quotientAndRemainder(dividingBy: b)
    return r < 0 ? (q - 1, r + b) : (q, r)
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Numbers as reports print them: no exponent, no locale.
enum NumberText {
  /// Up to three decimals from 1 on, up to nine below.
  static func plain(_ value: Double) -> String { PlainNumber(value).description }

  /// Milliseconds as JUnit wants seconds: `1032.500`; never negative.
  static func seconds(milliseconds: Int64) -> String {
    let value = max(0, milliseconds)
    let part = String(value % 1000)
    return "\(value / 1000)." + String(repeating: "0", count: 3 - part.count) + part
  }
}

extension Duration {
  /// Whole milliseconds, rounded, never negative: clocks that step back give 0.
  var reportMilliseconds: Int64 {
    let ns = max(0, nanoseconds)
    return ns / 1_000_000 + (ns % 1_000_000 >= 500_000 ? 1 : 0)
  }
}
