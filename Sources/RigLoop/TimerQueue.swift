import RigModel

/// A binary heap of deadlines; equal deadlines fire in the order in which they were set.
struct TimerQueue {
  typealias Resume = (_ cancelled: Bool) -> Void
  private struct Entry {
    var deadline: HostTime
    var id: UInt64
  }

  private var heap: [Entry] = []
  private var live: [UInt64: Resume] = [:]
  private var lastID: UInt64 = 0

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// The earliest deadline that is still wanted.
  var next: HostTime? {
    mutating get {
      dropDead()
      return heap.first?.deadline
    }
  }

  mutating func push(id: UInt64, deadline: HostTime, _ resume: @escaping Resume) {
    live[id] = resume
    heap.append(Entry(deadline: deadline, id: id))
    siftUp(heap.count - 1)
  }

  mutating func popDue(_ now: HostTime) -> (deadline: HostTime, resume: Resume)? {
    dropDead()
    guard let first = heap.first, first.deadline <= now, let resume = live.removeValue(forKey: first.id) else {
      return nil
    }
    removeFirst()
    return (first.deadline, resume)
  }

  mutating func remove(id: UInt64) -> Resume? { live.removeValue(forKey: id) }

  /// Cancelled entries stay in the heap until they reach its top: removal costs nothing.
  private mutating func dropDead() {
    while let first = heap.first, live[first.id] == nil { removeFirst() }
  }

  private func less(_ a: Int, _ b: Int) -> Bool {
    heap[a].deadline != heap[b].deadline ? heap[a].deadline < heap[b].deadline : heap[a].id < heap[b].id
  }

  private mutating func siftUp(_ start: Int) {
    var i = start
    while i > 0 {
      let parent = (i - 1) / 2
      guard less(i, parent) else { return }
      heap.swapAt(i, parent)
      i = parent
    }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var i = 0
    while true {
      var child = 2 * i + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, less(child + 1, child) { child += 1 }
      guard less(child, i) else { return }
      heap.swapAt(i, child)
      i = child
    }
  }
}
