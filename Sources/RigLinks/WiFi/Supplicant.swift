import Glibc
import RigLoop
import RigModel

/// A wpa_supplicant of the harness's own: a child in the radio's namespace, with a private folder for its configuration
/// and control socket. Keys go over the socket alone: they stand in no file and in no list of processes.
// Unchecked: touched only on the loop's thread.
final class Supplicant: @unchecked Sendable {
  private let loop: EpollLoop
  private let child: ChildProcess
  private let folder: String
  private let interface: String
  private var control: SupplicantControl?
  /// The last lines that it printed, for the message about its end.
  private var lines: [String] = []
  private static let mostLines = 20
  private static let startPatience: Duration = .seconds(15)
  private static let startPoll: Duration = .milliseconds(50)

  private init(_ loop: EpollLoop, _ child: ChildProcess, folder: String, interface: String) {
    self.loop = loop
    self.child = child
    self.folder = folder
    self.interface = interface
  }

  /// - Parameter see: gets each event.
  /// - Throws: `RadioUnavailable` where there is no such program, or it does not come up; `SystemError`.
  static nonisolated(nonsending) func start(
    _ loop: EpollLoop, in space: NetworkNamespace, interface: String, country: String?,
    _ see: @escaping @Sendable (SupplicantEvent) -> Void
  ) async throws -> Supplicant {
    guard let program = SystemTree.program("wpa_supplicant") else {
      throw RadioUnavailable("wpa_supplicant is missing; on Debian: apt-get install wpasupplicant")
    }
    let folder = try makeFolder()
    let config = SupplicantConfig(folder: "\(folder)/control", country: country)
    try PrivateFile.write(config.text, to: "\(folder)/config")
    var words = [program, "-i", interface, "-D", "nl80211", "-c", "\(folder)/config"]
    // So that it goes with this process, however that ends.
    if let wrapper = SystemTree.program("setpriv") { words = [wrapper, "--pdeathsig", "TERM", "--"] + words }
    let child = try space.run { try ChildProcess(loop, program: words[0], arguments: Array(words.dropFirst())) }
    let supplicant = Supplicant(loop, child, folder: folder, interface: interface)
    loop.spawn { try await supplicant.drain() }
    do {
      try await supplicant.attach(see)
    } catch {
      await supplicant.end()
      throw error
    }
    return supplicant
  }

  private static func makeFolder() throws(SystemError) -> String {
    for parent in ["/run", "/tmp"] {
      var template = Array("\(parent)/streamrig-wifi.XXXXXX".utf8CString)
      if mkdtemp(&template) != nil {
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw SystemError("mkdtemp", on: "/tmp")
  }

  private nonisolated(nonsending) func drain() async throws {
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      lines += String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0.prefix(300)) }
      lines = lines.suffix(Supplicant.mostLines)
    }
  }

  private nonisolated(nonsending) func attach(_ see: @escaping @Sendable (SupplicantEvent) -> Void) async throws {
    let deadline = loop.now + Supplicant.startPatience
    while true {
      guard child.isRunning else {
        throw RadioUnavailable(
          "wpa_supplicant did not come up on \(interface): \(lines.suffix(3).joined(separator: "; "))")
      }
      if let control = try? SupplicantControl(
        loop, path: "\(folder)/client", peer: "\(folder)/control/\(interface)")
      {
        self.control = control
        break
      }
      guard loop.now < deadline else {
        throw RadioUnavailable("wpa_supplicant opened no control socket in \(Supplicant.startPatience.text)")
      }
      try await loop.sleep(for: Supplicant.startPoll)
    }
    guard let control else { return }
    loop.spawn {
      try await control.run { see(SupplicantEvent($0)) }
      see(.terminating)
    }
    try await ask("ATTACH")
  }

  /// - Returns: the reply.
  /// - Throws: `JoinFailure.supplicant`, which names the command but none of its values.
  @discardableResult
  nonisolated(nonsending) func ask(_ command: String) async throws -> String {
    let name = command.split(separator: " ").prefix(command.hasPrefix("SET_NETWORK") ? 3 : 1).joined(separator: " ")
    guard let reply = await control?.request(command) else {
      throw JoinFailure.supplicant("wpa_supplicant did not answer \(name)")
    }
    if reply.hasPrefix("FAIL") || reply == "UNKNOWN COMMAND" {
      throw JoinFailure.supplicant("wpa_supplicant refused \(name): \(reply)")
    }
    return reply
  }

  /// Ends it and removes its folder.
  nonisolated(nonsending) func end() async {
    _ = await control?.request("TERMINATE")
    control?.close()
    child.signal(SIGTERM)
    _ = try? await child.end()
    for file in ["client", "config"] { unlink("\(folder)/\(file)") }
    unlink("\(folder)/control/\(interface)")
    rmdir("\(folder)/control")
    rmdir(folder)
  }
}
