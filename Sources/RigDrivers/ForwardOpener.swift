public import RigDevice
public import RigLoop
import RigModel

/// Opens a device's control channel through a forwarder: a command that makes a local TCP port and prints its number,
/// such as `adb forward tcp:0 tcp:7066`.
///
/// The command may end once the port is there, or go on for as long as it forwards. It runs again when nobody listens
/// on the port any more.
// Unchecked: touched only on the loop's thread.
public final class ForwardOpener: ChannelOpener, @unchecked Sendable {
  private let loop: EpollLoop
  private let command: String
  private let program: String
  private let arguments: [String]
  private let patience: Duration
  private var forwarder: ChildProcess?
  private var port: UInt16?
  private var printed = Tail()
  /// The last time that it hung, and what that was.
  private var hang: (at: HostTime, error: DriverError)?
  private static let hangEnds: Duration = .milliseconds(500)
  private var log: @Sendable ([UInt8]) -> Void = { _ in }

  /// - Parameters:
  ///   - command: for the shell. The first line of its output that is a number is the port.
  ///   - patience: how long it may take to print that.
  public convenience init(_ loop: EpollLoop, command: String, patience: Duration = .seconds(10)) {
    self.init(loop, program: "/bin/sh", arguments: ["-c", command], command: command, patience: patience)
  }

  /// Without a shell.
  /// - Parameter command: how messages call it.
  public init(
    _ loop: EpollLoop, program: String, arguments: [String], command: String, patience: Duration = .seconds(10)
  ) {
    self.loop = loop
    self.program = program
    self.arguments = arguments
    self.command = command
    self.patience = patience
  }

  public var name: String { "forward \(command)" }
  public var isGuarded: Bool { false }

  /// - Throws: `DriverError` where the command gives no port, or nobody listens there.
  public nonisolated(nonsending) func open() async throws -> any ByteChannel {
    if let port, let channel = try? await connect(port) { return channel }
    // Who asks again at once would wait as long for the same.
    if let hang, loop.now < hang.at + patience { throw hang.error }
    let fresh = try await forward()
    port = fresh
    do { return try await connect(fresh) } catch {
      throw DriverError("\(error); the forwarder printed \(printed.text.debugDescription)")
    }
  }

  public func listen(_ log: @escaping @Sendable ([UInt8]) -> Void) { self.log = log }

  /// Ends the forwarder, if it is one that goes on.
  public nonisolated(nonsending) func close() async {
    port = nil
    guard let old = forwarder else { return }
    forwarder = nil
    await old.endGroup()
  }

  private nonisolated(nonsending) func connect(_ port: UInt16) async throws -> ByteStream {
    guard let address = SocketAddress(host: "127.0.0.1", port: port) else { throw DriverError("port \(port)") }
    return try await ByteStream.connect(loop, to: address, timeout: .seconds(5))
  }

  /// Runs the command and gives the port that it prints.
  private nonisolated(nonsending) func forward() async throws -> UInt16 {
    // An earlier one ends first: it may hold the port.
    await close()
    let printed = Tail()
    self.printed = printed
    let errors = try ErrorPipe(loop) { bytes in
      printed.take(bytes)
      self.log(bytes)
    }
    let child = try ChildProcess(
      loop, program: program, arguments: arguments, stderr: errors.childEnd, endsWithParent: true)
    forwarder = child
    let deadline = loop.now + patience
    let timer = loop.schedule(at: deadline) { child.io.close() }
    defer { loop.cancel(timer) }
    var text: [UInt8] = []
    while text.count < 1 << 16 {
      let bytes = try await child.io.read()
      text += bytes
      printed.take(bytes)
      // At the end of the output, the last line may have no line feed.
      let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
      for line in bytes.isEmpty ? lines[...] : lines.dropLast() {
        let word = line.filter { $0 > 0x20 }
        guard let port = UInt16(String(decoding: word, as: UTF8.self)), port > 0 else { continue }
        // A forwarder that goes on printing must not come to stand for want of a reader.
        loop.spawn {
          while case let more = try await child.io.read(), !more.isEmpty { printed.take(more) }
        }
        return port
      }
      if bytes.isEmpty { break }
    }
    forwarder = nil
    let isLate = loop.now >= deadline
    let end = isLate ? await child.endGroup(patience: ForwardOpener.hangEnds) : await child.endGroup()
    // What it said on its way out lies in the pipe.
    printed.take(errors.close())
    let why = isLate ? "it was ended after \(patience.text)" : end.map { "\($0)" } ?? "interrupted"
    let error = DriverError(
      "\(command.debugDescription) gave no port: \(why), and it printed \(printed.text.debugDescription)")
    if isLate { hang = (loop.now, error) }
    throw error
  }

  /// The last of what a forwarder printed.
  // Unchecked: touched only on the loop's thread.
  private final class Tail: @unchecked Sendable {
    private static let limit = 300
    private var bytes: [UInt8] = []
    func take(_ more: [UInt8]) { bytes = Array((bytes + more.suffix(Tail.limit)).suffix(Tail.limit)) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }
}
