import RigModel

/// A decimal number with an optional unit: at most nine digits, six decimals, one space.
struct Quantity {
  /// The number times 1,000,000.
  let millionths: Int64
  /// The number without needless zeros.
  let number: String
  /// Empty: a bare number.
  let unit: String

  /// ECMA 262, for the number alone.
  static let numberRegex = #"[0-9]{1,9}(\.[0-9]{1,6})?"#

  init?(_ text: String) {
    var rest = text.utf8[...]
    let whole = Quantity.digits(&rest)
    guard (1...9).contains(whole.count) else { return nil }
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = Quantity.digits(&rest)
      guard (1...6).contains(fraction.count) else { return nil }
    }
    if rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    let isUnit = rest.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || "/%".utf8.contains($0) }
    guard isUnit, rest.count <= 12 else { return nil }
    unit = String(decoding: rest, as: UTF8.self)

    let padded = fraction + [UInt8](repeating: 0x30, count: 6 - fraction.count)
    millionths = Quantity.value(whole) * 1_000_000 + Quantity.value(padded)
    while fraction.last == 0x30 { fraction.removeLast() }
    let plain = String(Quantity.value(whole))
    number = fraction.isEmpty ? plain : plain + "." + String(decoding: fraction, as: UTF8.self)
  }

  private static func digits(_ rest: inout Substring.UTF8View) -> [UInt8] {
    let digits = Array(rest.prefix { (0x30...0x39).contains($0) })
    rest.removeFirst(digits.count)
    return digits
  }

  /// At most nine digits, so that nothing overflows.
  private static func value(_ digits: [UInt8]) -> Int64 { digits.reduce(0) { $0 * 10 + Int64($1 & 0x0F) } }
}

/// Reads scalars that need a unit. Each returns the value and its uniform spelling, or what is wrong and expected.
enum QuantityReader {
  typealias Outcome = Result<(value: FieldValue, text: String), ScalarProblem>

  static let durationUnits = ["ms", "s", "min", "h"]
  static let longestDuration = Duration.seconds(24 * 3600)
  static let bitRateUnits = ["bit/s", "kbit/s", "Mbit/s"]
  static let highestBitRate = BitRate(bitsPerSecond: 100_000_000_000)

  static func duration(_ text: String, positive: Bool) -> Outcome {
    let example = "3 s"
    guard let quantity = Quantity(text) else {
      return .failure(.notA("a duration", text, "a number with a unit, \(list(durationUnits)), such as \(example)"))
    }
    let nanosecondsPerUnit: Int64
    switch quantity.unit {
    case "ms": nanosecondsPerUnit = 1_000_000
    case "s": nanosecondsPerUnit = 1_000_000_000
    case "min": nanosecondsPerUnit = 60_000_000_000
    case "h": nanosecondsPerUnit = 3_600_000_000_000
    default: return .failure(unit(quantity, text, durationUnits, example))
    }
    // Every unit is a whole number of microseconds' thousandths, so the division leaves no rest.
    let (nanoseconds, overflow) = quantity.millionths.multipliedReportingOverflow(by: nanosecondsPerUnit / 1_000_000)
    guard !overflow, .nanoseconds(nanoseconds) <= longestDuration else {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) is too long, expected at most 24 h"))
    }
    if positive, nanoseconds == 0 {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) is no time at all, expected more than 0 s"))
    }
    return .success((.duration(.nanoseconds(nanoseconds)), "\(quantity.number) \(quantity.unit)"))
  }

  static func bitRate(_ text: String, zeroIsDefault: Bool) -> Outcome {
    let example = "4 Mbit/s"
    guard let quantity = Quantity(text) else {
      return .failure(
        .notA(
          "a bit rate", text,
          "a number with a unit, \(list(bitRateUnits)), such as \(example)" + (zeroIsDefault ? ", or 0" : "")))
    }
    if zeroIsDefault, quantity.millionths == 0, quantity.unit.isEmpty {
      return .success((.bitRate(BitRate(bitsPerSecond: 0)), "0"))
    }
    let bitsPerUnit: Int64
    switch quantity.unit {
    case "bit/s": bitsPerUnit = 1
    case "kbit/s": bitsPerUnit = 1_000
    case "Mbit/s": bitsPerUnit = 1_000_000
    default: return .failure(unit(quantity, text, bitRateUnits, example))
    }
    let (whole, rest) = quantity.millionths.quotientAndRemainder(dividingBy: 1_000_000 / bitsPerUnit)
    guard rest == 0 else {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) splits a bit, expected a whole number of bit/s"))
    }
    let rate = BitRate(bitsPerSecond: whole)
    guard rate <= highestBitRate else {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) is too high, expected at most 100000 Mbit/s"))
    }
    return .success((.bitRate(rate), "\(quantity.number) \(quantity.unit)"))
  }

  static func percent(_ text: String) -> Outcome {
    let example = "5 %"
    guard let quantity = Quantity(text) else {
      return .failure(.notA("a percentage", text, "a number with the unit %, such as \(example)"))
    }
    guard quantity.unit == "%" else { return .failure(unit(quantity, text, ["%"], example)) }
    guard quantity.millionths <= 100_000_000 else {
      return .failure(ScalarProblem("\(PrintableText.quote(text)) is more than the whole, expected 0 % to 100 %"))
    }
    return .success((.percent(Percent(fraction: Double(quantity.millionths) / 1e8)), "\(quantity.number) %"))
  }

  static func unit(_ quantity: Quantity, _ text: String, _ units: [String], _ example: String) -> ScalarProblem {
    if quantity.unit.isEmpty {
      return ScalarProblem("\(PrintableText.quote(text)) needs a unit, expected \(list(units)), such as \(example)")
    }
    let nearest = NearestName.suggestion(for: quantity.unit, among: units).map { "; did you mean \"\($0)\"?" } ?? ""
    return ScalarProblem("unknown unit \"\(quantity.unit)\", expected \(list(units)), such as \(example)\(nearest)")
  }

  static func list(_ units: [String]) -> String {
    guard let last = units.last, units.count > 1 else { return units.joined() }
    return units.dropLast().joined(separator: ", ") + " or " + last
  }
}

/// Why a scalar does not fit its field.
struct ScalarProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }

  static func notA(_ noun: String, _ text: String, _ expected: String) -> ScalarProblem {
    ScalarProblem("\(PrintableText.quote(text)) is not \(noun), expected \(expected)")
  }
}
