import RigFlow
import RigModel

enum FaultsCommand: Command {
  static let name = "faults"
  static let summary = "List the faults that plans may ask for."
  static let usage = "[--json]"
  static let options = [Option.flag("--json", "one JSON object a fault and line")]

  static func run(_ arguments: Arguments) throws -> Int32 {
    for fault in FaultCatalog.all {
      let stages = fault.stages[.rtspHotspot]?.map(\.rawValue) ?? []
      if arguments.has("--json") {
        let words: [JSONValue] = fault.arguments.map {
          ["name": .string($0.name), "kind": .string($0.kind.rawValue), "required": .bool($0.required)]
        }
        let json: JSONValue = [
          "verb": .string(fault.verb), "layer": .string(fault.layer.rawValue), "stages": .list(stages),
          "arguments": .array(words), "summary": .string(fault.summary), "trips": .list(fault.trips),
          "needs-wire": .bool(fault.needsWire),
        ]
        Output.print(json.text)
      } else {
        let words = fault.arguments.map { $0.required ? " \($0.name): …" : " [\($0.name): …]" }.joined()
        Output.print(
          "\(fault.layer.rawValue)  \(fault.verb)\(words)  at \(stages.joined(separator: ", "))\n    \(fault.summary)")
      }
    }
    return 0
  }
}
