import Glibc
import RigLoop
import RigModel
import RigRunner

/// The leases of the devices that a run uses, for as long as it lasts.
struct RunLeases {
  static let wait = Option.value("--wait", "TIME", "how long to wait for devices that others hold, such as \"5 min\"")

  private let leases: [DeviceLease]

  static let none = RunLeases(leases: [])

  /// Takes all or none, so that two runs never wait for each other.
  /// - Parameter patience: how long to try again; `nil`: not at all.
  /// - Throws: `DeviceLease.Held`, `LeaseTarget.Twins`, `LeaseFolder.Unusable` or `SystemError`.
  static func take(_ targets: [LeaseTarget], for purpose: String, patience: Duration?) throws -> RunLeases {
    let targets = targets.filter { !$0.names.isEmpty }
    // The run would wait for itself.
    try LeaseTarget.refuseTwins(targets)
    let deadline = ContinuousClock.now + (patience ?? .zero)
    var said: String?
    while true {
      do { return RunLeases(leases: try takeAll(targets, purpose)) } catch let held as DeviceLease.Held {
        guard ContinuousClock.now < deadline else { throw held }
        // Once for each holder: nobody wants to read it four times a second.
        if held.line != said { Output.complain("waiting: \(held.line)") }
        said = held.line
      }
      usleep(250_000)
    }
  }

  /// Those of `STREAMRIG_LEASE`, each once; whatever is none is left out, as a shell may be told them.
  static var tokens: [String] {
    let words = getenv("STREAMRIG_LEASE").map { String(cString: $0) }?.split(separator: ",") ?? []
    var seen: Set<String> = []
    return words.map(String.init).filter { word in
      word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) } && seen.insert(word).inserted
    }
  }

  private static func takeAll(_ targets: [LeaseTarget], _ purpose: String) throws -> [DeviceLease] {
    let clock = LeaseClock.current
    let tokens = Set(RunLeases.tokens)
    var taken: [DeviceLease] = []
    do {
      for target in targets {
        taken.append(
          try DeviceLease.take(
            target.device, names: target.names,
            record: LeaseRecord(purpose, device: target.device, clock: clock),
            tokens: tokens, clock: clock))
      }
    } catch {
      for lease in taken { lease.release() }
      throw error
    }
    return taken
  }

  func release() { for lease in leases { lease.release() } }

  /// Lets what is started from now on hold them too: `DeviceLease.pass`.
  func pass() { for lease in leases { lease.pass() } }

  /// Leaves a hold of this record on all of them.
  /// - Throws: `SystemError` where that cannot be written.
  func hold(_ record: LeaseRecord) throws(SystemError) { for lease in leases { try lease.hold(record) } }
}
