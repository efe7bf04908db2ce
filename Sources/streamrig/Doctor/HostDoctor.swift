import CRigShims
import Glibc
import RigLoop
import RigModel
import RigRunner

/// What the machine itself offers.
enum HostDoctor {
  static func examine(reports: String) -> [Diagnosis] {
    [kernel, user, clock, timers, descriptors, space(reports), leases, mediaHelper]
  }

  private static var kernel: Diagnosis {
    let release = SystemFile.read("/proc/sys/kernel/osrelease") ?? "unknown"
    let version = release.split(separator: ".").prefix(2).compactMap { Int($0.prefix(while: \.isNumber)) }
    guard version.count == 2 else {
      return .warning("kernel", "release \(release)", fix: "its version cannot be told; 5.10 or newer is expected")
    }
    // pidfd_open and a user namespace's own packet sockets are relied upon.
    return (version[0], version[1]) >= (5, 10)
      ? .ok("kernel", "Linux \(release)") : .problem("kernel", "Linux \(release)", fix: "use Linux 5.10 or newer")
  }

  private static let capabilities = [(12, "cap_net_admin"), (13, "cap_net_raw"), (21, "cap_sys_admin")]

  private static var user: Diagnosis {
    let status = SystemFile.read("/proc/self/status") ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let mask = line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16) } ?? 0
    let held = capabilities.filter { mask & (1 << UInt64($0.0)) != 0 }.map(\.1)
    return .ok(
      "user", "uid \(getuid()), capabilities: \(held.isEmpty ? "none of the network's" : held.joined(separator: ", "))")
  }

  private static var clock: Diagnosis {
    let source = SystemFile.read("/sys/devices/system/clocksource/clocksource0/current_clocksource") ?? "unknown"
    let error = rig_wall_clock_error()
    guard error >= 0 else {
      return .warning(
        "clock", "source \(source), and the wall clock is not synchronized",
        fix:
          "start an NTP client (systemd-timesyncd, chrony): dates in reports and captures of other machines rest on it")
    }
    return .ok("clock", "source \(source), synchronized, error at most \(error) µs")
  }

  /// Limits are judged in milliseconds: a machine whose timers come late makes them inconclusive.
  private static var timers: Diagnosis {
    var worst: Duration = .zero
    for _ in 0..<20 {
      let before = EpollLoop.monotonicNow
      var wait = timespec(tv_sec: 0, tv_nsec: 2_000_000)
      nanosleep(&wait, nil)
      worst = max(worst, EpollLoop.monotonicNow - before - .milliseconds(2))
    }
    let finding = "of 20 timers of 2 ms the latest came \(worst.text) late"
    return worst < .milliseconds(20)
      ? .ok("timers", finding)
      : .warning("timers", finding, fix: "the machine is busy or its virtual CPU is starved: use fewer --jobs")
  }

  private static var descriptors: Diagnosis {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let finding = "\(limit.rlim_cur) open files at most"
    return limit.rlim_cur >= 1024
      ? .ok("open files", finding)
      : .warning("open files", finding, fix: "ulimit -n 4096; each running case holds about 40")
  }

  private static func space(_ reports: String) -> Diagnosis {
    // The folder need not exist yet: its nearest parent tells.
    var path = reports
    while access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = String(path[..<slash])
    }
    if access(path, F_OK) != 0 { path = "." }
    var room = statvfs()
    guard statvfs(path, &room) == 0 else {
      return .problem("reports", "\(path): \(SystemError("statvfs", on: path).reason)", fix: "name another --reports")
    }
    let free = UInt64(room.f_bavail) * UInt64(room.f_frsize)
    let finding = "\(path) has \(free >> 20) MiB free"
    guard access(path, W_OK) == 0 else {
      return .problem("reports", "\(path) cannot be written", fix: "name another folder with --reports")
    }
    guard free > 64 << 20 else {
      return .problem("reports", finding, fix: "make room, or name another folder with --reports")
    }
    return free > 1 << 30
      ? .ok("reports", finding)
      : .warning(
        "reports", finding, fix: "a case leaves up to some 10 MiB of evidence: make room, or name another --reports")
  }

  private static var leases: Diagnosis {
    let finding = "leases are files in \(LeaseFolder.path)"
    do { _ = try LeaseFolder.make() } catch {
      return .problem("leases", finding, fix: "\(error)")
    }
    return .ok("leases", finding)
  }

  private static var mediaHelper: Diagnosis {
    let path = HelperProgram.media
    guard HelperProgram.isExecutable(path) else {
      return .problem("media helper", "\(path) is missing", fix: "swift build --product streamrig-media")
    }
    return .ok("media helper", path)
  }
}
