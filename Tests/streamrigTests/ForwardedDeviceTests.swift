import Foundation
import Testing

/// A device behind a forwarder: its control link runs over the captured interface, on ports that nobody names.
@Suite struct ForwardedDeviceTests {
  /// Passes TCP on to the device, as a bridge to it would, and prints its port.
  private static let forwarder = #"""
    import socket, sys, threading
    device = (sys.argv[1], int(sys.argv[2]))
    door = socket.create_server(("127.0.0.1", 0))
    print(door.getsockname()[1], flush=True)
    def pass_on(a, b):
        try:
            while data := a.recv(65536): b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError: pass
    while True:
        near, _ = door.accept()
        far = socket.create_connection(device)
        for ends in ((near, far), (far, near)): threading.Thread(target=pass_on, args=ends, daemon=True).start()
    """#

  private static let python = "/usr/bin/python3"
  private static let key = "K3yOfTheHotspot9"

  @Test(
    .enabled(if: LiveCheckTests.mayCapture, "capturing needs cap_net_raw"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs python3"))
  func theHotspotsKeyIsInNoFileOfTheReports() throws {
    let folder = try Folder()
    let key = try folder.write(ForwardedDeviceTests.key + "\n", "key")
    let program = try folder.write(ForwardedDeviceTests.forwarder, "forward.py")
    let emulated = Process()
    emulated.executableURL = Tool.program
    emulated.arguments = ["emulate", "--json", "--until-eof", "--ssid", "Cam", "--key-file", key]
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
    let host = try #require(json["host"] as? String)
    let port = try #require(json["control"] as? Int)
    let reports = folder.url.appending(path: "reports")
    let run = try Tool.run(
      [
        "run", "--device", "forward:exec \(ForwardedDeviceTests.python) \(program) \(host) \(port)", "--device-host",
        host, "--reports", reports.path, "--case", "success?transport=tcp?",
      ], environment: ["STREAMRIG_LEASES": folder.url.appending(path: "leases").path, "STREAMRIG_RIG": ""])
    #expect(run.status == 0, "\(run.out)\(run.err)")
    let files = try #require(FileManager.default.enumerator(at: reports, includingPropertiesForKeys: nil))
      .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
    let capture = try #require(files.first { $0.lastPathComponent == "capture.pcapng" })
    let packets = try Data(contentsOf: capture)
    #expect(packets.range(of: Data("RTSP/1.0 200 OK".utf8)) != nil)
    #expect(packets.range(of: Data("\"jsonrpc\"".utf8)) == nil)
    for file in files {
      let text = try Data(contentsOf: file)
      #expect(text.range(of: Data(ForwardedDeviceTests.key.utf8)) == nil, "\(file.lastPathComponent)")
    }
    let told = try String(contentsOf: reports.appending(path: "events.jsonl"), encoding: .utf8)
    #expect(told.contains("[redacted]"))
  }
}
