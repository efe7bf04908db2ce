/// A day of the proleptic Gregorian calendar, without a zone.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  /// `2027-01-31`; `nil` where it is no such date, or no date at all.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month), day > 0,
      day <= CalendarDate.length(of: month, in: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day on which a moment falls in UTC.
  public init(nanosecondsSince1970 nanoseconds: Int64) {
    let day: Int64 = 86_400_000_000_000
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: day)
    self.init(daysSince1970: remainder < 0 ? quotient - 1 : quotient)
  }

  /// The year begins in March, so that the leap day is its last, and 400 years have 146,097 days.
  public init(daysSince1970 days: Int64) {
    // Far outside of what a nanosecond count of 64 bits holds, and far inside of what the arithmetic takes.
    let shiftedDays = min(max(days, -1_000_000_000), 1_000_000_000) + 719_468
    var (era, dayOfEra) = shiftedDays.quotientAndRemainder(dividingBy: 146_097)
    if dayOfEra < 0 { (era, dayOfEra) = (era - 1, dayOfEra + 146_097) }
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    self.month = Int(month)
    year = Int(era * 400 + yearOfEra + (month <= 2 ? 1 : 0))
    day = Int(dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (a: CalendarDate, b: CalendarDate) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }

  public var description: String { "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))" }

  private func pad(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
