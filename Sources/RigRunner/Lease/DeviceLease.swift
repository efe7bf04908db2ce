import Glibc
public import RigLoop

/// The exclusive right to use a device, among all processes of the machine.
///
/// A lease is a lock (`flock`) on a file. It dies with its process, or with the last one that it was passed to, however
/// that ends, so that nothing stale ever blocks.
/// A device may have several names, such as its port and its serial number: a lease takes the lock of each.
// Unchecked: the descriptors are written once, and closed once under the rules of `release`.
public final class DeviceLease: @unchecked Sendable {
  private var locked: [(fd: Int32, file: String)] = []

  private init() {}

  /// Why a device cannot be had.
  public struct Held: Error, CustomStringConvertible {
    public var device: String
    /// `nil`: who holds it left no record that can be read.
    public var record: LeaseRecord?
    /// A process holds it; otherwise a person does, until a time.
    public var isProcess: Bool

    /// The process has ended, and what it passed the lease to has not.
    public var isLeft: Bool { isProcess && (record.map { kill($0.pid, 0) != 0 && errno == ESRCH } ?? false) }

    /// In whole sentences, with the record's text as it stands: clean it for a terminal.
    public var description: String {
      guard let record else { return "\(device) is held by a process that left no readable record" }
      let who = "\(record.user)@\(record.host)"
      let since = UTCTime.text(record.since)
      if isProcess {
        let process = isLeft ? "a command that process \(record.pid) left running" : "process \(record.pid)"
        return "\(device) is held by \(who), \(process), since \(since), for: \(record.purpose)"
      }
      let until = record.hold.map { " until \(UTCTime.text($0.until))" } ?? ""
      return "\(device) is held by \(who) since \(since)\(until), for: \(record.purpose)"
    }
  }

  /// Takes the locks of all names, or none.
  /// - Parameters:
  ///   - names: of one device, as `LeaseName` gives them.
  ///   - tokens: of holds that may be used.
  /// - Throws: `Held`; `LeaseFolder.Unusable` or `SystemError` where the folder or a file cannot be used.
  public static func take(
    _ device: String, names: [LeaseName], record: LeaseRecord, tokens: Set<String> = [], clock: LeaseClock
  ) throws -> DeviceLease {
    let folder = try LeaseFolder.make()
    let lease = DeviceLease()
    do {
      // Always in the same order; as nobody waits while holding one, there is no deadlock either way.
      for name in Set(names).sorted() { try lease.lock(device, "\(folder)/\(name.file)", tokens: tokens, clock) }
      try lease.lockRest(device, folder, tokens: tokens, clock)
      for (fd, file) in lease.locked {
        var mine = record
        // A hold goes on after the run that used it.
        if let there = LeaseRecord(LeaseFolder.contents(fd)), there.holds(clock), mine.hold == nil {
          mine.hold = there.hold
          mine.locks = there.locks
        }
        try LeaseFolder.replace(mine.text, in: fd, file)
      }
    } catch {
      lease.drop()
      throw error
    }
    return lease
  }

  private func lock(_ device: String, _ file: String, tokens: Set<String>, _ clock: LeaseClock) throws {
    let fd = try LeaseFolder.open(file)
    guard DeviceLease.tryLock(fd) else {
      let record = LeaseRecord(LeaseFolder.contents(fd))
      close(fd)
      throw Held(device: device, record: record, isProcess: true)
    }
    if let record = LeaseRecord(LeaseFolder.contents(fd)), record.holds(clock),
      !(record.hold.map { tokens.contains($0.token) } ?? false)
    {
      close(fd)
      throw Held(device: device, record: record, isProcess: false)
    }
    locked.append((fd, file))
  }

  /// A hold may have been taken by more names of the device than these: what happens to it happens under all of them.
  private func lockRest(_ device: String, _ folder: String, tokens: Set<String>, _ clock: LeaseClock) throws {
    for (fd, _) in locked {
      guard let record = LeaseRecord(LeaseFolder.contents(fd)), record.holds(clock) else { continue }
      for name in record.locks {
        let file = "\(folder)/\(name)"
        guard !locked.contains(where: { $0.file == file }), let there = try LeaseFolder.openForReading(file) else {
          continue
        }
        let other = LeaseRecord(LeaseFolder.contents(there))
        close(there)
        // Anybody may have written the list: only what says that it is of this hold is.
        if other?.hold?.token == record.hold?.token { try lock(device, file, tokens: tokens, clock) }
      }
    }
  }

  /// Whoever looks who holds a lease has a shared lock for a moment: that is not a holder.
  private static func tryLock(_ fd: Int32) -> Bool {
    for attempt in 0..<4 {
      if flock(fd, LOCK_EX | LOCK_NB) == 0 { return true }
      if attempt < 3 { usleep(5_000) }
    }
    return false
  }

  /// Gives the device back, to the hold that was used if there was one.
  public func release() {
    let clock = LeaseClock.current
    for (fd, file) in locked {
      var text = ""
      if var there = LeaseRecord(LeaseFolder.contents(fd)), there.holds(clock) {
        there.purpose = LeaseRecord.holdPurpose
        text = there.text
      }
      // Where it cannot be written the old text stays, and says as much: without the lock, a hold in it alone counts.
      do { try LeaseFolder.replace(text, in: fd, file) } catch {}
    }
    drop()
  }

  /// Gives the device back, and ends the hold that was used.
  /// - Throws: `SystemError` where that cannot be written: the hold may go on.
  public func free() throws(SystemError) {
    defer { drop() }
    for (fd, file) in locked { try LeaseFolder.replace("", in: fd, file) }
  }

  /// Gives the device back to the hold of this record.
  /// - Throws: `SystemError` where that cannot be written: then there is no hold.
  public func hold(_ record: LeaseRecord) throws(SystemError) {
    defer { drop() }
    var record = record
    record.locks = locked.compactMap { $0.file.split(separator: "/").last.map(String.init) }
    do throws(SystemError) {
      for (fd, file) in locked {
        try LeaseFolder.replace(record.text, in: fd, file)
        // What nobody could read would hold nothing.
        guard LeaseRecord(LeaseFolder.contents(fd)) == record else { throw SystemError("write", code: EFBIG, on: file) }
      }
    } catch {
      for (fd, file) in locked { try LeaseFolder.replace("", in: fd, file) }
      throw error
    }
  }

  /// Lets each program that this process starts from now on hold the device too: the lease goes on after this process
  /// until they have ended. `release` gives the device back all the same.
  public func pass() { for (fd, _) in locked { _ = fcntl(fd, F_SETFD, 0) } }

  private func drop() {
    for (fd, _) in locked {
      // Those that it was passed to have the same lock: to close it alone would not give it back.
      flock(fd, LOCK_UN)
      close(fd)
    }
    locked = []
  }

  deinit { drop() }

  // MARK: Looking

  /// Who holds the device; `nil`: nobody does.
  public static func holder(_ device: String, names: [LeaseName], clock: LeaseClock) throws(SystemError) -> Held? {
    let folder = LeaseFolder.path
    for name in Set(names).sorted() {
      guard let fd = try LeaseFolder.openForReading("\(folder)/\(name.file)") else { continue }
      defer { close(fd) }
      let record = LeaseRecord(LeaseFolder.contents(fd))
      guard flock(fd, LOCK_SH | LOCK_NB) == 0 else { return Held(device: device, record: record, isProcess: true) }
      if let record, record.holds(clock) { return Held(device: device, record: record, isProcess: false) }
    }
    return nil
  }
}

/// A name by which a device is leased: a way to reach it, or its model and serial number.
public struct LeaseName: Hashable, Comparable, Sendable {
  /// `tcp 192.168.42.1:7066`
  public let text: String
  public init(_ text: String) { self.text = text }

  public static func < (a: LeaseName, b: LeaseName) -> Bool { a.text < b.text }

  /// The name of the lock file: readable, safe, and different for different names.
  public var file: String { "\(stem).lease" }
  /// The name of the file that says why the device is quarantined.
  var quarantineFile: String { "\(stem).quarantine" }

  /// Whether a text may be the name of a lock file, and leads nowhere else.
  static func isFile(_ text: String) -> Bool {
    text.hasSuffix(".lease") && text.utf8.count < 100
      && text.utf8.dropLast(6).allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
      }
  }

  private var stem: String {
    let safe = text.utf8.prefix(60).map { byte -> Character in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: Character(Unicode.Scalar(byte))
      default: "-"
      }
    }
    // FNV-1a, 64 bits: two names that look alike are still two files.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return "\(String(safe))-\(String(hash, radix: 16))"
  }
}
