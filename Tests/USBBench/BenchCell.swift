import RigFlow
import RigModel

/// A case for the device at one port: perhaps with a fault, and what must come of it.
///
/// As a word: `1-4|running|usb-timeout|for=5s,play-for=8s|success`; without a fault `1-4|none|-|-|success`.
struct BenchCell {
  let port: String
  let plan: Plan

  init(_ word: String) throws {
    let parts = word.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5 else { throw BenchError("\(word) is no cell") }
    port = parts[0]
    let stage = StageID(rawValue: parts[1])
    let blame = parts[4] == "success" ? nil : FailurePoint(name: parts[4])
    var faults: [FaultRequest] = []
    var playFor: Duration = .milliseconds(300)
    if parts[2] != "-" {
      guard let definition = FaultCatalog.definition(parts[2], at: stage, in: .rtspHotspot) else {
        throw BenchError("\(parts[2]) is no fault at \(stage)")
      }
      playFor = definition.plays ?? playFor
      var arguments: [String: FaultArgument] = [:]
      for part in parts[3].split(separator: ",") where part != "-" {
        let pair = part.split(separator: "=").map(String.init)
        guard pair.count == 2 else { throw BenchError("\(part) is no argument") }
        if pair[0] == "play-for" {
          playFor = try BenchCell.duration(pair[1])
        } else {
          let kind = definition.arguments.first { $0.name == pair[0] }?.kind
          arguments[pair[0]] =
            switch kind {
            case .duration: .duration(try BenchCell.duration(pair[1]))
            case .integer: .integer(Int64(pair[1]) ?? 0)
            default: .text(pair[1])
            }
        }
      }
      faults = [FaultRequest(at: stage, do: parts[2], arguments: arguments)]
    }
    plan = Plan(
      id: port, title: word, flow: .rtspHotspot, playFor: playFor, faults: faults, expect: Expectation(failed: blame),
      position: SourcePosition(file: "bench", line: 1, column: 1))
  }

  private static func duration(_ text: String) throws -> Duration {
    guard text.hasSuffix("s"), let seconds = Int64(text.dropLast()) else { throw BenchError("\(text) is no time") }
    return .seconds(seconds)
  }
}
