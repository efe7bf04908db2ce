import CRigShims
import Foundation
import Glibc
import Testing

/// What a rig offers to bring a device back, as a run uses it.
@Suite struct RigRecoveryTests {
  private let folder: Folder
  private let environment: [String: String]

  init() throws {
    folder = try Folder()
    environment = ["STREAMRIG_LEASES": folder.url.appending(path: "leases").path, "STREAMRIG_RIG": ""]
  }

  /// A rig of one device that never answers.
  private func rig(_ extra: String = "") throws -> String {
    try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: cam, model: emu-flagship, control: 'tcp 127.66.242.1:1'\(extra)}\n",
      "r.yaml")
  }

  private func arguments(_ rig: String) -> [String] {
    [
      "run", "--rig", rig, "--no-capture", "--reports", folder.url.appending(path: "reports").path, "--case",
      "success?transport=tcp?",
    ]
  }

  /// The question to a person must not stop the run: a blocking read would make it deaf to Ctrl-C for ever.
  @Test(.timeLimit(.minutes(1))) func aQuestionIsEndedByCtrlC() throws {
    var path = [CChar](repeating: 0, count: 128)
    let master = rig_pseudo_terminal(&path, path.count)
    try #require(master >= 0)
    let name = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let terminal = try #require(FileHandle(forUpdatingAtPath: name))
    let process = Process()
    process.executableURL = Tool.program
    process.arguments = arguments(try rig())
    process.currentDirectoryURL = Tool.root
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = terminal
    process.standardError = terminal
    process.standardOutput = FileHandle.nullDevice
    // What was typed before the question is no answer to it.
    _ = "early\n".withCString { write(master, $0, 6) }
    try process.run()
    let guardian = try killer(of: process.processIdentifier)
    var said = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !said.contains("press Enter"), case let n = read(master, &buffer, buffer.count), n > 0 {
      said += String(decoding: buffer[..<n], as: UTF8.self)
    }
    #expect(said.contains("cam does not come back"), "\(said)")
    process.interrupt()
    process.waitUntilExit()
    guardian.terminate()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130, "\(said)")
    close(master)
  }

  /// Ends a process that does not end by itself, so that a test fails and does not hang.
  private func killer(of pid: Int32) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "sleep 30; kill -KILL \(pid)"]
    try process.run()
    return process
  }

  /// A power command that leaves something running has ended all the same.
  @Test(.timeLimit(.minutes(1))) func aCommandIsOverWhenItEnds() throws {
    // It keeps its standard output open, and nothing else by which the test could wait for it. (Not for sh: dash knows
    // no descriptors above 9.)
    let script = try folder.write(
      """
      (for f in /proc/self/fd/*; do n=${f##*/}; [ $n -le 2 ] || eval "exec $n>&-"; done; exec sleep 40) 2>/dev/null &
      echo $! >>\(folder.url.path)/left
      echo relay stuck
      exit 3
      """, "power")
    let run = try Tool.run(arguments(try rig(", power: {cycle: 'bash \(script)'}")), environment: environment)
    let left = String(decoding: try folder.read("left"), as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
    #expect(left.count == 1)
    for pid in left {
      // Had its end been waited for, it would be gone.
      let state = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      #expect(!state.contains(") Z "), "\(state)")
      kill(pid, SIGKILL)
    }
    #expect(run.err.contains("ended with exit status 3: relay stuck"), "\(run.err)")
  }

  // MARK: A phone's commands

  /// A run of a rig whose phone's capture command hangs, once that has begun; it writes down what it started.
  private func hangingPhone(limit: String) throws -> (run: Tool.Running, device: Tool.Running) {
    let host = "127.66.243.\(limit == "1 s" ? 1 : 2)"
    let device = try Tool.start(["emulate", "--host", host])
    let script = try folder.write(
      "sleep 303 </dev/null >/dev/null 2>&1 &\necho $! >>\(folder.url.path)/left\necho >\(pipe("ready"))\nwait\n", "cap"
    )
    let rig = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: cam, model: emu-flagship, control: 'tcp \(host):7066', "
        + "phone: {capture: 'sh \(script) {file}', limit: \(limit)}}\n", "r.yaml")
    return (try Tool.start(arguments(rig), environment: environment), device)
  }

  private func left() -> [Int32] {
    let text = (try? folder.read("left")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n").compactMap { Int32($0) }
  }

  /// A pipe with a name, on which a script tells how far it is.
  private func pipe(_ name: String) -> String {
    let path = folder.url.appending(path: name).path
    mkfifo(path, 0o600)
    return path
  }

  /// Waits until a script has opened it, and all that have it open have closed it.
  private func told(_ path: String) throws {
    _ = try #require(FileHandle(forReadingAtPath: path)).readDataToEndOfFile()
  }

  private func isAlive(_ pid: Int32) -> Bool {
    let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z "
    return !state.contains(") Z ") && !state.contains(") X ")
  }

  /// What a command that does not end has started ends with it.
  @Test(.timeLimit(.minutes(1))) func aPhonesCommandEndsWithAllThatItStarted() throws {
    let (run, device) = try hangingPhone(limit: "1 s")
    _ = try run.finish()
    withExtendedLifetime(device) {}
    #expect(!left().isEmpty)
    for pid in left() { #expect(!isAlive(pid)) }
  }

  /// Ctrl-C does not wait for the limit of a phone's command.
  @Test(.timeLimit(.minutes(1))) func ctrlCEndsAPhonesCommand() throws {
    let (run, device) = try hangingPhone(limit: "10 min")
    try told(folder.url.appending(path: "ready").path)
    run.interrupt()
    #expect(try run.finish().status == 130)
    withExtendedLifetime(device) {}
    for pid in left() { #expect(!isAlive(pid)) }
  }

  // MARK: The second Ctrl-C

  /// It ends the commands that go on with all that they started, and leaves no device off.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func theSecondCtrlCLeavesNothing(_ isPair: Bool) throws {
    let (ready, done) = (pipe("ready"), pipe("done"))
    let slow = try folder.write(
      "sleep 303 </dev/null >/dev/null 2>&1 &\necho $! >>\(folder.url.path)/left\necho >\(ready)\nwait\n", "slow")
    let on = try folder.write("echo switched on\necho on >\(done)\n", "switch-on")
    let power = isPair ? "off: 'sh \(slow)', on: 'sh \(on)'" : "cycle: 'sh \(slow)'"
    let run = try Tool.start(arguments(try rig(", power: {\(power)}")), environment: environment)
    try told(ready)
    run.interrupt()
    #expect(try run.next(until: "again to give up"))
    run.interrupt()
    if isPair { try told(done) }
    let result = try run.finish()
    #expect(result.status == 130)
    for pid in left() { #expect(!isAlive(pid)) }
    if isPair {
      #expect(result.err.contains("cam was being switched off and on: its `on` command is started"), "\(result.err)")
    } else {
      #expect(result.err.contains("cam may be off"), "\(result.err)")
    }
  }

  /// `kill -9` cannot be caught: the kernel ends the forwarder.
  @Test(.timeLimit(.minutes(1))) func aForwarderEndsWithAKilledRun() throws {
    let host = "127.66.243.3"
    let device = try Tool.start(["emulate", "--host", host])
    // It ends when the last that has it does.
    let alive = pipe("alive")
    let forwarder = try folder.write("exec 3>\(alive)\necho >&3\nexec sleep 303\n", "forward")
    let rig = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: cam, model: emu-flagship, control: 'forward sh \(forwarder)', "
        + "host: \(host)}\n", "r.yaml")
    let run = try Tool.start(arguments(rig), environment: environment)
    let pipe = try #require(FileHandle(forReadingAtPath: alive))
    #expect(!pipe.availableData.isEmpty)
    run.kill()
    #expect(pipe.readDataToEndOfFile().isEmpty)
    withExtendedLifetime(device) {}
  }
}
