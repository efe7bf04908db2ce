import RigLoop
import RigWire

/// One client connection: its parser, and what waits to be written. Confined to the server's actor.
final class RTSPConnection {
  let key: Int
  let stream: ByteStream
  let peer: SocketAddress
  let local: SocketAddress
  var parser = RTSPParser()
  var queue = InterleavedQueue()
  var isFlushing = false
  /// The sessions whose interleaved media it carries.
  var carried: Set<String> = []
  /// Sessions that it has created and that are alive.
  var created: Set<String> = []
  /// Bytes of answers queued since nothing last waited.
  var answerBytes = 0

  init(key: Int, stream: ByteStream, peer: SocketAddress, local: SocketAddress) {
    self.key = key
    self.stream = stream
    self.peer = peer
    self.local = local
  }
}
