import Foundation
import RigTestSupport
import Testing

/// The built `streamrig`, which knows nothing of the emulated bus.
@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct CommandTests {
  private func streamrig(_ arguments: [String]) throws -> (status: Int32, out: String) {
    try Script.run(["serve", "--", Script.built("streamrig").path] + arguments)
  }

  @Test func devicesListsWhatIsPluggedIn() throws {
    let listed = try streamrig(["devices"])
    #expect(listed.status == 0)
    #expect(listed.out == "usb:1-1  1d6b:0104  Bench Bench Cam  SN1-1  480 Mbit/s  usable\n")
    let json = try streamrig(["devices", "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any]
    #expect(object?["target"] as? String == "usb:1-1")
    #expect(object?["usable"] as? Bool == true)
  }

  /// A device that is away is leased by what selects it; when it is there, each of its names leads to that.
  @Test func aLeaseOfADeviceThatIsAwayHoldsWhenItComes() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "usb-lease-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let streamrig = Script.built("streamrig").path
    for name in ["1-1", "serial=SN1-1"] {
      let away = Process()
      away.executableURL = URL(filePath: streamrig)
      away.arguments = ["lease", "hold", "usb:\(name)", "--for", "10 min"]
      away.environment = ProcessInfo.processInfo.environment.merging(["STREAMRIG_LEASES": folder.path]) { $1 }
      away.standardOutput = FileHandle.nullDevice
      try away.run()
      away.waitUntilExit()
      #expect(away.terminationStatus == 0)
      for other in ["SN1-1", "1-1", "Bench Cam"] {
        let status = try Script.run([
          "serve", "--", "/usr/bin/env", "STREAMRIG_LEASES=\(folder.path)", streamrig, "lease", "status",
          "usb:\(other)",
        ])
        #expect(status.out.contains("is held by"), "\(name), \(other): \(status.out)")
      }
      try FileManager.default.removeItem(at: folder)
    }
  }

  /// The doctor finds a device as a run would: by serial, port or product name.
  @Test func theDoctorFindsTheDeviceOfARig() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "usb-doctor-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "rig.yaml")
    let controls = ["SN1-1", "1-1", "Bench Cam", "SN-9"]
    let devices = controls.enumerated().map {
      "  - {name: cam-\($0.offset), model: M, control: \"usb \($0.element)\", host: 10.0.0.\($0.offset + 1)}\n"
    }
    try Data(("version: 1\nrig: r\ndevices:\n" + devices.joined()).utf8).write(to: file)
    let out = try streamrig(["doctor", "--rig", file.path]).out
    for i in 0..<3 {
      #expect(
        out.split(separator: "\n").contains { $0.contains("cam-\(i) control") && $0.contains("SN1-1 at 1-1") }, "\(out)"
      )
    }
    #expect(out.contains(#"no USB device matches "SN-9": there are Bench Cam at 1-1, serial "SN1-1""#), "\(out)")
  }

  /// The whole script, sessions and reset among it: the same lines as over every other channel.
  @Test func conformSpeaksWithADeviceOnUSB() throws {
    let result = try streamrig(["conform", "usb:SN1-1"])
    #expect(result.status == 0, "\(result.out)")
    #expect(try result.out.split(separator: "\n").dropLast().map(String.init) == ConformanceLines.expected(over: "usb"))
  }

  @Test func aDeviceThatIsNotThereIsNamed() throws {
    let result = try streamrig(["conform", "--no-sessions", "usb:SN-9"])
    #expect(result.status == 3)
    #expect(result.out.contains(#"no USB device matches "SN-9": there are Bench Cam at 1-1, serial "SN1-1""#))
  }
}
