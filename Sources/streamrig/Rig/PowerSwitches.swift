import CRigShims
import Glibc
import RigLoop
import RigModel
import RigPlan
import Synchronization

/// The devices whose power is being switched, so that a process that is told to end at once leaves none of them dark.
enum PowerSwitches {
  private struct Switch {
    let device: Rig.Device
    /// `nil`: one command switches off and on.
    let on: CommandTemplate?
  }

  private static let open = Mutex<[String: Switch]>([:])

  /// - Parameters:
  ///   - on: the command that switches on again; `nil`: the work does both.
  ///   - work: switches it off, and on again.
  static func during(_ device: Rig.Device, on: CommandTemplate?, _ work: () async throws -> Void) async throws {
    open.withLock { $0[device.name] = Switch(device: device, on: on) }
    // Where the work fails the ladder has tried to switch on, and says what came of it.
    defer { open.withLock { $0[device.name] = nil } }
    try await work()
  }

  /// Starts what switches devices on again, and does not wait for it. To be called once their commands are ended.
  /// - Returns: what a person should know.
  static func leave() -> [String] {
    let left = open.withLock { $0.values.sorted { $0.device.name < $1.device.name } }
    return left.map { left in
      let name = left.device.name
      guard let on = left.on else {
        return "\(name) may be off: the command that switches it off and on was ended before it was done"
      }
      do {
        try start(left.device, on)
        return "\(name) was being switched off and on: its `on` command is started again, and goes on by itself"
      } catch { return "\(name) is off: \(error)" }
    }
  }

  private static func start(_ device: Rig.Device, _ template: CommandTemplate) throws {
    let (path, arguments) = try device.program(template)
    // Nobody reads what it prints: a pipe would end it.
    let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var pid: pid_t = 0
    let code = rig_spawn(&pid, path, &argv, rig_environ(), null, null, null)
    guard code == 0 else { throw SystemError("posix_spawn", code: code, on: path) }
  }
}
