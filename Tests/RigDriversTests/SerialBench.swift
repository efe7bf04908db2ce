import CRigShims
import Foundation
import Glibc
import RigDevice
import RigDrivers
import RigLoop
import RigModel

/// A pseudo-terminal: a serial line with this process at its other end.
// Unchecked: touched only on the loop's thread.
final class PseudoTerminal: @unchecked Sendable {
  let path: String
  let far: ByteStream
  /// Keeps the line up while nobody else has it open.
  private let held: Int32

  init(_ loop: EpollLoop) throws {
    var name = [CChar](repeating: 0, count: 64)
    let master = rig_pseudo_terminal(&name, name.count)
    guard master >= 0 else { throw SystemError("posix_openpt") }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    held = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var raw = termios()
    tcgetattr(held, &raw)
    cfmakeraw(&raw)
    tcsetattr(held, TCSANOW, &raw)
    far = try ByteStream(loop, input: master, output: master)
  }

  /// What `stty` would show.
  var settings: termios {
    var settings = termios()
    tcgetattr(held, &settings)
    return settings
  }

  /// The plug is pulled.
  func hangUp() { far.close() }

  deinit {
    far.close()
    Glibc.close(held)
  }
}

/// A line between a serial driver and a device that opens a line of its own, with what happens to bytes on the way.
// Unchecked: touched only on the loop's thread.
final class SerialWire: @unchecked Sendable {
  let near: PseudoTerminal
  let far: PseudoTerminal
  private var tasks: [Task<Void, any Error>] = []

  /// - Parameter disturb: what becomes of each line that the device sends.
  init(_ loop: EpollLoop, disturb: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }) throws {
    near = try PseudoTerminal(loop)
    far = try PseudoTerminal(loop)
    let (near, far) = (near.far, far.far)
    tasks = [
      loop.spawn {
        while case let bytes = try await near.read(), !bytes.isEmpty { try await far.write(bytes) }
      },
      loop.spawn {
        var line: [UInt8] = []
        while case let bytes = try await far.read(), !bytes.isEmpty {
          for byte in bytes {
            line.append(byte)
            guard byte == 0x0A else { continue }
            try await near.write(disturb(line))
            line = []
          }
        }
      },
    ]
  }

  func end() {
    for task in tasks { task.cancel() }
    near.hangUp()
    far.hangUp()
  }
}

/// The C agent in a program.
enum AgentDemo {
  static var program: String {
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder = (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
    return folder.appending(path: "agent-demo").path
  }
}
