import CRigShims
import Glibc
import RigLoop
import RigModel

/// The control socket of a wpa_supplicant: requests with their replies, in order, and events between them.
// Unchecked: touched only on the loop's thread.
final class SupplicantControl: @unchecked Sendable {
  private let loop: EpollLoop
  private let fd: Int32
  private let path: String
  private var isClosed = false
  /// Who waits for a reply; the oldest gets the next.
  private var waiting: [(id: Int, reply: UnsafeContinuation<String?, Never>)] = []
  private var lastID = 0
  private var buffer = [UInt8](repeating: 0, count: 65536)

  /// A supplicant that works answers within milliseconds; a busy virtual machine takes longer.
  private static let patience: Duration = .seconds(8)

  /// - Parameters:
  ///   - path: of this end, made here.
  ///   - peer: of the supplicant's.
  /// - Throws: `SystemError`: nobody listens at `peer` yet.
  init(_ loop: EpollLoop, path: String, peer: String) throws(SystemError) {
    let fd = rig_socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue))
    guard fd >= 0 else { throw SystemError("socket", on: path) }
    unlink(path)
    guard SupplicantControl.withAddress(path, { bind(fd, $0, $1) }) == 0,
      SupplicantControl.withAddress(peer, { connect(fd, $0, $1) }) == 0
    else {
      let error = SystemError("connect", on: peer)
      Glibc.close(fd)
      unlink(path)
      throw error
    }
    self.loop = loop
    self.fd = fd
    self.path = path
    try loop.watch(fd)
  }

  /// A path that does not fit is cut, and then nobody is there.
  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { raw in
      for (i, byte) in path.utf8.prefix(raw.count - 1).enumerated() { raw[i] = byte }
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Hands events to `see` until `close`, or until the supplicant is gone.
  nonisolated(nonsending) func run(_ see: (String) -> Void) async throws {
    while !isClosed {
      let n = recv(fd, &buffer, buffer.count, 0)
      if n >= 0 {
        let text = String(decoding: buffer[0..<n], as: UTF8.self)
        if text.hasPrefix("<") { see(text) } else { answer(text) }
      } else if errno == EAGAIN {
        try await loop.readable(fd)
      } else if errno != EINTR {
        break
      }
    }
    close()
  }

  /// - Returns: the reply without its line feed; `nil` where there was none.
  nonisolated(nonsending) func request(_ command: String) async -> String? {
    guard !isClosed else { return nil }
    let bytes = Array(command.utf8)
    guard send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
    lastID += 1
    let id = lastID
    // Replies carry no number: after one that did not come, the next would be taken for it.
    let timer = loop.schedule(at: loop.now + SupplicantControl.patience) { self.close() }
    defer { loop.cancel(timer) }
    return await withUnsafeContinuation { waiting.append((id, $0)) }
  }

  private func answer(_ text: String) {
    guard !waiting.isEmpty else { return }
    let reply = text.last == "\n" ? String(text.dropLast()) : text
    waiting.removeFirst().reply.resume(returning: reply)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    loop.unwatch(fd)
    Glibc.close(fd)
    unlink(path)
    let unanswered = waiting
    waiting = []
    for one in unanswered { one.reply.resume(returning: nil) }
  }

  deinit { close() }
}
