import RigModel
import RigYAML
import Testing

@testable import RigPlan

@Suite struct FragmentTests {
  private func read(_ rest: String, _ files: [String: String]) -> PlanReading {
    Sample.read(Sample.plan(rest), file: "plans/flow/p.yaml", files: files)
  }

  private func errors(_ rest: String, _ files: [String: String]) -> [String] {
    read(rest, files).diagnostics.map(\.description)
  }

  @Test func aPlansOwnKeysWin() throws {
    let base = """
      fragment: 1
      tags: [slow, common]
      needs: [usb]
      device: {model: "cam-*"}
      transport: udp
      play-for: 9 s
      strict: true
      params: {bitrate: 4 Mbit/s, quality-factor: 20, i-frame-interval: 29}
      limits: {play: 4 s, finish: 6 s}
      measure: {rtp.loss: {max: 1 %}, rtp.jitter: {p95: 20 ms}}
      checks: {rtp.seq: off, rtp.initial.random: off}

      """
    let reading = read(
      """
      extends: ../common/base.yaml
      tags: [own, common]
      play-for: 2 s
      limits: {play: 1 s}
      measure: {rtp.loss: {max: 0.1 %, marginal: 0.05 %}}
      checks: {rtp.seq: policy}
      params: default

      """, ["plans/common/base.yaml": base])
    #expect(reading.diagnostics.map(\.description) == [])
    let plan = try #require(reading.plan).plan
    #expect(plan.tags == ["own", "common", "slow"])
    #expect(plan.needs == ["usb"])
    #expect(plan.deviceModel == "cam-*")
    #expect(plan.transport == .udp)
    #expect(plan.playFor == .seconds(2))
    #expect(plan.strict)
    #expect(plan.params == nil)
    #expect(plan.limits == ["play": .seconds(1), "finish": .seconds(6)])
    #expect(plan.measure.map(\.text) == ["rtp.loss max 0.1 %", "rtp.jitter p95 20 ms"])
    #expect(plan.checks == ["rtp.seq": .policy, "rtp.initial.random": .off])
  }

  @Test func fragmentsMayExtendFragmentsInTheirOwnFolders() throws {
    let files = [
      "plans/common/a.yaml": "fragment: 1\nextends: deeper/b.yaml\nplay-for: 2 s\n",
      "plans/common/deeper/b.yaml": "fragment: 1\nextends: ../../c.yaml\nplay-for: 3 s\ntransport: udp\n",
      "plans/c.yaml": "fragment: 1\nplay-for: 4 s\nstrict: true\n",
    ]
    let plan = try #require(read("extends: ../common/a.yaml\n", files).plan).plan
    #expect(plan.playFor == .seconds(2))
    #expect(plan.transport == .udp)
    #expect(plan.strict)
  }

  @Test func whatIsWrongInAFragmentIsSaidThere() {
    #expect(
      errors(
        "extends: ../common/a.yaml\nlimits: {plya: 1 s}\n",
        ["plans/common/a.yaml": "fragment: 1\nlimits: {finish: 3}\nfaults: []\nplay-fro: 1 s\n"]) == [
          "plans/flow/p.yaml:6:10: limits.plya: is not a limit of rtsp-hotspot, expected one of configure-hotspot, "
            + "enter-live-mode, play, finish, media-gap, quiet-wire; did you mean \"play\"?",
          "plans/common/a.yaml:2:18: limits.finish: \"3\" needs a unit, expected ms, s, min or h, such as 3 s",
          "plans/common/a.yaml:3:1: faults: belongs in a plan, and cannot stand in a fragment, expected one of fragment, "
            + "extends, tags, needs, device, params, transport, play-for, limits, measure, checks, strict",
          "plans/common/a.yaml:4:1: play-fro: is an unknown key, expected one of fragment, extends, tags, needs, device, "
            + "params, transport, play-for, limits, measure, checks, strict; did you mean \"play-for\"?",
        ])
  }

  @Test func circlesAreRefusedWithTheirChain() {
    let files = [
      "plans/a.yaml": "fragment: 1\nextends: ./b.yaml\n",
      "plans/b.yaml": "fragment: 1\n\nextends: flow/../a.yaml\n",
    ]
    #expect(
      errors("extends: ../a.yaml\n", files) == [
        "plans/b.yaml:3:10: extends: goes round in a circle: plans/a.yaml → plans/b.yaml → plans/a.yaml, "
          + "expected fragments that end"
      ])
    #expect(
      errors("extends: p.yaml\n", [:]) == [
        "plans/flow/p.yaml:5:10: extends: goes round in a circle: plans/flow/p.yaml → plans/flow/p.yaml, "
          + "expected fragments that end"
      ])
  }

  @Test func aLongChainEnds() {
    var files: [String: String] = [:]
    for n in 0..<40 { files["f\(n).yaml"] = "fragment: 1\nextends: f\(n + 1).yaml\n" }
    let found = Sample.read(Sample.plan("extends: f0.yaml\n"), files: files).diagnostics.map(\.description)
    #expect(
      found == ["f15.yaml:2:10: extends: is the end of a chain of more than 16 fragments, expected fewer"])
  }

  @Test func whatIsMissingOrNoFragmentIsAPlanError() {
    #expect(
      errors("extends: ../no.yaml\n", [:]) == [
        "plans/flow/p.yaml:5:10: extends: \"plans/no.yaml\" cannot be read: No such file or directory, "
          + "expected a fragment"
      ])
    #expect(
      errors("extends: q.yaml\n", ["plans/flow/q.yaml": Sample.plan(id: "q")]) == [
        "plans/flow/p.yaml:5:10: extends: \"plans/flow/q.yaml\" is no fragment, expected a file that begins with "
          + "fragment: 1"
      ])
    #expect(
      errors("extends: q.yaml\n", ["plans/flow/q.yaml": "fragment: 2\n"]) == [
        "plans/flow/q.yaml:1:11: fragment: version \"2\" is not supported, expected 1"
      ])
    #expect(errors("extends: q.yaml\n", ["plans/flow/q.yaml": "a: [\n"]).first?.hasPrefix("plans/flow/q.yaml:") == true)
    #expect(
      errors("extends: [a, b]\n", [:]) == [
        "plans/flow/p.yaml:5:10: extends: is a list, expected one line of text, at most 1024 characters"
      ])
    #expect(errors("extends: \"\\u001b\"\n", [:]).count == 1)
    #expect(read("extends: ../no.yaml\n", [:]).plan == nil)
  }

  @Test func aFragmentAloneIsCheckedAndIsNoPlan() {
    let good = Sample.read("fragment: 1\nlimits: {starting: 3 s, play: 2 s}\n")
    #expect(good.isFragment && good.plan == nil && good.diagnostics.isEmpty)
    let bad = Sample.read("fragment: 1\nmatrix: {}\nextends: gone.yaml\nplay-for: 1\n")
    #expect(bad.isFragment)
    #expect(bad.diagnostics.map(\.position.line) == [2, 3, 4])
    let set = PlanSet([good, Sample.read(Sample.plan())])
    #expect(set.plans.count == 1 && !set.hasErrors)
  }

  @Test func anErrorOfAFragmentIsSaidOnce() {
    let fragment = "fragment: 1\nplay-for: 1\n"
    let readings = ["a", "b"].map { id in
      Sample.read(Sample.plan(id: id, "extends: f.yaml\n"), file: "\(id).yaml", files: ["f.yaml": fragment])
    }
    let set = PlanSet(readings + [Sample.read(fragment, file: "f.yaml")])
    #expect(set.diagnostics.count == 1)
    #expect(set.plans.isEmpty)
  }

  @Test func pathsHaveOneName() {
    #expect(FragmentComposer.resolve("../c.yaml", from: "a/b/p.yaml") == "a/c.yaml")
    #expect(FragmentComposer.resolve("../../../c.yaml", from: "a/b/p.yaml") == "../c.yaml")
    #expect(FragmentComposer.resolve("/x/../c.yaml", from: "a/p.yaml") == "/c.yaml")
    #expect(FragmentComposer.resolve("/../../c.yaml", from: "a/p.yaml") == "/c.yaml")
    #expect(FragmentComposer.resolve("./c.yaml", from: "p.yaml") == "c.yaml")
    #expect(FragmentComposer.resolve("c.yaml", from: "/t/p.yaml") == "/t/c.yaml")
  }
}
