import RigFlow
import RigModel

enum FaultsCommand: Command {
  static let name = "faults"
  static let summary = "List the faults that plans may ask for, and tell what each does."
  static let usage = "[--explain FAULT] [--json]"
  static let options = [
    Option.value("--explain", "FAULT", "what it does and what proves it: an id (rtp.drop), or a verb of any layer"),
    Option.flag("--json", "one JSON object a fault and line"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    if let name = arguments.last("--explain") {
      let meant = FaultCatalog.named(name)
      guard !meant.isEmpty else {
        throw UsageError(description: "--explain: \(name) is no fault; `streamrig faults` lists them")
      }
      for (i, fault) in meant.enumerated() {
        let page = FaultPage(fault)
        Output.raw(arguments.has("--json") ? page.json.text + "\n" : (i == 0 ? "" : "\n---\n\n") + page.text)
      }
      return 0
    }
    guard !arguments.has("--json") else {
      for fault in FaultCatalog.all { Output.print(FaultPage(fault).json.text) }
      return 0
    }
    Output.raw(table)
    return 0
  }

  /// One line a fault, by layer.
  private static var table: String {
    var text = ""
    let width = (FaultCatalog.all.map(\.verb.count).max() ?? 0) + 2
    for layer in FaultDefinition.Layer.allCases {
      let faults = FaultCatalog.all.filter { $0.layer == layer }
      guard !faults.isEmpty else { continue }
      text += "\(text.isEmpty ? "" : "\n")\(layer.rawValue)\n"
      for fault in faults {
        let words = fault.arguments.map { $0.required ? " \($0.name): …" : " [\($0.name): …]" }.joined()
        let verb = fault.verb + String(repeating: " ", count: width - fault.verb.count)
        text += "  \(verb)\(fault.summary)\n"
        let margin = String(repeating: " ", count: width + 4)
        text += "\(margin)at \((fault.stages[.rtspHotspot] ?? []).map(\.rawValue).joined(separator: ", "))\(words)\n"
      }
    }
    return text + "\n`streamrig faults --explain FAULT` tells what it does, what proves it and what it must lead to.\n"
  }
}
