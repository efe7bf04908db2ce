import RigPlan

/// An option of a subcommand, for reading and for `--help`.
struct Option {
  let name: String
  /// `nil`: a flag.
  let value: String?
  let help: String

  static func flag(_ name: String, _ help: String) -> Option { Option(name: name, value: nil, help: help) }
  static func value(_ name: String, _ value: String, _ help: String) -> Option {
    Option(name: name, value: value, help: help)
  }
}

/// Wrong usage: exit status 2.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// The words after a subcommand, read against its options.
struct Arguments {
  private(set) var operands: [String] = []
  private var given: [String: [String]] = [:]

  /// Options and operands may be mixed; `--` ends the options; `--name=value` and `--name value` are the same.
  init(_ words: ArraySlice<String>, _ options: [Option]) throws(UsageError) {
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = options.first(where: { $0.name == name }) else {
        let near = NearestName.suggestion(for: name, among: options.map(\.name)).map { ", did you mean \($0)?" } ?? ""
        throw UsageError(description: "unknown option \(PrintableText.quote(name))\(near)")
      }
      if option.value == nil {
        guard parts.count == 1 else { throw UsageError(description: "\(name) takes no value") }
        given[name, default: []].append("")
      } else if parts.count == 2 {
        given[name, default: []].append(String(parts[1]))
      } else if let value = rest.popFirst() {
        given[name, default: []].append(value)
      } else {
        throw UsageError(description: "\(name) needs a value")
      }
    }
  }

  func has(_ name: String) -> Bool { given[name] != nil }
  func all(_ name: String) -> [String] { given[name] ?? [] }
  func last(_ name: String) -> String? { given[name]?.last }

  /// A whole number in `range`.
  func number(_ name: String, _ range: ClosedRange<Int>, default standard: Int) throws(UsageError) -> Int {
    guard let text = last(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        description: "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + PrintableText.quote(text))
    }
    return number
  }

  /// A time with its unit.
  func duration(_ name: String) throws(UsageError) -> Duration? {
    guard let text = last(name) else { return nil }
    guard let duration = DurationText.read(text) else {
      throw UsageError(description: "\(name) takes a time such as \"5 min\" or 30s, not \(PrintableText.quote(text))")
    }
    return duration
  }

  /// A 64-bit seed.
  func seed(_ name: String) throws(UsageError) -> UInt64? {
    guard let text = last(name) else { return nil }
    guard let seed = UInt64(text) else {
      throw UsageError(description: "\(name) takes a whole number, not \(PrintableText.quote(text))")
    }
    return seed
  }
}
