import Foundation
import Testing

/// Leases between real processes. Each test has a folder of leases of its own.
@Suite struct LeaseTests {
  private let folder: Folder
  private let environment: [String: String]
  private let device = "127.66.240.1:7066"

  init() throws {
    folder = try Folder()
    environment = ["STREAMRIG_LEASES": folder.url.path, "STREAMRIG_LEASE": "", "STREAMRIG_RIG": ""]
  }

  private func lease(_ arguments: String..., environment extra: [String: String] = [:]) throws -> Tool.Result {
    try Tool.run(["lease"] + arguments, environment: environment.merging(extra) { $1 })
  }

  /// A process that holds the device, once it does.
  private func holder() throws -> Process {
    let process = Process()
    process.executableURL = Tool.program
    process.arguments = ["lease", "hold", device, "--", "sh", "-c", "echo held; exec sleep 300"]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    // The command runs once the lease is taken.
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
    return process
  }

  private func end(_ process: Process) {
    process.terminate()
    process.waitUntilExit()
  }

  @Test func theOtherIsToldWhoHoldsIt() throws {
    let process = try holder()
    defer { end(process) }
    let refused = try lease("hold", device)
    #expect(refused.status == 3)
    #expect(refused.err.contains("is held by "), "\(refused.err)")
    #expect(refused.err.contains("process \(process.processIdentifier), since 20"), "\(refused.err)")
    let status = try lease("status", "--json", device)
    #expect(status.out.contains("\"pid\":\(process.processIdentifier)"))
    // A running process is never robbed.
    let robbed = try lease("release", "--force", device)
    #expect(robbed.status == 3)
    #expect(robbed.err.contains("given back when that process ends"))
    let run = try Tool.run(
      [
        "run", "--device", device, "--no-capture", "--reports", folder.url.appending(path: "r").path, "--case",
        "success*",
      ],
      environment: environment)
    #expect(run.status == 3)
    #expect(run.err.contains("--wait waits for it"), "\(run.err)")
  }

  /// Without the descriptors by which Foundation waits for the end of a process, and of all that have them.
  private let alone =
    "for f in /proc/self/fd/*; do n=${f##*/}; [ $n -le 2 ] || eval \"exec $n>&-\"; done 2>/dev/null; exec"

  /// What a script of bash says.
  private func bash(_ script: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", script, Tool.program.path, device, folder.url.path]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let out = folder.url.appending(path: "said")
    try Data().write(to: out)
    process.standardOutput = try FileHandle(forWritingTo: out)
    try process.run()
    process.waitUntilExit()
    return try String(contentsOf: out, encoding: .utf8)
  }

  /// A killed holder has not given the device back while its command, a flash for one, still works on it.
  @Test(.timeLimit(.minutes(1))) func aKilledHoldersCommandHoldsOn() throws {
    let said = try bash(
      """
      (\(alone) $0 lease hold $1 -- sh -c 'echo $$ >"$0/pid"; exec sleep 300' $2) >/dev/null 2>&1 &
      until [ -s $2/pid ]; do kill -0 $! || exit; done
      kill -KILL $!
      wait $! 2>/dev/null
      echo $! $(cat $2/pid)
      """)
    let pids = said.split(separator: " ").compactMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    try #require(pids.count == 2)
    let status = try lease("status", device).out
    #expect(status.contains("a command that process \(pids[0]) left running"), "\(status)")
    let refused = try lease("release", "--force", device)
    #expect(refused.status == 3 && refused.err.contains("given back when that command ends"), "\(refused.err)")
    // The command ends, and nothing that is left blocks anybody.
    kill(pids[1], SIGKILL)
    #expect(try lease("hold", device, "--wait", "5 min", "--", "true").status == 0)
    #expect(try lease("status", device).out == "device-127.66.240.1 is free\n")
  }

  /// What a command leaves running, a server for one, is not the command.
  @Test(.timeLimit(.minutes(1))) func whatACommandLeavesHoldsNothing() throws {
    let said = try bash(
      "(\(alone) $0 lease hold $1 -- sh -c 'sleep 300 >/dev/null 2>&1 & echo $!')")
    let pid = try #require(Int32(said.trimmingCharacters(in: .whitespacesAndNewlines)))
    defer { kill(pid, SIGKILL) }
    #expect(kill(pid, 0) == 0)
    #expect(try lease("status", device).out.contains("is free"))
  }

  /// The end of its time ends the command and what it started.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: ["sleep 300 & echo $!; sleep 300; echo late", "trap '' TERM; sleep 300 & echo $!; wait"])
  func theTimeIsOverForAllOfACommand(_ script: String) throws {
    let result = try lease("hold", device, "--for", "100 ms", "--", "sh", "-c", script)
    #expect([128 + 15, 128 + 9].contains(result.status))
    let pid = try #require(Int32(result.out.trimmingCharacters(in: .whitespacesAndNewlines)), "\(result.out)")
    #expect(kill(pid, 0) != 0 || isDead(pid))
    #expect(try lease("status", device).out.contains("is free"))
  }

  /// It has ended, and nobody has reaped it yet.
  private func isDead(_ pid: Int32) -> Bool {
    let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z "
    return state.contains(") Z ") || state.contains(") X ")
  }

  /// On a terminal Ctrl-C is the command's, and a script that waits for it hears of it too.
  @Test(.timeLimit(.minutes(1)), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func ctrlCReachesTheCommandAndTheScript() throws {
    let script = try folder.write(
      "\(Tool.program.path) lease hold \(device) -- sh -c 'read line; echo \"line $line\"; exec sleep 300'\necho script went on\n",
      "s")
    let process = Process()
    // By the hold of another device: what a test starts would have all signals blocked.
    process.executableURL = Tool.program
    let then = "bash \(script)"
    process.arguments = ["lease", "hold", "127.66.240.2:1", "--", "/usr/bin/script", "-qec", then, "/dev/null"]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    // The command reads the terminal: it is in the foreground.
    input.fileHandleForWriting.write(Data("typed\n".utf8))
    var said = ""
    func read(until text: String) {
      while !said.contains(text), case let more = output.fileHandleForReading.availableData, !more.isEmpty {
        said += String(decoding: more, as: UTF8.self)
      }
    }
    read(until: "line typed")
    input.fileHandleForWriting.write(Data([0x03]))
    process.waitUntilExit()
    said += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(try lease("status", device).out.contains("is free"))
    #expect(said.contains("line typed") && !said.contains("script went on"), "\(said)")
  }

  @Test func whoWaitsGetsItInTheEnd() throws {
    let process = try holder()
    let waiting = Process()
    waiting.executableURL = Tool.program
    waiting.arguments = ["lease", "hold", device, "--wait", "5 min", "--", "echo", "mine"]
    waiting.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (out, err) = (Pipe(), Pipe())
    waiting.standardOutput = out
    waiting.standardError = err
    try waiting.run()
    let said = String(decoding: err.fileHandleForReading.availableData, as: UTF8.self)
    #expect(said.contains("waiting: ") && said.contains("process \(process.processIdentifier)"), "\(said)")
    end(process)
    waiting.waitUntilExit()
    #expect(waiting.terminationStatus == 0)
    #expect(String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "mine\n")
  }

  /// As the message that names the limit writes it.
  @Test func aHoldOfADayIsWrittenInHours() throws {
    #expect(try lease("hold", device, "--for", "24 h").status == 0)
    #expect(try lease("release", device).status == 0)
    let late = try lease("hold", device, "--for", "24.5 h")
    #expect(late.status == 2, "\(late.err)")
  }

  @Test func aHoldWithoutAProcessLetsItsOwnerIn() throws {
    let held = try lease("hold", device, "--for", "10 min")
    #expect(held.status == 0)
    #expect(held.out.hasPrefix("export STREAMRIG_LEASE="))
    let token = String(held.out.dropFirst("export STREAMRIG_LEASE=".count).dropLast())
    let refused = try lease("hold", device, "--", "true")
    #expect(refused.status == 3)
    #expect(refused.err.contains(" until 20"), "\(refused.err)")
    for _ in 0..<2 {
      #expect(try lease("hold", device, "--", "true", environment: ["STREAMRIG_LEASE": token]).status == 0)
    }
    // It stands again after it was used.
    #expect(try lease("status", device).out.contains("is held by"))
    #expect(try lease("release", device).status == 0)
    #expect(try lease("hold", device, "--", "true").status == 0)
  }

  /// Two holds, as a shell takes them.
  @Test func theHoldOfAnotherDeviceKeepsTheFirst() throws {
    let other = "127.66.240.2:7066"
    func token(_ result: Tool.Result) -> String {
      String(result.out.dropFirst("export STREAMRIG_LEASE=".count).dropLast())
    }
    let one = token(try lease("hold", device))
    // What stands in the variable besides is nothing that a shell should read.
    let both = token(try lease("hold", other, environment: ["STREAMRIG_LEASE": "\(one),$(false),\(one)"]))
    #expect(both.hasPrefix("\(one),") && both.split(separator: ",").count == 2, "\(both)")
    for name in [device, other] {
      #expect(try lease("hold", name, "--", "true", environment: ["STREAMRIG_LEASE": both]).status == 0)
    }
  }

  /// A device is released under all of its names, whichever is said, also after a run used the hold.
  @Test func aReleaseIsWhole() throws {
    func rig(_ name: String, _ control: String) throws -> String {
      try folder.write(
        "version: 1\nrig: r\ndevices:\n  - {name: \(name), model: m, serial: S1, host: 127.0.0.1, "
          + "control: 'tcp \(control)'}\n", "\(name).yaml")
    }
    let (a, b) = (try rig("a", device), try rig("b", "127.66.240.3:1"))
    let held = try lease("hold", "a", "--rig", a)
    let token = String(held.out.dropFirst("export STREAMRIG_LEASE=".count).dropLast())
    #expect(try lease("hold", device, "--", "true", environment: ["STREAMRIG_LEASE": token]).status == 0)
    #expect(try lease("status", "b", "--rig", b).out.contains("is held by"))
    #expect(try lease("release", device).out.contains("is free"))
    #expect(try lease("status", "a", "--rig", a).out == "a is free\n")
    #expect(try lease("status", "b", "--rig", b).out == "b is free\n")
  }

  /// Anybody can write into the files: the lock alone decides, and a terminal sees none of it.
  @Test(
    arguments: [
      "", "\u{1B}[2J\u{1B}]0;owned\u{7}", "{\"v\":1}", String(repeating: "[", count: 100_000),
      "{\"v\":1,\"for\":\"\u{202E}x\\u001b[31m\\n\",\"device\":\"d\",\"pid\":1,\"uid\":0,\"user\":\"root\\u001b[2J\","
        + "\"host\":\"h\",\"since\":9223372036854775807,\"hold\":{\"token\":\"t\",\"boot\":\"b\","
        + "\"untilUptime\":9223372036854775807,\"until\":9223372036854775807}}",
    ])
  func hostileTextBlocksNobody(_ text: String) throws {
    #expect(try lease("hold", device, "--", "true").status == 0)
    let files = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
    let file = try #require(files.first { $0.pathExtension == "lease" })
    try Data(text.utf8).write(to: file)
    #expect(try lease("status", device).out == "device-127.66.240.1 is free\n")
    let process = try holder()
    try Data(text.utf8).write(to: file)
    let refused = try lease("hold", device)
    end(process)
    #expect(refused.status == 3)
    #expect(refused.err.contains("is held by"))
    #expect(!refused.err.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" }, "\(refused.err)")
  }

  /// A link in the folder leads nowhere.
  @Test func aLinkIsNotFollowed() throws {
    #expect(try lease("hold", device, "--", "true").status == 0)
    let files = try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
    let file = try #require(files.first { $0.pathExtension == "lease" })
    let victim = folder.url.appending(path: "victim")
    try Data("precious".utf8).write(to: victim)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: victim)
    #expect(try lease("hold", device, "--", "true").status == 3)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
  }

  /// An address has many spellings, and is one device.
  @Test(arguments: [("[::1]:7066", "[0:0::0001]:7066"), ("10.9.8.7:1", "[::ffff:10.9.8.7]:1")])
  func anotherSpellingIsTheSameDevice(_ one: String, _ other: String) throws {
    #expect(try lease("hold", one, "--for", "10 min").status == 0)
    let refused = try lease("hold", other)
    #expect(refused.status == 3 && refused.err.contains("is held by"), "\(refused.err)")
    #expect(try lease("release", other).status == 0)
    #expect(try lease("hold", one, "--", "true").status == 0)
  }

  /// A serial line may come, and come back as another file, while it is held.
  @Test func aLineThatComesAndGoesStaysHeld() throws {
    let link = folder.url.appending(path: "line")
    let files = try ["one", "two"].map { try folder.write("", $0) }
    #expect(try lease("hold", "serial:\(link.path)", "--for", "10 min").status == 0)
    for file in files {
      try? FileManager.default.removeItem(at: link)
      try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file)
      #expect(try lease("status", "serial:\(link.path)").out.contains("is held by"))
      #expect(try lease("hold", "serial:\(link.path)", "--", "true").status == 3)
    }
    #expect(try lease("release", "serial:\(link.path)").out.contains("is free"))
    // Held by where it leads: the link is a name of its own all the same.
    #expect(try lease("hold", "serial:\(link.path)", "--for", "10 min").status == 0)
    #expect(try lease("status", "serial:\(files[1])").out.contains("is held by"))
    #expect(try lease("status", "serial:\(files[0])").out.contains("is free"))
  }

  /// Why a device was set aside is found after it enumerated again, too.
  @Test func aQuarantineIsFoundByEitherName() throws {
    let link = folder.url.appending(path: "line")
    let files = try ["one", "two"].map { try folder.write("", $0) }
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: files[0])
    let rig = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: a, model: emu-flagship, host: 127.0.0.1, "
        + "control: 'serial \(link.path)'}\n", "r.yaml")
    _ = try Tool.run(
      [
        "run", "--rig", rig, "--no-capture", "--reports", folder.url.appending(path: "r").path, "--case",
        "success?transport=tcp?",
      ], environment: environment)
    #expect(try lease("status", "serial:\(files[0])").out.contains("quarantined"))
    try FileManager.default.removeItem(at: link)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: files[1])
    #expect(try lease("status", "serial:\(link.path)").out.contains("quarantined"))
    #expect(try !lease("status", "serial:\(files[1])").out.contains("quarantined"))
  }

  /// A hold that could not be written is no hold, and nobody is told that it is.
  @Test func aHoldThatIsNotWrittenIsNotPromised() throws {
    // The record of a process fits, and that of a hold does not.
    let size = try lease("hold", device, "--", "sh", "-c", "cat \(folder.url.path)/*.lease | wc -c").out
    let room = try #require(Int(size.trimmingCharacters(in: .whitespacesAndNewlines)))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "sh", "-c", "trap '' XFSZ; exec prlimit --fsize=\(room + 20) \"$0\" lease hold \"$1\"", Tool.program.path, device,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (out, err) = (Pipe(), Pipe())
    process.standardOutput = out
    process.standardError = err
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 3)
    #expect(out.fileHandleForReading.readDataToEndOfFile().isEmpty)
    #expect(String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).contains("is not held"))
    #expect(try lease("hold", device, "--", "true").status == 0)
  }

  @Test func aFolderThatCannotBeMadeIsRefusedByName() throws {
    let extra = ["STREAMRIG_LEASES": "/proc/no-folder"]
    let refused = try lease("hold", device, environment: extra)
    #expect(refused.status == 3)
    #expect(refused.err.contains("/proc/no-folder") && refused.err.contains("STREAMRIG_LEASES"), "\(refused.err)")
    let doctor = try Tool.run(["doctor"], environment: environment.merging(extra) { $1 })
    #expect(doctor.status == 3 && doctor.out.contains("PROBLEM  leases: leases are files in /proc/no-folder"))
    #expect(
      try Tool.run(["doctor"], environment: environment).out.contains(
        "ok       leases: leases are files in \(folder.url.path)"))
  }

  /// Nobody was asked whether it answers.
  @Test func aDeviceInUseIsNotCalledUnreachable() throws {
    let rig = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: a, model: M, control: 'tcp \(device)'}\n"
        + "  - {name: b, model: M, control: 'tcp 127.66.240.2:1'}\n  - {name: c, control: emulated emu-basic}\n",
      "r.yaml")
    let process = try holder()
    defer { end(process) }
    let lines = try Tool.run(["devices", "--json", "--rig", rig], environment: environment).out.split(separator: "\n")
    #expect(lines.count == 3)
    for (line, said) in zip(lines, ["null", "false", "null"]) {
      #expect(line.contains("\"reachable\":\(said),"), "\(line)")
    }
  }

  /// Two names of one device in one rig: the run would wait for itself, and a look would find it used by itself.
  @Test func twoDevicesOfARigThatAreOneAreRefused() throws {
    let line = folder.url.appending(path: "line").path
    let link = folder.url.appending(path: "link").path
    try Data().write(to: URL(filePath: line))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: line)
    // What two spellings show is an error of the file; where a path leads only this machine knows.
    let pairs = [
      ("serial \(line)", "serial \(link)", 3, "a and b are the same device"),
      ("tcp [::1]:5", "tcp [0::1]:5", 2, "r.yaml:5:"), ("tcp 127.0.0.1:5", "tcp [::ffff:127.0.0.1]:5", 2, "r.yaml:5:"),
      ("usb SN1", "usb serial=SN1", 2, "r.yaml:5:"), ("usb 1-2", "usb port=1-2", 2, "r.yaml:5:"),
    ]
    for (one, other, status, message) in pairs {
      let rig = try folder.write(
        "version: 1\nrig: r\ndevices:\n  - {name: a, model: emu-flagship, host: 127.0.0.1, control: '\(one)'}\n"
          + "  - {name: b, model: emu-flagship, host: 127.0.0.1, control: '\(other)'}\n", "r.yaml")
      let reports = folder.url.appending(path: "r").path
      let run = ["run", "--no-capture", "--wait", "5 min", "--reports", reports, "--case", "success*"]
      for command in [run, ["devices"], ["doctor"], ["validate"]] {
        let result = try Tool.run(command + ["--rig", rig], environment: environment)
        let said = result.out + result.err
        if status == 3, command == ["validate"] {
          #expect(result.status == 0, "\(said)")
        } else {
          #expect(result.status == Int32(status), "\(command) \(said)")
          #expect(said.contains(message) && !said.contains("in use"), "\(command) \(said)")
        }
      }
    }
  }

  @Test func theCommandEndsWithItsOwnStatusAndInTime() throws {
    #expect(try lease("hold", device, "--", "sh", "-c", "exit 7").status == 7)
    let late = try lease("hold", device, "--for", "100 ms", "--", "sleep", "60")
    #expect(late.status == 128 + 15)
    #expect(late.err.contains("is over"))
    #expect(try lease("hold", device, "--", "/no/such/program").status == 3)
    #expect(try lease("status", device).out.contains("is free"))
  }

  @Test(
    arguments: [
      ([], "expected status, hold or release"), (["hold"], "needs a DEVICE"), (["status"], "--rig FILE"),
      (["hold", "10.0.0.1:1", "--for", "5"], "takes a time"), (["hold", "camera", "--for", "1 s"], "numeric address"),
      (["release"], "one DEVICE"),
    ] as [([String], String)])
  func wrongUsageIsStatus2(_ words: [String], _ message: String) throws {
    let result = try Tool.run(["lease"] + words, environment: environment)
    #expect(result.status == 2)
    #expect(result.err.contains(message), "\(result.err)")
  }
}
