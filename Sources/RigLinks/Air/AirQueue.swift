import RigModel

/// Frames on their way, by the time at which they leave; equal times leave in the order in which they came.
struct AirQueue: Sendable {
  private struct Entry {
    var due: HostTime
    var order: UInt64
    var frame: [UInt8]
  }

  private var heap: [Entry] = []
  private var order: UInt64 = 0
  private(set) var bytes = 0

  var next: HostTime? { heap.first?.due }
  var isEmpty: Bool { heap.isEmpty }

  mutating func push(_ frame: [UInt8], due: HostTime) {
    order &+= 1
    bytes += frame.count
    heap.append(Entry(due: due, order: order, frame: frame))
    var i = heap.count - 1
    while i > 0, less(i, (i - 1) / 2) {
      heap.swapAt(i, (i - 1) / 2)
      i = (i - 1) / 2
    }
  }

  mutating func pop(due now: HostTime) -> (frame: [UInt8], due: HostTime)? {
    guard let first = heap.first, first.due <= now else { return nil }
    bytes -= first.frame.count
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      var i = 0
      while true {
        var child = 2 * i + 1
        guard child < heap.count else { break }
        if child + 1 < heap.count, less(child + 1, child) { child += 1 }
        guard less(child, i) else { break }
        heap.swapAt(i, child)
        i = child
      }
    }
    return (first.frame, first.due)
  }

  mutating func removeAll() {
    heap.removeAll()
    bytes = 0
  }

  private func less(_ a: Int, _ b: Int) -> Bool {
    heap[a].due != heap[b].due ? heap[a].due < heap[b].due : heap[a].order < heap[b].order
  }
}
