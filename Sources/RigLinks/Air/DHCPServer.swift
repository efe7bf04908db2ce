import RigLoop

/// Leases addresses on the device's side of the air, where an emulated device has no operating system to do it.
// Unchecked: touched only on the loop's thread.
final class DHCPServer: @unchecked Sendable {
  private let socket: BroadcastSocket
  var pool: DHCPPool

  init(_ socket: BroadcastSocket, _ pool: DHCPPool) {
    self.socket = socket
    self.pool = pool
  }

  /// Answers until `close`.
  nonisolated(nonsending) func serve() async throws {
    while let bytes = try await socket.receive() {
      guard let message = DHCPMessage(bytes), let answer = pool.answer(message) else { continue }
      socket.broadcast(answer.encoded(), port: 68)
    }
  }

  func close() { socket.close() }
}
