/// A pattern in which `*` stands for any text and `?` for one character; every other character stands for itself.
public struct NameGlob: Hashable, Sendable {
  public let pattern: String
  public init(_ pattern: String) { self.pattern = pattern }

  /// Takes time in proportion to the product of the two lengths, whatever the pattern.
  public func matches(_ name: String) -> Bool {
    let pattern = Array(pattern.unicodeScalars)
    let name = Array(name.unicodeScalars)
    var p = 0
    var n = 0
    // Where to go on when the text after the last `*` did not fit: that star takes one character more.
    var retry: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == "*" {
        retry = (p + 1, n)
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == name[n] {
        p += 1
        n += 1
      } else if let (star, taken) = retry {
        retry = (star, taken + 1)
        p = star
        n = taken + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
