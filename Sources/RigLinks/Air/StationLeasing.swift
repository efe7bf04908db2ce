import RigLoop
import RigModel

/// Moves messages between a DHCP client and the air until there is a lease, or none.
// Unchecked: touched only on the loop's thread.
final class StationLeasing: @unchecked Sendable {
  private let loop: EpollLoop
  private let socket: BroadcastSocket
  private var client: DHCPClient
  private(set) var sent = 0
  /// Offers that a deaf client did not take.
  var ignored: Int { client.ignored }

  init(_ loop: EpollLoop, _ socket: BroadcastSocket, _ client: DHCPClient) {
    self.loop = loop
    self.socket = socket
    self.client = client
  }

  nonisolated(nonsending) func run() async throws -> DHCPClient.Outcome {
    tick()
    while client.outcome == nil, let bytes = try await socket.receive() {
      guard let message = DHCPMessage(bytes) else { continue }
      send(client.receive(message, at: loop.now))
    }
    socket.close()
    return client.outcome ?? .nobody
  }

  private func tick() {
    guard client.outcome == nil else { return }
    if loop.now >= client.wakeAt { send(client.next(at: loop.now)) }
    guard client.outcome == nil else {
      // Wakes whoever waits for an answer.
      socket.close()
      return
    }
    _ = loop.schedule(at: client.wakeAt) { self.tick() }
  }

  /// A link without carrier refuses it; the next attempt comes by itself.
  private func send(_ message: DHCPMessage?) {
    guard let message else { return }
    sent += 1
    socket.broadcast(message.encoded(), port: 67)
  }
}
