import RigModel

/// Reports decode errors: the first of its code at once, repetitions once a second as a count.
final class DecodeErrorReport {
  private static let maximumCodes = 32

  private let output: LineOutput
  private(set) var total = 0
  private var pending: [Int32: (message: String, count: Int)] = [:]
  private var lastLine: Int64 = 0

  init(output: LineOutput) { self.output = output }

  func note(_ code: Int32, _ message: String, at now: Int64) {
    total += 1
    if let known = pending[code] {
      pending[code] = (known.message, known.count + 1)
    } else if pending.count < Self.maximumCodes {
      pending[code] = (message, 0)
      emit(code, message, 1, at: now)
    }
  }

  func tick(at now: Int64) {
    if now - lastLine >= 1_000_000_000 { flush(at: now) }
  }

  func flush(at now: Int64) {
    lastLine = now
    for (code, entry) in pending.sorted(by: { $0.key < $1.key }) where entry.count > 0 {
      emit(code, entry.message, entry.count, at: now)
      pending[code] = (entry.message, 0)
    }
  }

  private func emit(_ code: Int32, _ message: String, _ count: Int, at now: Int64) {
    output.emit(
      "decode-error", at: now,
      [("code", .integer(Int64(code))), ("message", .string(message)), ("count", .count(count))])
  }
}
