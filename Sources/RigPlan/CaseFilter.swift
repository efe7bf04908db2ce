public import RigModel

/// Which cases of a run to take: by tags, and by the ids of plans or cases.
public struct CaseFilter: Hashable, Sendable {
  /// Any of these tags is needed; empty: no tag is.
  public var including: [String]
  /// None of these tags may be there.
  public var excluding: [String]
  /// Ids of plans or cases, or patterns with `*` and `?`; empty: all.
  public var names: [String]

  public static let all = CaseFilter(including: [], excluding: [], names: [])

  public init(including: [String], excluding: [String], names: [String]) {
    self.including = including
    self.excluding = excluding
    self.names = names
  }

  /// A term that no tag can match.
  public struct InvalidTag: Error, Hashable, CustomStringConvertible {
    public let term: String
    public var description: String {
      "tag \(PrintableText.quote(term)) is not valid, expected \(NamePattern.identifier.expectation), "
        + "with ! before it to exclude"
    }
  }

  /// Reads the terms of a command line: `a` and `b` take cases with any of these tags, `!slow` drops those with that
  /// tag.
  public init(tags: [String], names: [String] = []) throws(InvalidTag) {
    self.init(including: [], excluding: [], names: names)
    for term in tags {
      let excludes = term.hasPrefix("!")
      let tag = excludes ? String(term.dropFirst()) : term
      guard NamePattern.identifier.matches(tag) else { throw InvalidTag(term: term) }
      if excludes { excluding.append(tag) } else { including.append(tag) }
    }
  }

  public func accepts(_ item: Case) -> Bool {
    let tags = item.plan.tags
    guard including.isEmpty || including.contains(where: tags.contains) else { return false }
    guard !excluding.contains(where: tags.contains) else { return false }
    return names.isEmpty || names.contains { NameGlob($0).matches(item.id) || NameGlob($0).matches(item.plan.id) }
  }
}
