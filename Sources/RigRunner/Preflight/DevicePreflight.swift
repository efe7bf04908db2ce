public import RigDevice
public import RigLoop
import RigModel
public import RigWire

/// Whether a device of a rig can be used at all, before the first case asks anything of it.
///
/// Each step has a time limit of its own. The steps that need no session are taken: that no run is left of an earlier harness, greeting, identity, payloads around
/// the sizes of USB packets, the device's own test, clock, readiness, and that no hotspot of an earlier session is left.
public struct DevicePreflight: Sendable {
  /// What the rig file says of the device. `nil` and empty: anything goes.
  public struct Expectation: Sendable {
    public var model: String?
    public var serial: String?
    public var capabilities: [String]
    public var flows: [String]
    public init(model: String? = nil, serial: String? = nil, capabilities: [String] = [], flows: [String] = []) {
      self.model = model
      self.serial = serial
      self.capabilities = capabilities
      self.flows = flows
    }
  }

  /// What is wrong with a device.
  public struct Problem: Error, Hashable, CustomStringConvertible, Sendable {
    public var description: String
    /// A reset may help; it does not against an empty battery or the wrong device.
    public var isCurable: Bool
    public init(_ description: String, isCurable: Bool = true) {
      self.description = description
      self.isCurable = isCurable
    }
  }

  public struct Report: Sendable {
    /// `nil`: it did not get as far as that.
    public var hello: Hello?
    /// What was seen and is well, in order: `echo of 0, 511, 512, 513, 1024 bytes`.
    public var passed: [String] = []
    /// Why the device cannot be used; `nil`: it can.
    public var problem: Problem?
    public var isHealthy: Bool { problem == nil }
  }

  /// Around the sizes of USB packets, where firmware and drivers go wrong.
  private static let echoLengths = [0, 511, 512, 513, 1_024]
  /// Bytes of a reply beside the data that it echoes, at most.
  private static let aroundEcho = 200
  /// A device time that is known no better than this is of no use for limits of flows.
  static let clockLimit: Duration = .milliseconds(50)
  /// The capability of a device that tells the result of its own test as the claim `x.self-test`.
  static let selfTest = "self-test"
  private static let patience: Duration = .seconds(5)

  private let loop: Loop
  private let link: any Link
  private let expectation: Expectation
  private let driver: @Sendable () -> any DeviceDriver
  private let isStopped: @Sendable () -> Bool

  /// - Parameter isStopped: whether the run was interrupted: then a wait for the end of another run is given up.
  public init(
    _ loop: Loop, link: any Link, expectation: Expectation, driver: @escaping @Sendable () -> any DeviceDriver,
    isStopped: @escaping @Sendable () -> Bool = { false }
  ) {
    self.loop = loop
    self.link = link
    self.expectation = expectation
    self.driver = driver
    self.isStopped = isStopped
  }

  public func run() async -> Report {
    var report = Report()
    do {
      if let ended = try await LeftRun.waitOut(loop, driver, isStopped: isStopped) { report.passed.append(ended) }
    } catch let problem as Problem {
      report.problem = problem
      return report
    } catch let interrupted as RunInterrupted {
      report.problem = Problem("\(interrupted)", isCurable: false)
      return report
    } catch {
      // Whether it answers at all is looked at next, and told better.
    }
    let driver = driver()
    let heard = SelfTests()
    do {
      let hello = try await driver.open { heard.take($0) }
      report.hello = hello
      report.passed.append("hello: \(hello.model), serial \(hello.serial), firmware \(hello.firmware)")
      try identify(hello)
      report.passed.append(try await echo(driver, hello))
      if hello.capabilities.contains(DevicePreflight.selfTest) { report.passed.append(try await selfTest(heard)) }
      report.passed.append(try await clock(driver))
      try await ready(driver, hello)
      report.passed.append("ready")
      report.passed.append(try await hotspotGone(hello))
    } catch let problem as Problem {
      report.problem = problem
    } catch {
      report.problem = Problem("\(error)", isCurable: (error as? any HostError)?.isOfHost != true)
    }
    await driver.close()
    return report
  }

  // MARK: Steps

  private func identify(_ hello: Hello) throws(Problem) {
    func differ(_ what: String, _ said: String, _ wanted: String?) throws(Problem) {
      guard let wanted, wanted != said else { return }
      throw Problem(
        "the rig names \(what) \(wanted.debugDescription), the device says \(said.debugDescription)", isCurable: false)
    }
    try differ("model", hello.model, expectation.model)
    try differ("serial number", hello.serial, expectation.serial)
    let lacking = expectation.capabilities.filter { !hello.capabilities.contains($0) }
    let unknown = expectation.flows.filter { !hello.flows.contains($0) }
    guard lacking.isEmpty, unknown.isEmpty else {
      throw Problem(
        "the rig promises \((lacking + unknown).joined(separator: ", ")), which the device does not offer",
        isCurable: false)
    }
  }

  private func echo(_ driver: any DeviceDriver, _ hello: Hello) async throws -> String {
    let lengths = DevicePreflight.echoLengths(recordLimit: hello.recordLimit)
    for length in lengths {
      let reply: JSONValue
      do {
        reply = try await driver.call(
          "echo", ["len": .integer(Int64(length))], timeout: DevicePreflight.patience)
      } catch { throw Problem("echo of \(length) bytes: \(error)") }
      guard let count = reply["data"]?.string?.utf8.count else { throw Problem("echo of \(length) bytes: no data") }
      guard count == length else { throw Problem("echo of \(length) bytes: \(count) came back") }
    }
    return "echo of \(lengths.map { "\($0)" }.joined(separator: ", ")) bytes"
  }

  /// - Parameter recordLimit: as the device says it; out of bounds it counts as the framing takes it.
  private static func echoLengths(recordLimit: Int?) -> [Int] {
    let room = RecordFraming(guarded: false, limit: recordLimit ?? RecordFraming.defaultLimit).limit - aroundEcho
    let lengths = echoLengths.filter { $0 <= room }
    // The smallest records have no room for any of them, and nothing at all is no proof.
    return lengths == [0] ? [0, room] : lengths
  }

  private func selfTest(_ heard: SelfTests) async throws -> String {
    let deadline = loop.now + DevicePreflight.patience
    while heard.last == nil, loop.now < deadline { try await loop.sleep(for: .milliseconds(50)) }
    guard let result = heard.last else {
      throw Problem("it offers a self-test and told no result in \(DevicePreflight.patience.text)")
    }
    guard result["ok"]?.bool == true else {
      let reasons = result["reasons"]?.array?.compactMap(\.string) ?? []
      throw Problem("its self-test failed: \(reasons.isEmpty ? "no reasons" : reasons.joined(separator: ", "))")
    }
    return "self-test"
  }

  private func clock(_ driver: any DeviceDriver) async throws -> String {
    let deadline = loop.now + DevicePreflight.patience
    var error = await driver.clockError()
    while error.map({ $0 > DevicePreflight.clockLimit }) ?? true, loop.now < deadline {
      try await loop.sleep(for: .milliseconds(100))
      error = await driver.clockError()
    }
    guard let error else { throw Problem("its clock could not be compared with this machine's") }
    guard error <= DevicePreflight.clockLimit else {
      throw Problem("its clock is known to \(error.text) only, \(DevicePreflight.clockLimit.text) is needed")
    }
    return "clock known to \(error.text)"
  }

  private func ready(_ driver: any DeviceDriver, _ hello: Hello) async throws {
    var reasons = hello.ready ? [] : hello.notReadyReasons
    let state = try await driver.call("state", [:], timeout: DevicePreflight.patience)
    let isReady = state["ready"]?["ok"]?.bool ?? hello.ready
    if let now = state["ready"]?["reasons"]?.array?.compactMap(\.string) { reasons = now }
    guard !isReady else { return }
    let known = reasons.map { reason in Readiness.advice[reason].map { "\(reason) (\($0))" } ?? reason }
    throw Problem(
      "it is not ready: \(known.isEmpty ? "it gives no reason" : known.joined(separator: ", "))",
      // What a reset cannot change is left to a person.
      isCurable: !reasons.contains { Readiness.advice[$0] != nil })
  }

  private func hotspotGone(_ hello: Hello) async throws -> String {
    let fact = await link.probeGone(hello.probe)
    if fact.kind == .stationFailed { throw Problem("the harness's station failed: \(fact.detail)", isCurable: false) }
    guard fact.kind == .hotspotGone else {
      throw Problem("a hotspot of an earlier session is still up: \(fact.detail)")
    }
    return HotspotNotSought(rawValue: fact.detail).map { "hotspot not looked for: \($0.rawValue)" } ?? "no hotspot"
  }

  private enum Readiness {
    static let advice = ["battery": "charge it", "worn": "put it on", "thermal": "let it cool down"]
  }
}

/// The results of self-tests that a device told.
// Unchecked: touched only on the loop's thread.
private final class SelfTests: @unchecked Sendable {
  private(set) var last: JSONValue?
  func take(_ signal: DriverSignal) {
    if case .event(let event) = signal, event.name == "x.self-test" { last = event.data }
  }
}
