public import RigDevice
public import RigLoop

/// Speaks to an agent over the stdin and stdout of a program: a script, or a tool that reaches a device in its own way.
///
/// The end of its stdin tells the program to end; by the next opening, or by `close`, it is ended together with all that
/// it started.
// Unchecked: touched only on the loop's thread.
public final class ProcessOpener: ChannelOpener, @unchecked Sendable {
  /// How long the program may take to end by itself, and then by SIGTERM.
  private static let patience: Duration = .milliseconds(500)

  private let loop: EpollLoop
  private let program: String
  private let arguments: [String]
  private var children: [ChildProcess] = []
  private var log: @Sendable ([UInt8]) -> Void = { _ in }

  public init(_ loop: EpollLoop, program: String, arguments: [String]) {
    self.loop = loop
    self.program = program
    self.arguments = arguments
  }

  public var name: String { "stdio of \(program)" }
  public var isGuarded: Bool { false }

  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    // An agent whose channel is closed must be gone before the next one is there.
    await end { $0.io.isClosed }
    let errors = try ErrorPipe(loop) { self.log($0) }
    let child = try ChildProcess(
      loop, program: program, arguments: arguments, stderr: errors.childEnd, endsWithParent: true)
    children.append(child)
    return child.io
  }

  public func listen(_ log: @escaping @Sendable ([UInt8]) -> Void) { self.log = log }

  public nonisolated(nonsending) func close() async { await end { _ in true } }

  private nonisolated(nonsending) func end(_ isMeant: (ChildProcess) -> Bool) async {
    let ending = children.filter(isMeant)
    children.removeAll(where: isMeant)
    for child in ending { await child.endGroup(patience: ProcessOpener.patience) }
  }
}
