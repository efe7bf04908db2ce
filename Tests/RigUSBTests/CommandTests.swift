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

  /// The whole script, sessions and reset among it: the same lines as over every other channel.
  @Test func conformSpeaksWithADeviceOnUSB() throws {
    let result = try streamrig(["conform", "usb:SN1-1"])
    #expect(result.status == 0, "\(result.out)")
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../conformance")
    let lines = ConformanceLines(
      steps: try String(contentsOf: folder.appending(path: "steps"), encoding: .utf8),
      differences: try String(contentsOf: folder.appending(path: "differences"), encoding: .utf8))
    #expect(result.out.split(separator: "\n").dropLast().map(String.init) == lines.expected(over: "usb"))
  }

  @Test func aDeviceThatIsNotThereIsNamed() throws {
    let result = try streamrig(["conform", "--no-sessions", "usb:SN-9"])
    #expect(result.status != 0)
    #expect(result.out.contains(#"no USB device matches "SN-9": there are Bench Cam at 1-1, serial "SN1-1""#))
  }
}
