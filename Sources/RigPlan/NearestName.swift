/// Suggests the word that a misspelt one was probably meant to be.
public enum NearestName {
  private static let longest = 48

  /// The candidate with the smallest edit distance, if it is near enough; the first of equals. Letter case and the
  /// choice between `-` and `_` count for nothing.
  public static func suggestion(for word: String, among candidates: [String]) -> String? {
    let wanted = folded(word)
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    let reach = max(1, min(3, wanted.count / 3))
    var best: (distance: Int, name: String)?
    for candidate in candidates {
      let other = folded(candidate)
      guard abs(other.count - wanted.count) <= reach, other.count <= longest else { continue }
      let distance = distance(wanted, other)
      if distance <= reach, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.name
  }

  private static func folded(_ word: String) -> [UInt8] {
    // A few bytes over the limit are enough to see that it is exceeded.
    word.utf8.prefix(longest + 1).map { byte in
      switch byte {
      case 0x41...0x5A: byte | 0x20
      case 0x5F: 0x2D
      default: byte
      }
    }
  }

  /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [Int](repeating: i, count: b.count + 1)
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
