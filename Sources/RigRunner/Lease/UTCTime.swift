import Glibc

/// A time of the wall clock, for people.
public enum UTCTime {
  /// `2026-11-30 10:40:33 UTC`
  public static func text(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil, (0...9999).contains(Int(parts.tm_year) + 1900) else {
      return "an unknown time"
    }
    func two(_ n: Int32) -> String { n < 10 ? "0\(n)" : "\(n)" }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
  }
}
