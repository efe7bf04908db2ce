import RigModel

/// Wall-clock time as text: ISO 8601, UTC, whatever the host's zone and locale are.
enum WallTime {
  /// `2026-11-30T05:24:28`, from nanoseconds since 1970.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (days, rest) = floorDivide(floorDivide(nanoseconds, 1_000_000_000).quotient, 86400)
    let (year, month, day) = civil(days)
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(rest / 3600, 2) + ":"
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

  /// Year, month and day of a day number since 1970 in the proleptic Gregorian calendar: the year begins in March,
  /// so that the leap day is its last, and 400 years have 146,097 days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// Numbers as reports print them: no exponent, no locale.
enum NumberText {
  /// Up to three decimals from 1 on, up to nine below; `not a number` and `infinite` are said, not printed as 0.
  static func plain(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "not a number" : "infinite" }
    if value == 0 || abs(value) >= 1 { return Decimal3(value).description }
    let scaled = String(Int64((abs(value) * 1e9).rounded()))
    var text = String(repeating: "0", count: max(0, 10 - scaled.count)) + scaled
    text.insert(".", at: text.index(text.endIndex, offsetBy: -9))
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (value < 0 && text != "0" ? "-" : "") + text
  }

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
