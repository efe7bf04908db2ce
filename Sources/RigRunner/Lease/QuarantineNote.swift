import Glibc
public import RigLoop
import RigModel

/// Why a run set a device aside, beside the device's lease, for people and `streamrig devices`. It forbids nobody
/// anything: the next run looks at the device anew.
public struct QuarantineNote: Hashable, Sendable {
  public var reason: String
  public var run: String
  /// Seconds since 1970 UTC.
  public var since: Int64
  public var until: Int64

  public init(reason: String, run: String, since: Int64, until: Int64) {
    self.reason = reason
    self.run = run
    self.since = since
    self.until = until
  }

  init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= LeaseRecord.maximumBytes,
      let json = try? JSONParser.parse(String(decoding: bytes, as: UTF8.self)), json["v"]?.integer == 1,
      let reason = json["reason"]?.string, let run = json["run"]?.string, let since = json["since"]?.integer,
      let until = json["until"]?.integer
    else { return nil }
    self.init(reason: reason, run: run, since: since, until: until)
  }

  /// Leaves it under all names of the device: by any of them it may be looked for.
  /// - Throws: `LeaseFolder.Unusable`, or `SystemError`.
  public func write(_ names: [LeaseName]) throws {
    let folder = try LeaseFolder.make()
    let json: JSONValue = [
      "v": 1, "reason": .string(String(reason.prefix(1_000))), "run": .string(run), "since": .integer(since),
      "until": .integer(until),
    ]
    for name in names {
      let file = "\(folder)/\(name.quarantineFile)"
      let fd = try LeaseFolder.open(file)
      defer { close(fd) }
      try LeaseFolder.replace(json.text + "\n", in: fd, file)
    }
  }

  /// The latest note that still counts, under any of the names; `nil`: there is none.
  public static func read(_ names: [LeaseName], clock: LeaseClock) throws(SystemError) -> QuarantineNote? {
    var latest: QuarantineNote?
    for name in names {
      guard let fd = try LeaseFolder.openForReading("\(LeaseFolder.path)/\(name.quarantineFile)") else { continue }
      defer { close(fd) }
      guard let note = QuarantineNote(LeaseFolder.contents(fd)), note.until > clock.now else { continue }
      if latest.map({ $0.since < note.since }) ?? true { latest = note }
    }
    return latest
  }

  /// The device proved well.
  public static func clear(_ names: [LeaseName]) throws(SystemError) {
    for name in names {
      let file = "\(LeaseFolder.path)/\(name.quarantineFile)"
      guard let there = try LeaseFolder.openForReading(file) else { continue }
      close(there)
      let fd = try LeaseFolder.open(file)
      defer { close(fd) }
      try LeaseFolder.replace("", in: fd, file)
    }
  }
}
