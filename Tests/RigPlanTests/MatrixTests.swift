import RigModel
import RigPlan
import RigYAML
import Testing

@Suite struct MatrixTests {
  @Test func idsAndOrderAreStable() throws {
    let text = Sample.plan(
      """
      params: {bitrate: 1 Mbit/s, quality-factor: 1, i-frame-interval: 1}
      transport: tcp
      matrix:
        params:
          - {name: low, bitrate: 0, quality-factor: 40, i-frame-interval: 9}
          - default
        play-for: [2.0s, 1 min]
        transport: [udp, tcp]

      """)
    let cases = try #require(Sample.read(text).plan).cases(seed: 7)
    #expect(
      cases.map(\.id) == [
        "p[transport=udp,play-for=2 s,params=low]", "p[transport=udp,play-for=2 s,params=default]",
        "p[transport=udp,play-for=1 min,params=low]", "p[transport=udp,play-for=1 min,params=default]",
        "p[transport=tcp,play-for=2 s,params=low]", "p[transport=tcp,play-for=2 s,params=default]",
        "p[transport=tcp,play-for=1 min,params=low]", "p[transport=tcp,play-for=1 min,params=default]",
      ])
    #expect(cases[2].plan.transport == .udp)
    #expect(cases[2].plan.playFor == .seconds(60))
    #expect(
      cases[2].plan.params
        == StreamParameters(bitrate: BitRate(bitsPerSecond: 0), qualityFactor: 40, iFrameInterval: 9))
    #expect(cases[3].plan.params == nil)
    #expect(
      cases[2].cell == [
        .init(key: "transport", value: "udp"), .init(key: "play-for", value: "1 min"),
        .init(key: "params", value: "low"),
      ])
  }

  @Test func modelsAreAnAxis() throws {
    let text = Sample.plan("matrix: {device.model: [\"cam-*\", box 2]}\n")
    let cases = try #require(Sample.read(text).plan).cases(seed: 7)
    #expect(cases.map(\.id) == ["p[device.model=cam-*]", "p[device.model=box 2]"])
    #expect(cases.map(\.plan.deviceModel) == ["cam-*", "box 2"])
  }

  @Test func repeatsAndEmptyListsAreRefused() {
    #expect(
      Sample.errors("matrix: {transport: [udp, udp], play-for: [1 s, 1000 ms], device.model: []}\n") == [
        "p.yaml:5:27: matrix.transport[1]: repeats item [0] (udp), expected each value once",
        "p.yaml:5:49: matrix.play-for[1]: repeats item [0] (1000 ms), expected each value once",
        "p.yaml:5:73: matrix.device.model: is empty, expected at least 1 item",
      ])
    #expect(Sample.errors("matrix: {}\n").count == 1)
    #expect(
      Sample.errors("matrix: {flow: [a]}\n") == [
        "p.yaml:5:10: matrix.flow: is an unknown key, expected one of transport, play-for, params, device.model"
      ])
  }

  @Test func parameterSetsNeedNamesOfTheirOwn() {
    let set = "bitrate: 0, quality-factor: 1, i-frame-interval: 2"
    #expect(
      Sample.errors(
        "matrix:\n  params:\n    - {\(set)}\n    - {name: a, \(set)}\n    - {name: a, \(set)}\n"
          + "    - {name: default, \(set)}\n") == [
          "p.yaml:7:7: matrix.params[0].name: is missing, expected only a-z, 0-9 and -, at most 64 characters",
          "p.yaml:9:14: matrix.params: the name \"a\" stands twice, expected a name for each set",
          "p.yaml:10:14: matrix.params: the name \"default\" is taken by the device's defaults, expected another",
        ])
  }

  @Test func thousandCellsAreTheLimit() throws {
    func matrix(_ times: Int) -> String {
      let list = (1...times).map { "\($0) s" }.joined(separator: ", ")
      return "matrix: {transport: [udp, tcp], play-for: [\(list)]}\n"
    }
    let parsed = try #require(Sample.read(Sample.plan(matrix(500))).plan)
    #expect(parsed.cellCount == 1_000)
    #expect(Set(parsed.cases(seed: 1).map(\.id)).count == 1_000)
    #expect(Set(parsed.cases(seed: 1).map(\.seed)).count == 1_000)
    #expect(
      Sample.errors(matrix(501)) == ["p.yaml:5:9: matrix: has 1002 cells, expected at most 1000"])
    #expect(
      Sample.errors("matrix: {play-for: [" + (1...1001).map { "\($0) s" }.joined(separator: ", ") + "]}\n") == [
        "p.yaml:5:20: matrix.play-for: has 1001 items, expected at most 1000"
      ])
  }

  @Test func seedsDependOnRunSeedAndIDAlone() {
    // These numbers are part of what "the same seed repeats the same case" promises.
    #expect(CaseSeed.derive(run: 1, caseID: "p") == 0x769E5C2DED900722)
    #expect(CaseSeed.derive(run: 0, caseID: "") == 0x5B21F68FFA77F14C)
    #expect(CaseSeed.derive(run: 1, caseID: "p") != CaseSeed.derive(run: 2, caseID: "p"))
    #expect(CaseSeed.derive(run: 1, caseID: "p") != CaseSeed.derive(run: 1, caseID: "q"))
  }
}
