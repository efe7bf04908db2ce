import RigLoop

/// Writing without waiting: what does not fit is queued, in order, and flushed by one task per connection.
extension RTSPServer {
  func write(_ bytes: [UInt8], to connection: RTSPConnection) {
    guard connections[connection.key] != nil else { return }
    var rest = bytes
    if connection.queue.isEmpty {
      let count = connection.stream.writeNow(bytes[...])
      guard count >= 0 else { return close(connection) }
      guard count < bytes.count else { return }
      rest = Array(bytes[count...])
    }
    connection.queue.append(rest)
    guard !connection.isFlushing else { return }
    connection.isFlushing = true
    let key = connection.key
    loop.spawn { await self.flush(key) }
  }

  /// Queues an answer. A client that asks and never reads is cut off.
  func answer(_ bytes: [UInt8], to connection: RTSPConnection) {
    if connection.queue.isEmpty { connection.answerBytes = 0 }
    connection.answerBytes += bytes.count
    guard connection.answerBytes <= options.answerLimit else { return close(connection) }
    write(bytes, to: connection)
  }

  private func flush(_ key: Int) async {
    guard let connection = connections[key] else { return }
    defer { connection.isFlushing = false }
    while let piece = connection.queue.first {
      do {
        try await connection.stream.write(piece)
      } catch {
        return close(connection)
      }
      connection.queue.removeFirst()
    }
  }
}
