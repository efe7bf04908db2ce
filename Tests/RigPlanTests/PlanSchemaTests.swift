import RigModel
import RigYAML
import Testing

@testable import RigPlan

/// As much of JSON Schema as `PlanSchema` uses, over document trees.
private struct SchemaCheck {
  let root: JSONValue

  func accepts(_ node: DocumentNode, _ schema: JSONValue) -> Bool {
    if let reference = schema["$ref"]?.string {
      guard reference.hasPrefix("#/$defs/"), let target = root["$defs"]?[String(reference.dropFirst(8))] else {
        return false
      }
      return accepts(node, target)
    }
    if let options = schema["anyOf"]?.array, !options.contains(where: { accepts(node, $0) }) { return false }
    switch node.value {
    case .refused: return false
    case .scalar(let text, _): return acceptsScalar(text, schema)
    case .sequence(let nodes):
      if let type = schema["type"]?.string, type != "array" { return false }
      guard let items = schema["items"] else { return schema["anyOf"] != nil }
      return nodes.allSatisfy { accepts($0, items) }
    case .mapping(let entries):
      if let type = schema["type"]?.string, type != "object" { return false }
      guard let properties = schema["properties"], schema["additionalProperties"] == false else {
        return schema["anyOf"] != nil
      }
      let required = (schema["required"]?.array ?? []).compactMap(\.string)
      return required.allSatisfy { node[$0] != nil }
        && entries.allSatisfy { entry in properties[entry.key].map { accepts(entry.value, $0) } ?? false }
    }
  }

  private func acceptsScalar(_ text: String, _ schema: JSONValue) -> Bool {
    if let constant = schema["const"] {
      return constant.string == text || constant.integer.map { "\($0)" } == text
    }
    if let words = schema["enum"]?.array { return words.contains(.string(text)) }
    switch schema["type"]?.string {
    case "string":
      guard let pattern = schema["pattern"]?.string else { return true }
      guard let regex = try? Regex(pattern) else { return false }
      return text.wholeMatch(of: regex) != nil
    case "boolean": return text == "true" || text == "false"
    case "integer": return Int64(text) != nil
    case nil: return schema["anyOf"] != nil
    default: return false
    }
  }
}

@Suite struct PlanSchemaTests {
  private let schema = PlanSchema.json(Sample.vocabulary)

  private func tree(_ text: String) throws -> DocumentNode {
    try #require(YAMLDocument.parse(bytes: Array(text.utf8), file: "p.yaml").0)
  }

  @Test func everyFieldOfTheTableStandsInTheSchema() throws {
    #expect(schema["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    try compare(PlanFields.plan, schema)
  }

  private func compare(_ table: FieldTable, _ schema: JSONValue) throws {
    let properties = try #require(schema["properties"]?.members)
    #expect(properties.map(\.key) == table.fields.map(\.name))
    #expect(schema["additionalProperties"] == false)
    #expect((schema["required"]?.array ?? []).compactMap(\.string) == table.fields.filter(\.required).map(\.name))
    for (field, property) in zip(table.fields, properties) {
      #expect(property.value["description"]?.string == field.summary)
      if case .object(let inner) = field.kind { try compare(inner, property.value) }
    }
  }

  @Test func fragmentsHaveASchemaOfTheirOwn() throws {
    let schema = PlanSchema.json(Sample.vocabulary, fragment: true)
    try compare(PlanFields.fragment, schema)
    #expect(SchemaCheck(root: schema).accepts(try tree("fragment: 1\nlimits: {play: 3 s}\n"), schema))
    #expect(!SchemaCheck(root: schema).accepts(try tree("fragment: 1\nfaults: []\n"), schema))
  }

  @Test(arguments: [
    Sample.full, Sample.plan(), Sample.plan("params: default\n"),
    Sample.plan(flow: "hls-room", "limits: {starting: 3 s}\nfaults: [{at: playable, do: no-url}]\n"),
    Sample.plan("faults: [{at: configure-hotspot, do: delay, by: 0 s}]\nstrict: false\n"),
    Sample.plan("expect: {failed: rig}\nmatrix: {params: [default]}\n"),
    Sample.plan(
      "faults: [{at: enter-live-mode + 1.5 s, do: hang, for: 2 s}]\nactions:\n  - {at: active + 5 s, do: stop}\n"
        + "  - {at: running, do: rate, limit: 1 Mbit/s}\n"
        + "  - {at: configure-hotspot, do: inject, fault: delay, by: 3 s}\n"),
    Sample.plan("repeat: {times: 3, until: fail}\nquarantine: {bug: B, owner: o, until: 2027-01-31}\n"),
    Sample.plan(
      "measure:\n  time-to-active: {max: 8 s, marginal: 6.5 s}\n  rtp.jitter: {p95: 15ms}\n"
        + "  video.decode-errors: {max: 0}\n  av.offset: {min: -125 ms, max: 45 ms}\n"),
  ])
  func whatTheValidationAcceptsTheSchemaAccepts(_ text: String) throws {
    #expect(Sample.read(text).plan != nil)
    #expect(SchemaCheck(root: schema).accepts(try tree(text), schema))
  }

  @Test(arguments: [
    "tilte: x\n", "repeat: {time: 2}\n", "measure: {rtp.los: {max: 1 %}}\n", "measure: {rtp.loss: {max: 1 s}}\n",
    "quarantine: {bug: B}\n", "actions: [{at: running, do: halt}]\n", "actions: [{at: running + 5, do: stop}]\n",
    "play-for: 3\n", "play-for: 0 s\n", "transport: tpc\n", "needs: [wifi]\n",
    "params: {bitrate: 0}\n", "params: {bitrate: 4, quality-factor: 1, i-frame-interval: 1}\n",
    "limits: {starving: 1 s}\n", "faults: [{at: finish, do: hang}]\n", "faults: [{at: running, do: delay, by: 1 s}]\n",
    "faults: [{at: running, do: rate, limit: 0}]\n", "checks: {rtp.seq: maybe}\n", "strict: yes\n", "tags: [A]\n",
    "matrix: {flow: [a]}\n", "device: {model: \"a,b\"}\n",
  ])
  func whatTheSchemaRefusesTheValidationRefuses(_ rest: String) throws {
    let text = Sample.plan(rest)
    #expect(Sample.read(text).plan == nil)
    #expect(!SchemaCheck(root: schema).accepts(try tree(text), schema))
  }

  @Test func unitPatternsAgreeWithTheReader() throws {
    let pattern = try #require(schema["properties"]?["play-for"]?["pattern"]?.string)
    let regex = try Regex(pattern)
    for text in [
      "3 s", "3s", "0 s", "0.5 min", "3", "3  s", "1.1234567 s", "0.0 ms", "1000000000 s", "3 h", "3 d", "3 sx",
    ] {
      let read = try? QuantityReader.duration(text, positive: true).get()
      #expect((text.wholeMatch(of: regex) != nil) == (read != nil), "\(text)")
    }
  }
}

@Suite struct RigSchemaTests {
  private let schema = RigSchema.json(Sample.vocabulary)

  @Test func whatTheSchemaOffersIsWhatIsRead() throws {
    #expect(schema["properties"]?.members?.map(\.key) == RigFields.rig.fields.map(\.name))
    let device = try #require(schema["properties"]?["devices"]?["items"])
    #expect(device["properties"]?.members?.map(\.key) == RigFields.device.fields.map(\.name))
    let good = "{version: 1, rig: r, devices: [{name: a, model: M, control: 'tcp 10.0.0.1:7066', link: wifi w0}]}"
    let check = SchemaCheck(root: schema)
    #expect(check.accepts(try #require(YAMLDocument.parse(bytes: Array(good.utf8), file: "r").0), schema))
    for (part, other) in [("tcp 10", "tpc 10"), ("wifi w0", "wlan0"), ("name: a", "nam: a"), ("rig: r", "rig: R")] {
      let bad = Array(good.replacing(part, with: other).utf8)
      #expect(!check.accepts(try #require(YAMLDocument.parse(bytes: bad, file: "r").0), schema), "\(other)")
    }
  }
}
