import RigModel
import RigPlan
import RigYAML
import Testing

@Suite struct PlanFuzzTests {
  private static let fragments: [[UInt8]] = [
    "&a ", "*a", "!!x ", "? ", ": ", "- ", "{", "}", "[", "]", "\"", "'", "|\n", ">\n", "#", "\n", "\r\n", "\t",
    "---\n", "...\n",
    "%TAG", "\0", "\u{1B}[31m", "\u{202E}", "é", "999999999999999999999", "-1", "0", "1e9 s", " min", "<<: ", "\\", ",",
    "faults: ", "matrix: ", "params: ", "default", "transport: [udp, tcp]", "{at: running, do: delay, time: 1 s}",
  ].map { Array($0.utf8) }

  private func mutate(_ bytes: inout [UInt8], _ numbers: inout SplitMix64) {
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      let at = Int.random(in: 0...bytes.count, using: &numbers)
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &numbers)
      case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 0...20, using: &numbers)))
      case 3:
        let length = min(bytes.count - at, Int.random(in: 0...60, using: &numbers))
        bytes.insert(contentsOf: Array(bytes[at..<at + length]), at: Int.random(in: 0...bytes.count, using: &numbers))
      case 4: bytes.removeSubrange(at...)
      default:
        bytes.insert(contentsOf: PlanFuzzTests.fragments.randomElement(using: &numbers) ?? [], at: at)
      }
    }
  }

  @Test func mutatedPlansNeverTrapAndNeverPrintControls() {
    var numbers = SplitMix64(seed: 20_270_131)
    var accepted = 0
    for round in 0..<4_000 {
      var bytes = Array(Sample.full.utf8)
      mutate(&bytes, &numbers)
      let reading = YAMLDocument.readPlan(
        bytes: bytes, file: "f.yaml", vocabulary: Sample.vocabulary, flows: [Sample.flow])
      let isRefused = reading.diagnostics.contains { $0.severity == .error }
      #expect((reading.plan == nil) == isRefused, "round \(round)")
      if let plan = reading.plan {
        accepted += 1
        #expect(plan.cases(seed: 1).count == plan.cellCount)
      }
      let lineCount = bytes.count { $0 == 0x0A } + 1
      for diagnostic in reading.diagnostics {
        let text = diagnostic.description
        #expect(!text.unicodeScalars.contains(where: PrintableText.isHidden), "round \(round): \(text)")
        #expect(text.count < 1_000, "round \(round): \(text)")
        #expect((1...lineCount).contains(diagnostic.position.line), "round \(round): \(text)")
        #expect(diagnostic.position.column >= 1)
      }
    }
    // Both sides of the validation were exercised.
    #expect((100...3_900).contains(accepted))
  }
}
