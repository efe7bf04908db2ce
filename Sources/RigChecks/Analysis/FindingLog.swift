public import RigModel

/// Gathers findings: repeats of one kind, in one stream, become one finding with first, last and count.
public struct FindingLog: Sendable {
  /// Findings kept apart per check; further ones are counted into the last.
  public static let perCheckLimit = 32

  private struct Key: Hashable {
    var check: String
    var kind: String
    var subject: Int
  }

  private var findings: [Finding] = []
  private var places: [Key: Int] = [:]
  private var perCheck: [String: (count: Int, last: Int)] = [:]
  private var settings: [String: CheckSetting]
  private var file: String?

  public init(settings: [String: CheckSetting] = [:], file: String? = nil) {
    self.settings = settings
    self.file = file
  }

  /// Notes one occurrence.
  /// - Parameters:
  ///   - kind: tells apart what one check may find; part of the aggregation key, never printed.
  ///   - subject: the stream, connection or session that it is about; occurrences of different subjects stay apart.
  ///   - count: occurrences that the caller gathered itself, the last of them at `last`.
  ///   - severity: where it differs from the check's own; never above it.
  ///   - message: made only for the first occurrence.
  public mutating func note(
    _ check: CheckInfo, _ kind: String, subject: Int = -1, at evidence: Evidence, count: Int = 1, last: Evidence? = nil,
    severity: Severity? = nil, message: @autoclosure () -> String
  ) {
    let setting = settings[check.id] ?? .on
    guard setting != .off else { return }
    let key = Key(check: check.id, kind: kind, subject: subject)
    var evidence = evidence
    if evidence.file == nil { evidence.file = file }
    var last = last
    if last?.file == nil { last?.file = file }
    if let index = places[key] {
      findings[index].count += count
      findings[index].last = last ?? evidence
      return
    }
    let before = perCheck[check.id] ?? (0, 0)
    if before.count >= Self.perCheckLimit {
      findings[before.last].count += count
      findings[before.last].last = last ?? evidence
      return
    }
    perCheck[check.id] = (before.count + 1, findings.count)
    places[key] = findings.count
    let own = min(severity ?? check.severity, check.severity)
    findings.append(
      Finding(
        check: check.id, severity: setting == .policy ? .policy : own, message: message(), first: evidence, last: last,
        count: count))
  }

  /// In the order of first occurrence.
  public var all: [Finding] { findings }
}
