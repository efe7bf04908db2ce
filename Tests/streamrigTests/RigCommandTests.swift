import Foundation
import Testing

@Suite struct RigCommandTests {
  private let folder: Folder
  private let environment: [String: String]

  init() throws {
    folder = try Folder()
    environment = ["STREAMRIG_LEASES": folder.url.appending(path: "leases").path, "STREAMRIG_RIG": ""]
  }

  private func tool(_ arguments: [String], rig: String? = nil) throws -> Tool.Result {
    try Tool.run(arguments, environment: environment.merging(rig.map { ["STREAMRIG_RIG": $0] } ?? [:]) { $1 })
  }

  @Test(arguments: ["Rigs/bench.yaml", "Rigs/emulated.yaml"])
  func theExamplesAreValid(_ file: String) throws {
    let result = try tool(["validate", "--rig", file])
    #expect(result.status == 0, "\(result.err)")
    #expect(result.out.hasSuffix("devices: all valid\n"))
  }

  @Test func theSchemaIsJSON() throws {
    let text = try tool(["schema", "--rig"]).out
    let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect((schema["properties"] as? [String: Any])?["devices"] != nil)
  }

  @Test func errorsOfARigSayWhereAllAtOnce() throws {
    let file = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: a, model: M, control: tpc 1}\n  - {name: b, contrl: usb 1-2}\n",
      "r.yaml")
    for command in [["validate", "--rig", file], ["run", "--rig", file], ["devices", "--rig", file]] {
      let result = try tool(command)
      #expect(result.status == 2)
      #expect(result.err.contains("\(file):4:34: devices[0].control: "), "\(result.err)")
      #expect(result.err.contains("did you mean \"tcp\"?"))
      #expect(result.err.contains("\(file):5:15: devices[1].contrl: "))
    }
  }

  @Test func whatTheRigSaysIsNotSaidAgain() throws {
    for option in [["--device", "10.0.0.1:1"], ["--link", "loopback"], ["--jobs", "2"], ["--interface", "lo"]] {
      let result = try tool(["run", "--rig", "Rigs/emulated.yaml"] + option)
      #expect(result.status == 2)
      #expect(result.err.contains("goes without \(option[0])"), "\(result.err)")
    }
  }

  /// Nobody who wrote no `--rig` would look for one.
  @Test func aRigOfTheEnvironmentIsNamedAsThat() throws {
    for option in [["--jobs", "2"], ["--link", "loopback"]] {
      let result = try tool(["run"] + option, rig: "Rigs/emulated.yaml")
      #expect(result.status == 2)
      #expect(result.err.contains("STREAMRIG_RIG") && result.err.contains("without \(option[0])"), "\(result.err)")
      #expect(!result.err.contains("--rig"), "\(result.err)")
    }
    let missing = try tool(["devices"], rig: "/no/such/rig.yaml")
    #expect(missing.status == 2 && missing.err.contains("STREAMRIG_RIG"), "\(missing.err)")
    // A device that is named is meant more than a rig that is always there.
    let named = try tool(["run", "--device", "10.0.0.1:1", "--link", "namespace"], rig: "/no/such/rig.yaml")
    #expect(!named.err.contains("/no/such/rig.yaml"), "\(named.err)")
  }

  /// A rig file and what lies beside it may be used from everywhere.
  @Test func pathsCountFromTheRigFile() throws {
    let script = try folder.write("#!/bin/sh\nexit 0\n", "agent.sh")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    _ = try folder.write(
      "version: 1\nrig: r\ndevices:\n  - {name: a, model: M, control: command ./agent.sh, host: 127.0.0.1}\n", "r.yaml")
    let around = folder.url.deletingLastPathComponent()
    let file = "\(folder.url.lastPathComponent)/r.yaml"
    let result = try Tool.run(["doctor", "--rig", file], in: around, environment: environment)
    #expect(
      result.out.contains("ok       a control: \(folder.url.lastPathComponent)/./agent.sh"), "\(result.out)")
  }

  @Test func theScheduleNamesTheDevices() throws {
    let plan = try folder.write(
      "version: 1\nplan: p\ntitle: t\nflow: rtsp-hotspot\nmatrix: {device.model: [CAM-2, \"GLASS-*\", OTHER]}\n",
      "p.yaml")
    let result = try tool(["plan", plan], rig: "Rigs/bench.yaml")
    #expect(result.status == 0)
    let lines = result.out.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasSuffix("on cam-serial, cam-usb"))
    #expect(lines[1].hasSuffix("on glasses"))
    #expect(lines[2].contains("SKIP: no device of the rig matches model \"OTHER\": it has CAM-2, GLASS-1"))
  }

  @Test func theDoctorLooksAtTheRig() throws {
    let file = try folder.write(
      """
      version: 1
      rig: r
      devices:
        - {name: ser, model: M, control: serial /dev/no-such-line, host: 127.0.0.1, link: interface no-such-if}
        - {name: prog, model: M, control: command no-such-program, host: 127.0.0.1, actuator: no-such-tool x}
        - {name: good, model: M, control: command true, host: 127.0.0.1}
      """, "r.yaml")
    let result = try tool(["doctor", "--rig", file])
    #expect(result.status == 3)
    for line in [
      "PROBLEM  ser control: /dev/no-such-line: No such file", "PROBLEM  ser link: there is no interface no-such-if",
      "PROBLEM  prog control: no-such-program cannot be run", "warning  prog actuator: no-such-tool cannot be run",
      "ok       good control: /",
    ] {
      #expect(result.out.contains(line), "\(line)\n\(result.out)")
    }
  }

  /// What the doctor calls well must not fail the run.
  @Test func theDoctorTakesNothingForWhatItIsNot() throws {
    let tools = folder.url.appending(path: "bin")
    try FileManager.default.createDirectory(
      at: tools.appending(path: "mytool"), withIntermediateDirectories: true)
    for (name, key) in [("empty", ""), ("short", "1234567"), ("good", "12345678")] {
      _ = try folder.write("\(key)\n", "\(name).key")
    }
    let file = try folder.write(
      """
      version: 1
      rig: r
      devices:
        - {name: null, model: M, control: serial /dev/null, host: 127.0.0.1}
        - {name: folder, model: M, control: command /tmp, host: 127.0.0.1, actuator: mytool x}
        - {name: e, model: M, control: 'tcp 127.0.0.1:1', link: wifi none1, key-file: empty.key}
        - {name: s, model: M, control: 'tcp 127.0.0.1:2', link: networkmanager none2, key-file: short.key}
        - {name: g, model: M, control: 'tcp 127.0.0.1:3', link: wifi none3, key-file: good.key}
      """.replacing("name: null", with: "name: nul"), "r.yaml")
    let path = "\(tools.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")"
    let result = try Tool.run(
      ["doctor", "--json", "--rig", file], environment: environment.merging(["PATH": path]) { $1 })
    #expect(result.status == 3)
    func line(_ name: String) -> Substring {
      result.out.split(separator: "\n").first { $0.contains("\"name\":\"\(name)\"") } ?? ""
    }
    for (name, said) in [
      ("nul control", "/dev/null is no serial line"), ("folder control", "/tmp cannot be run"),
      ("e link", "none1"), ("s link", "none2"), ("e key-file", "is empty"),
      ("s key-file", "expected 8 to 63"),
    ] {
      #expect(line(name).contains(said) && line(name).contains("\"state\":\"problem\""), "\(name): \(result.out)")
    }
    #expect(line("folder actuator").contains("mytool cannot be run"), "\(result.out)")
    #expect(line("g key-file").contains("\"state\":\"ok\""), "\(result.out)")
    #expect(!result.out.contains("1234567"))
    #expect(!line("link networkmanager").isEmpty, "\(result.out)")
  }

  /// One device is not the one that the rig names: it is set aside, and its case goes to the other.
  @Test func aDeviceThatIsNotWhatTheRigSaysIsQuarantined() throws {
    let emulated = Process()
    emulated.executableURL = Tool.program
    emulated.arguments = ["emulate", "--json", "--until-eof", "--serial", "SN7"]
    let (input, output) = (Pipe(), Pipe())
    emulated.standardInput = input
    emulated.standardOutput = output
    try emulated.run()
    defer {
      input.fileHandleForWriting.closeFile()
      emulated.waitUntilExit()
    }
    let json = try #require(
      try JSONSerialization.jsonObject(with: output.fileHandleForReading.availableData) as? [String: Any])
    let control = "tcp \(try #require(json["host"] as? String)):\(try #require(json["control"] as? Int))"
    let file = try folder.write(
      """
      version: 1
      rig: r
      devices:
        - {name: wrong, model: emu-flagship, serial: SN8, control: '\(control)'}
        - {name: undriven, model: emu-flagship, host: 127.0.0.1, control: 'tcp 127.66.241.9:1', link: wifi no-radio}
        - {name: right, control: emulated emu-flagship}
      """, "r.yaml")
    let reports = folder.url.appending(path: "reports").path
    let run = try tool([
      "run", "--rig", file, "--no-capture", "--reports", reports, "--case", "success*", "--case",
      "hotspot-refused*", "--junit-profile", "rich",
    ])
    #expect(run.status == 0, "\(run.out)\(run.err)")
    #expect(run.err.contains("undriven cannot be used: "), "\(run.err)")
    #expect(run.out.contains("on right") && !run.out.contains("on wrong"), "\(run.out)")
    let junit = String(decoding: try folder.read("reports/junit.xml"), as: UTF8.self)
    #expect(junit.contains(#"<property name="rig" value="r"/>"#), "\(junit.prefix(2_000))")
    let devices = try tool(["devices", "--json", "--rig", file])
    #expect(devices.status == 3)
    #expect(devices.out.contains("the rig names serial number"), "\(devices.out)")
    #expect(devices.out.contains("\"quarantine\":{"), "\(devices.out)")
    #expect(devices.out.contains("\"health\":\"emulated\""))
    // Nobody holds anything any more.
    #expect(try tool(["lease", "status", "wrong", "--rig", file]).out.hasPrefix("wrong is free\n"))
  }
}
