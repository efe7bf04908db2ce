public import RigModel

/// The documentation page of one fault.
public struct FaultPage: Sendable {
  public let definition: FaultDefinition
  private let flow: FlowID

  public init(_ definition: FaultDefinition, flow: FlowID = .rtspHotspot) {
    self.definition = definition
    self.flow = flow
  }

  private var stages: [StageID] { definition.stages[flow] ?? [] }

  /// What it must lead to, in words.
  public var consequence: String {
    func words(_ blame: FailurePoint?) -> String {
      blame.map { "the session fails at \($0)" } ?? "the session succeeds"
    }
    switch definition.outcome {
    case .fails: return "the session fails at the stage where the fault acts"
    case .failsAt(let point): return words(point)
    case .borne: return "the session succeeds in spite of it"
    case .at: return stages.map { "at \($0): \(words(definition.blame(at: $0)))" }.joined(separator: "; ")
    }
  }

  public var text: String {
    var text =
      FaultPage.filled("\(definition.id): \(definition.summary)") + "\n\n\(FaultPage.filled(definition.about))\n\n"
    text += FaultPage.filled("at: \(stages.map(\.rawValue).joined(separator: ", "))") + "\n"
    if let transport = definition.transport { text += "over: \(transport.rawValue) only\n" }
    text += definition.needsWire ? "needs: packets (no part of run --simulate)\n" : ""
    if let capability = definition.capability {
      text += "needs: \(capability.rawValue) (\(capability.need))\n"
    }
    text += argumentText
    text += FaultPage.filled("proof: \(definition.proof.text)") + "\n"
    text += FaultPage.filled("leads to: \(consequence)") + "\n"
    if !definition.trips.isEmpty {
      text += FaultPage.filled("checks that may find it: \(definition.trips.joined(separator: ", "))") + "\n"
    }
    if let stage = stages.first { text += "\nexample:\n\n" + example(at: stage) }
    return text
  }

  private var argumentText: String {
    guard !definition.arguments.isEmpty else { return "arguments: none\n" }
    var text = "arguments:\n"
    for argument in definition.arguments {
      let standard = argument.standard.map { ", default \($0.text)" } ?? (argument.required ? ", required" : "")
      text += FaultPage.filled("\(argument.name): \(argument.summary)", indent: 2) + "\n"
      text += FaultPage.filled("(\(argument.unit)\(standard))", indent: 4) + "\n"
    }
    return text
  }

  /// A whole plan in which the fault acts at `stage`; it validates.
  public func example(at stage: StageID) -> String {
    let blame = definition.blame(at: stage)
    var text = "version: 1\nplan: \(definition.layer.rawValue)-\(definition.verb)-at-\(stage)\n"
    text += "title: \(definition.verb) at \(stage)\nflow: \(flow.rawValue)\n"
    if let transport = definition.transport { text += "transport: \(transport.rawValue)\n" }
    if let plays = definition.plays { text += "play-for: \(plays.text)\n" }
    if let limit = definition.limit { text += "limits: {\(stage): \(limit.text)}\n" }
    text += "faults:\n  - {at: \(stage), do: \(definition.verb)"
    for argument in definition.arguments where argument.required {
      if let value = argument.example ?? argument.standard { text += ", \(argument.name): \(value.text)" }
    }
    text += "}\n"
    if let blame { text += "expect: {failed: \(blame)}\n" }
    return text
  }

  public var json: JSONValue {
    let arguments: [JSONValue] = definition.arguments.map {
      [
        "name": .string($0.name), "kind": .string($0.kind.rawValue), "unit": .string($0.unit),
        "required": .bool($0.required), "choices": $0.choices.isEmpty ? nil : .list($0.choices),
        "default": $0.standard.map { .string($0.text) }, "summary": .string($0.summary),
      ]
    }
    return [
      "id": .string(definition.id), "verb": .string(definition.verb), "layer": .string(definition.layer.rawValue),
      "stages": .list(stages.map(\.rawValue)), "arguments": .array(arguments), "summary": .string(definition.summary),
      "about": .string(definition.about), "proof": .string(definition.proof.text),
      "leads-to": .object(
        stages.map { JSONValue.Member($0.rawValue, .string(definition.blame(at: $0)?.name ?? "success")) }),
      "trips": .list(definition.trips), "needs-wire": .bool(definition.needsWire),
      "needs": definition.capability.map { .string($0.rawValue) },
      "transport": definition.transport.map { .string($0.rawValue) },
      "example": stages.first.map { .string(example(at: $0)) },
    ]
  }

  /// Broken at blanks into lines of at most 100 columns.
  private static func filled(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      if line.count + word.count + 1 > 100, line.count > margin.count {
        lines.append(line)
        line = margin + (indent == 0 ? "  " : "")
      }
      line += line.allSatisfy { $0 == " " } ? "\(word)" : " \(word)"
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
