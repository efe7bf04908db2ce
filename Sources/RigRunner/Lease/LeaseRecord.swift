import Glibc
import RigModel

/// What the holder of a lease writes into its file, for people. It decides nothing while the holder lives: the lock does.
public struct LeaseRecord: Hashable, Sendable {
  public static let maximumBytes = 4_096
  /// The purpose of a lease that a person took by hand.
  public static let holdPurpose = "hold"

  /// `run 1764500000-4242`, `hold`: what the device is used for.
  public var purpose: String
  /// As the holder calls it.
  public var device: String
  public var pid: Int32
  public var uid: UInt32
  public var user: String
  public var host: String
  /// Seconds since 1970 UTC.
  public var since: Int64
  /// Of a hold without a process.
  public var hold: Hold?
  /// The files of all locks that the hold has: it is of one device, which may have several names.
  public internal(set) var locks: [String] = []

  /// A lease that outlives the process which took it, until a time.
  public struct Hold: Hashable, Sendable {
    /// Lets the holder's own runs in.
    public var token: String
    /// The boot in which it holds: none outlives a restart of the machine.
    public var boot: String
    /// Seconds since that boot, sleep included: nobody can set this clock.
    public var untilUptime: Int64
    /// For people: seconds since 1970 UTC.
    public var until: Int64
    public init(token: String, boot: String, untilUptime: Int64, until: Int64) {
      self.token = token
      self.boot = boot
      self.untilUptime = untilUptime
      self.until = until
    }
  }

  public init(
    purpose: String, device: String, pid: Int32, uid: UInt32, user: String, host: String, since: Int64,
    hold: Hold? = nil
  ) {
    self.purpose = purpose
    self.device = device
    self.pid = pid
    self.uid = uid
    self.user = user
    self.host = host
    self.since = since
    self.hold = hold
  }

  /// `nil`: the text is no record. Anybody may have written it.
  public init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= LeaseRecord.maximumBytes,
      let json = try? JSONParser.parse(String(decoding: bytes, as: UTF8.self)), json["v"]?.integer == 1,
      let purpose = json["for"]?.string, let device = json["device"]?.string,
      let pid = json["pid"]?.integer.flatMap({ Int32(exactly: $0) }),
      let uid = json["uid"]?.integer.flatMap({ UInt32(exactly: $0) }), let user = json["user"]?.string,
      let host = json["host"]?.string, let since = json["since"]?.integer
    else { return nil }
    self.init(purpose: purpose, device: device, pid: pid, uid: uid, user: user, host: host, since: since)
    if let hold = json["hold"] {
      guard let token = hold["token"]?.string, !token.isEmpty, let boot = hold["boot"]?.string,
        let uptime = hold["untilUptime"]?.integer, let until = hold["until"]?.integer
      else { return nil }
      self.hold = Hold(token: token, boot: boot, untilUptime: uptime, until: until)
      locks = (json["locks"]?.array ?? []).compactMap(\.string).filter(LeaseName.isFile)
    }
  }

  public var text: String {
    let json: JSONValue = [
      "v": 1, "for": .string(purpose), "device": .string(device), "pid": .integer(Int64(pid)),
      "uid": .integer(Int64(uid)), "user": .string(user),
      "host": .string(host), "since": .integer(since),
      "hold": hold.map { hold in
        [
          "token": .string(hold.token), "boot": .string(hold.boot), "untilUptime": .integer(hold.untilUptime),
          "until": .integer(hold.until),
        ]
      }, "locks": locks.isEmpty ? nil : .array(locks.map { .string($0) }),
    ]
    return json.text + "\n"
  }

  /// Whether the hold, if it is one, still counts.
  public func holds(_ clock: LeaseClock) -> Bool {
    guard let hold, hold.boot == clock.boot else { return false }
    // A hold that was written for longer than any may last is not believed.
    let rest = hold.untilUptime.subtractingReportingOverflow(clock.uptime)
    return !rest.overflow && rest.partialValue > 0 && rest.partialValue <= LeaseClock.longestHold
  }
}

/// The times that leases rest on, read once.
public struct LeaseClock: Hashable, Sendable {
  /// Seconds that a hold may last at most: a day.
  public static let longestHold: Int64 = 86_400

  /// Seconds since 1970 UTC.
  public var now: Int64
  /// Seconds since the machine started, sleep included.
  public var uptime: Int64
  public var boot: String

  public init(now: Int64, uptime: Int64, boot: String) {
    self.now = now
    self.uptime = uptime
    self.boot = boot
  }

  public static var current: LeaseClock {
    var wall = timespec()
    var up = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    clock_gettime(CLOCK_BOOTTIME, &up)
    var boot = ""
    let fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    if fd >= 0 {
      boot = String(decoding: LeaseFolder.contents(fd).filter { $0 > 0x20 }, as: UTF8.self)
      close(fd)
    }
    return LeaseClock(now: Int64(wall.tv_sec), uptime: Int64(up.tv_sec), boot: boot)
  }
}
