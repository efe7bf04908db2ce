public import RigLoop
import RigModel

/// An access point that a program of the user's puts on the air and takes off it, beside a port that answers meanwhile.
public actor HookedHotspot: HotspotBackend {
  /// The program did not do it.
  public struct HookFailed: Error, CustomStringConvertible {
    public let description: String
  }

  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let port: PortHotspot
  private let program: String
  private var isUp = false
  /// The call before: two at once would undo each other's work.
  private var last: Task<Void, any Error>?

  private static let patience: Duration = .seconds(20)

  /// - Parameter program: called with `up` or `down`; it has done it when it ends with status 0.
  public init(_ loop: EpollLoop, port: PortHotspot, program: String) {
    self.loop = loop
    self.port = port
    self.program = program
  }

  public nonisolated var probe: (host: String, port: UInt16) { port.probe }

  public func up() async throws {
    guard !isUp else { return }
    isUp = true
    try await enqueue("up").result.get()
    try await port.up()
  }

  /// Returns while the program is still at it: a device takes a start meanwhile, and `up` waits its turn.
  public func down() async {
    await port.down()
    guard isUp else { return }
    isUp = false
    _ = enqueue("down")
  }

  /// Waits until the program has done all that it was asked.
  public func settle() async { _ = await last?.result }

  /// In a task of its own: the run that asks may be cancelled meanwhile, and half an access point is none.
  private func enqueue(_ word: String) -> Task<Void, any Error> {
    let before = last
    let task = loop.spawn {
      _ = await before?.result
      try await self.call(word)
    }
    last = task
    return task
  }

  private func call(_ word: String) async throws {
    let child = try ChildProcess(loop, program: program, arguments: [word])
    let hung = loop.schedule(at: loop.now + HookedHotspot.patience) { child.signal(9) }
    defer { loop.cancel(hung) }
    let exit = try await child.waitForExit()
    guard exit == .code(0) else { throw HookFailed(description: "\(program) \(word): \(exit)") }
  }
}
