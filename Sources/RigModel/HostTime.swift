/// A moment on the harness's monotonic clock, in nanoseconds since an arbitrary origin.
///
/// In real time the origin is the kernel's `CLOCK_MONOTONIC`; in virtual time it is the start of the run.
/// Wall-clock time is kept apart (`RunHeader.startedAt`) and only ever printed.
public struct HostTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = HostTime(nanoseconds: 0)

  public static func < (a: HostTime, b: HostTime) -> Bool { a.nanoseconds < b.nanoseconds }
  public static func + (a: HostTime, d: Duration) -> HostTime {
    HostTime(nanoseconds: a.nanoseconds.addingReportingOverflow(d.nanoseconds).partialValue)
  }
  public static func - (a: HostTime, d: Duration) -> HostTime {
    HostTime(nanoseconds: a.nanoseconds.subtractingReportingOverflow(d.nanoseconds).partialValue)
  }
  public static func - (a: HostTime, b: HostTime) -> Duration {
    .nanoseconds(a.nanoseconds.subtractingReportingOverflow(b.nanoseconds).partialValue)
  }

  public var description: String { "\(Decimal3(Double(nanoseconds) / 1e9)) s" }
}

extension Duration {
  /// The whole duration in nanoseconds, clamped to what fits 64 bits (about 292 years).
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return carry ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in seconds, for arithmetic and printing.
  public var inSeconds: Double { Double(nanoseconds) / 1e9 }

  /// `2.5 s`, `250 ms`, `40 µs`: a unit in which the number reads well.
  public var text: String {
    let ns = nanoseconds
    let size = ns.magnitude
    if size >= 1_000_000_000 || ns == 0 { return "\(Decimal3(Double(ns) / 1e9)) s" }
    if size >= 1_000_000 { return "\(Decimal3(Double(ns) / 1e6)) ms" }
    return "\(Decimal3(Double(ns) / 1e3)) µs"
  }
}

/// A number printed with at most three decimals, without an exponent and without regard to the locale.
public struct Decimal3: CustomStringConvertible, Sendable {
  public let value: Double
  public init(_ value: Double) { self.value = value }

  /// Exactly three decimals, as JUnit times want them; not-a-number and infinities become 0.
  public var fixed: String {
    guard value.isFinite else { return "0.000" }
    let clamped = min(max(value, -9e15), 9e15)
    let thousandths = Int64((clamped * 1000).rounded())
    let whole = (thousandths / 1000).magnitude
    let part = String((thousandths % 1000).magnitude)
    return (thousandths < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 3 - part.count) + part
  }

  public var description: String {
    var text = fixed
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}

/// A number as reports print it, without an exponent and without regard to the locale: up to three decimals from 1 on,
/// up to nine below. Not-a-number and infinities are said, not printed as 0.
public struct PlainNumber: CustomStringConvertible, Sendable {
  public let value: Double
  public init(_ value: Double) { self.value = value }

  public var description: String {
    guard value.isFinite else { return value.isNaN ? "not a number" : "infinite" }
    if value == 0 || abs(value) >= 1 { return Decimal3(value).description }
    let scaled = String(Int64((abs(value) * 1e9).rounded()))
    var text = String(repeating: "0", count: max(0, 10 - scaled.count)) + scaled
    text.insert(".", at: text.index(text.endIndex, offsetBy: -9))
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (value < 0 && text != "0" ? "-" : "") + text
  }
}
