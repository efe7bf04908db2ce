public import RigDevice
public import RigLoop

/// Speaks to an agent over the stdin and stdout of a program: a script, or a tool that reaches a device in its own way.
public struct ProcessOpener: ChannelOpener {
  private let loop: EpollLoop
  private let program: String
  private let arguments: [String]

  public init(_ loop: EpollLoop, program: String, arguments: [String]) {
    self.loop = loop
    self.program = program
    self.arguments = arguments
  }

  public var name: String { "stdio of \(program)" }
  public var isGuarded: Bool { false }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    ProcessChannel(try ChildProcess(loop, program: program, arguments: arguments))
  }
}

/// A child's stdio that ends the child when it is closed.
private struct ProcessChannel: ByteChannel {
  let child: ChildProcess
  init(_ child: ChildProcess) { self.child = child }
  nonisolated(nonsending) func read() async throws -> [UInt8] { try await child.io.read() }
  nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws { try await child.io.write(bytes) }
  // The child is killed and reaped when its last reference goes.
  func close() { child.io.close() }
}
