import Foundation
import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

@Suite struct ForwardTests {
  /// A script in a folder that goes away with it.
  private final class Script {
    let folder: URL
    init(_ text: String) throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "forward-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.write(to: folder.appending(path: "forward"), atomically: true, encoding: .utf8)
    }
    var command: String { "cd '\(folder.path)' && exec sh ./forward" }
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private nonisolated(nonsending) func server(_ loop: EpollLoop) async throws -> ControlServer? {
    let world = SimulatedWorld(loop)
    let device = EmulatedDevice(
      loop, profile: .flagship, serial: "T1", seed: 1, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world))
    guard let any = SocketAddress(host: "127.0.0.1", port: 0) else { return nil }
    let server = try ControlServer(loop, on: any, device: device)
    loop.spawn { try await server.serve() }
    return server
  }

  /// `adb forward tcp:0 tcp:7066` prints the port and ends; others say more, and go on.
  @Test(arguments: ["echo %", "printf %", "echo forwarding; echo; echo ' % '; exec cat"])
  func aCommandGivesThePort(_ text: String) throws {
    let loop = try EpollLoop()
    try loop.run {
      guard let server = try await server(loop) else { return }
      let script = try Script(text.replacingOccurrences(of: "%", with: "\(server.address.port)"))
      let opener = ForwardOpener(loop, command: script.command)
      #expect(!opener.isGuarded)
      let driver = StageLinkDriver(loop, opener) { "n" }
      let hello = try await driver.open { _ in }
      #expect(hello.model == "emu-flagship")
      await driver.close()
      await server.close()
    }
  }

  /// The forwarder was restarted: another port, asked for when nobody listens on the old one.
  @Test func aPortThatIsGoneIsAskedForAgain() throws {
    let loop = try EpollLoop()
    try loop.run {
      guard let first = try await server(loop), let second = try await server(loop) else { return }
      let script = try Script(
        "if [ -e once ]; then echo \(second.address.port); else touch once; echo \(first.address.port); fi")
      let opener = ForwardOpener(loop, command: script.command)
      let one = try await opener.open()
      one.close()
      let same = try await opener.open()
      same.close()
      await first.close()
      let other = try await opener.open()
      #expect((other as? ByteStream)?.remoteAddress?.port == second.address.port)
      other.close()
      await second.close()
    }
  }

  @Test(
    arguments: [
      ("echo 'no device'; exit 1", "exit status 1, and it printed \"no device\\n\""), ("echo 99999", "99999"),
      ("echo 0", "gave no port"),
    ])
  func aCommandThatGivesNone(_ text: String, _ message: String) throws {
    let loop = try EpollLoop()
    try loop.run {
      let script = try Script(text)
      do {
        _ = try await ForwardOpener(loop, command: script.command).open()
        Issue.record("it was opened")
      } catch { #expect("\(error)".contains(message), "\(error)") }
    }
  }

  @Test func aCommandThatSaysNothing() throws {
    let loop = try EpollLoop()
    try loop.run {
      let script = try Script("echo run >>runs; echo waiting for device; exec sleep 1000")
      let opener = ForwardOpener(loop, command: script.command, patience: .seconds(4))
      // A hang is not worth a second try at once.
      for _ in 0..<2 {
        let error = await #expect(throws: DriverError.self) { _ = try await opener.open() }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("gave no port: it was ended after 4 s, and it printed \"waiting for device"), "\(text)")
      }
      #expect(try String(contentsOf: script.folder.appending(path: "runs"), encoding: .utf8) == "run\n")
    }
  }

  /// A pipe that nobody reads would bring it to stand.
  @Test(.timeLimit(.minutes(1))) func aForwarderMayGoOnPrinting() throws {
    let loop = try EpollLoop()
    try loop.run {
      guard let server = try await server(loop) else { return }
      // More than any pipe holds.
      let script = try Script(
        "echo \(server.address.port); head -c 3000000 /dev/zero | tr '\\0' x; touch done; exec cat")
      let opener = ForwardOpener(loop, command: script.command)
      let channel = try await opener.open()
      while !FileManager.default.fileExists(atPath: script.folder.appending(path: "done").path) {
        try await loop.sleep(for: .milliseconds(20))
      }
      channel.close()
      await opener.close()
      await server.close()
    }
  }

  /// What it printed last tells why nobody listens.
  @Test func theLastWordsOfAForwarderAreTold() throws {
    let loop = try EpollLoop()
    try loop.run {
      let script = try Script("echo 1; echo no device; exec cat")
      let opener = ForwardOpener(loop, command: script.command)
      let error = await #expect(throws: DriverError.self) { _ = try await opener.open() }
      #expect(error?.description.contains("the forwarder printed") == true, "\(String(describing: error))")
      await opener.close()
    }
  }

  /// Nothing that the command started outlives the opener.
  @Test(.timeLimit(.minutes(1))) func aClosedOpenerLeavesNothingBehind() throws {
    let loop = try EpollLoop()
    try loop.run {
      guard let server = try await server(loop) else { return }
      let script = try Script(
        "sleep 1000 & echo $! >child; echo $$ >self; echo \(server.address.port); wait")
      let opener = ForwardOpener(loop, command: script.command)
      let channel = try await opener.open()
      channel.close()
      await opener.close()
      try await expectGone(loop, script)
      await server.close()
    }
  }

  @Test(.timeLimit(.minutes(1))) func aClosedProgramLeavesNothingBehind() throws {
    let loop = try EpollLoop()
    try loop.run {
      let script = try Script("sleep 1000 & echo $! >child; echo $$ >self; echo up; wait")
      let opener = ProcessOpener(loop, program: "/bin/sh", arguments: ["-c", script.command])
      let channel = try await opener.open()
      #expect(try await channel.read() == Array("up\n".utf8))
      channel.close()
      await opener.close()
      try await expectGone(loop, script)
    }
  }

  /// A process that was killed may take a moment to leave; a zombie of nobody's is gone for us.
  private nonisolated(nonsending) func expectGone(_ loop: EpollLoop, _ script: Script) async throws {
    for name in ["child", "self"] {
      let text = try String(contentsOf: script.folder.appending(path: name), encoding: .utf8)
      let pid = text.trimmingCharacters(in: .whitespacesAndNewlines)
      func isThere() -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        return !status.isEmpty && !status.contains(") Z ")
      }
      while isThere() { try await loop.sleep(for: .milliseconds(20)) }
    }
  }
}
