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

  /// - Throws: `LeaseFolder.Unusable`, or `SystemError`.
  public func write(_ name: LeaseName) throws {
    let file = "\(try LeaseFolder.make())/\(name.quarantineFile)"
    let fd = try LeaseFolder.open(file)
    defer { close(fd) }
    let json: JSONValue = [
      "v": 1, "reason": .string(String(reason.prefix(1_000))), "run": .string(run), "since": .integer(since),
      "until": .integer(until),
    ]
    try LeaseFolder.replace(json.text + "\n", in: fd, file)
  }

  /// The note that still counts; `nil`: there is none.
  public static func read(_ name: LeaseName, clock: LeaseClock) throws(SystemError) -> QuarantineNote? {
    guard let fd = try LeaseFolder.openForReading("\(LeaseFolder.path)/\(name.quarantineFile)") else { return nil }
    defer { close(fd) }
    guard let note = QuarantineNote(LeaseFolder.contents(fd)), note.until > clock.now else { return nil }
    return note
  }

  /// The device proved well.
  public static func clear(_ name: LeaseName) throws(SystemError) {
    let file = "\(LeaseFolder.path)/\(name.quarantineFile)"
    guard let there = try LeaseFolder.openForReading(file) else { return }
    close(there)
    let fd = try LeaseFolder.open(file)
    defer { close(fd) }
    try LeaseFolder.replace("", in: fd, file)
  }
}
