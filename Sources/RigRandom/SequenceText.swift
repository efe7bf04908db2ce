import RigModel

/// A sequence as text that can be kept and played again: one JSON object a line, the first one about the whole.
///
/// ```
/// {"format":"streamrig-sequence/1","play-for-ms":0,"rule":"other-run"}
/// {"after-ms":10,"do":"preflight-passed"}
/// {"after-ms":0,"do":"event","name":"sessionFinish","run":"other","data":{"userStopped":true}}
/// {"after-ms":0,"do":"fact","kind":"link.joined"}
/// ```
public enum SequenceText {
  static let format = "streamrig-sequence/1"
  /// More steps than any sequence of ours has; a file is refused rather than played for ever.
  static let mostSteps = 10_000
  /// Milliseconds in a day: limits are minutes.
  static let longest: Int64 = 86_400_000

  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var what: String
    public var description: String { "line \(line): \(what)" }
  }

  public static func write(_ sequence: SessionSequence, rule: String) -> String {
    let head: JSONValue = [
      "format": .string(format), "play-for-ms": .integer(Int64(sequence.playFor)), "rule": .string(rule),
      "healthy": sequence.isHealthy ? true : nil,
    ]
    return ([head] + sequence.steps.map(json)).map { "\($0.text)\n" }.joined()
  }

  private static let words: [(Happening, String)] = [
    (.begin, "begin"), (.preflightPassed, "preflight-passed"), (.preflightFailed, "preflight-failed"),
    (.startAccepted, "start-accepted"), (.startRefused, "start-refused"), (.controlLost, "control-lost"),
    (.controlBack, "control-back"), (.rebooted, "rebooted"), (.abort, "abort"), (.tick, "tick"),
  ]

  private static func json(_ step: SessionSequence.Step) -> JSONValue {
    let after = JSONValue.integer(Int64(step.after))
    switch step.what {
    case .event(let event):
      return [
        "after-ms": after, "do": "event", "name": .string(event.name), "run": .string(event.run.rawValue),
        "data": event.data, "lag-ms": event.lag.map { .integer(Int64($0)) },
        "error-ms": event.lag.map { _ in .integer(Int64(event.error)) },
      ]
    case .fact(let kind): return ["after-ms": after, "do": "fact", "kind": .string(kind.rawValue)]
    default:
      return ["after-ms": after, "do": .string(words.first { $0.0 == step.what }?.1 ?? "")]
    }
  }

  /// - Throws: the first line that cannot be read, and what was expected there.
  public static func read(_ text: String) throws(Problem) -> (sequence: SessionSequence, rule: String) {
    var lines: [JSONValue] = []
    for (i, line) in text.split(separator: "\n").enumerated() {
      guard i <= mostSteps else { throw Problem(line: i + 1, what: "more than \(mostSteps) steps") }
      do {
        lines.append(try JSONParser.parse(String(line)))
      } catch {
        throw Problem(line: i + 1, what: "no JSON: \(error)")
      }
    }
    guard let head = lines.first, head["format"]?.string == format else {
      throw Problem(line: 1, what: "expected \"format\":\"\(format)\"")
    }
    var sequence = SessionSequence(
      playFor: try milliseconds(head["play-for-ms"], "play-for-ms", 1), steps: [],
      isHealthy: head["healthy"]?.bool ?? false)
    for (i, json) in lines.enumerated().dropFirst() {
      let after = try milliseconds(json["after-ms"], "after-ms", i + 1)
      sequence.steps.append(SessionSequence.Step(after: after, try happening(json, i + 1)))
    }
    return (sequence, head["rule"]?.string ?? "")
  }

  private static func milliseconds(_ json: JSONValue?, _ name: String, _ line: Int) throws(Problem) -> Int {
    guard let ms = json?.integer, (0...longest).contains(ms) else {
      throw Problem(line: line, what: "\(name) must be a whole number from 0 to \(longest)")
    }
    return Int(ms)
  }

  private static func happening(_ json: JSONValue, _ line: Int) throws(Problem) -> Happening {
    switch json["do"]?.string {
    case "event":
      guard let name = json["name"]?.string, !name.isEmpty else { throw Problem(line: line, what: "name is missing") }
      guard let run = RandomEvent.Run(rawValue: json["run"]?.string ?? "own") else {
        throw Problem(line: line, what: "run must be own, other or none")
      }
      let lag = json["lag-ms"] == nil ? nil : try milliseconds(json["lag-ms"], "lag-ms", line)
      let error = json["error-ms"] == nil ? 0 : try milliseconds(json["error-ms"], "error-ms", line)
      return .event(RandomEvent(name, json["data"] ?? [:], run: run, lag: lag, error: error))
    case "fact":
      guard let kind = json["kind"]?.string.flatMap({ FactKind(rawValue: $0) }) else {
        throw Problem(
          line: line, what: "kind must be one of \(FactKind.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return .fact(kind)
    case let word:
      guard let what = words.first(where: { $0.1 == word })?.0 else {
        throw Problem(
          line: line, what: "do must be event, fact, \(words.map(\.1).joined(separator: ", "))")
      }
      return what
    }
  }
}
