import Glibc
import RigModel
import Synchronization

/// Writes whole texts to a file descriptor, whatever `write` takes at a time.
struct FileDescriptorWriter: Sendable {
  let descriptor: Int32

  /// Whether all of it was taken. A reader that is gone ends the writing (SIGPIPE is ignored).
  @discardableResult
  func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// The JSON lines on standard output. Any thread may emit; lines never mix.
final class LineOutput: Sendable {
  private let writer = FileDescriptorWriter(descriptor: 1)
  private let broken = Mutex(false)

  /// True once the reader of the lines is gone.
  var isBroken: Bool { broken.withLock { $0 } }

  /// Writes `{"kind":kind,"t":time,…}`. `t` is nanoseconds of CLOCK_MONOTONIC; as a string of digits where it no
  /// longer fits the 53 bits that JSON readers keep exact (a host that is up for more than 104 days).
  func emit(_ kind: String, at time: Int64 = monotonicNanoseconds(), _ members: [(String, JSONValue?)] = []) {
    var all = [JSONValue.Member("kind", .string(kind)), JSONValue.Member("t", .exact(time))]
    for (key, value) in members {
      if let value { all.append(JSONValue.Member(key, value)) }
    }
    let line = JSONValue.object(all).text + "\n"
    broken.withLock { broken in
      if !broken { broken = !writer.write(line) }
    }
  }
}

/// CLOCK_MONOTONIC in nanoseconds.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

extension JSONValue {
  static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

  /// An integer that a JSON reader keeps exact, else its digits.
  static func exact(_ number: Int64) -> JSONValue {
    number.magnitude <= 1 << 53 ? .integer(number) : .string(String(number))
  }
}
