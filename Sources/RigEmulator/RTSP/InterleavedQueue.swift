/// Bytes that wait for a slow connection, in whole pieces so that a frame is never torn apart.
struct InterleavedQueue {
  private var pieces: [[UInt8]] = []
  private var head = 0
  /// All bytes that wait, those of the piece being written included.
  private(set) var byteCount = 0

  var isEmpty: Bool { head == pieces.count }
  var first: [UInt8]? { head < pieces.count ? pieces[head] : nil }

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    pieces.append(bytes)
    byteCount += bytes.count
  }

  mutating func removeFirst() {
    guard head < pieces.count else { return }
    byteCount -= pieces[head].count
    pieces[head] = []
    head += 1
    if head > 64, head * 2 > pieces.count || head == pieces.count {
      pieces.removeFirst(head)
      head = 0
    }
  }
}
