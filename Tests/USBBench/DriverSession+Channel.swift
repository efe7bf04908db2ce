import Glibc
import RigLoop
import RigModel
import RigUSB

extension DriverSession {
  nonisolated(nonsending) func channelAnswer(_ verb: String, _ words: [String]) async throws -> String {
    let number = words.first.flatMap { Int($0) } ?? 0
    switch verb {
    case "open": return await open(words.joined(separator: " "))
    case "open-during-opening":
      // Somebody who gave up is still opening: both channels come, and the later one works.
      guard let opener else { return "no opener" }
      let earlier = loop.spawn { _ = try await opener.openChannel() }
      defer { earlier.cancel() }
      try await loop.sleep(for: .milliseconds(1))
      return await open("")
    case "close":
      channel?.close()
      return await channel?.closed() == true ? "closed" : "held"
    case "write": return await attempt { try await $0.write(Array(words.joined(separator: " ").utf8)) }
    case "write-and-close":
      // So many µs after the write began.
      guard let channel else { return "no channel" }
      let writing = loop.spawn { try await channel.write(Noise.bytes(100)) }
      try await loop.sleep(for: .microseconds(Int64(number)))
      channel.close()
      let end = await channel.closed() ? "closed" : "held"
      do { try await writing.value } catch { return "\(DriverSession.text(error)), \(end)" }
      return "ok, \(end)"
    case "write-bytes": return await attempt { try await $0.write(Noise.bytes(number)) }
    case "read": return try await read(number) { String(decoding: $0, as: UTF8.self) }
    case "read-bytes":
      return try await read(number) { $0 == Noise.bytes($0.count) ? "\($0.count) right" : "\($0.count) WRONG" }
    case "read-end": return await readEnd()
    case "echo": return try await echo(number)
    case "pause":
      try await loop.sleep(for: .milliseconds(Int64(number)))
      return "ok"
    case "facts":
      return facts.isEmpty ? "none" : facts.map { "\($0.kind.rawValue): \($0.detail)" }.joined(separator: "; ")
    case "count": return count(words.first ?? "")
    case "cycles": return try await cycles(number, words.dropFirst().joined(separator: " "))
    default: return "unknown request \(verb)"
    }
  }

  private nonisolated(nonsending) func open(_ selector: String) async -> String {
    if opener == nil || !selector.isEmpty {
      opener = USBOpener(loop, context, USBSelector(selector), limits: limits)
      opener?.observe { [weak self] in self?.facts.append($0) }
    }
    do {
      channel = try await opener?.openChannel()
      return "open \(channel?.device.identity.description ?? "")"
    } catch { return DriverSession.text(error) }
  }

  static func text(_ error: any Error) -> String {
    (error as? USBError).map { "\($0.kind.rawValue): \($0.text)" } ?? "error: \(error)"
  }

  private nonisolated(nonsending) func attempt(
    _ body: nonisolated(nonsending) (USBChannel) async throws -> Void
  ) async -> String {
    guard let channel else { return "no channel" }
    do {
      try await body(channel)
      return "ok"
    } catch { return DriverSession.text(error) }
  }

  private nonisolated(nonsending) func read(_ count: Int, _ tell: ([UInt8]) -> String) async throws -> String {
    guard let channel else { return "no channel" }
    var bytes: [UInt8] = []
    do {
      while bytes.count < count {
        let more = try await channel.read()
        guard !more.isEmpty else { return "end after \(bytes.count)" }
        bytes += more
      }
    } catch { return "\(DriverSession.text(error)), after \(tell(bytes))" }
    return tell(bytes)
  }

  /// Reads until the channel ends: how many bytes, and why it ended.
  private nonisolated(nonsending) func readEnd() async -> String {
    guard let channel else { return "no channel" }
    var count = 0
    while true {
      do {
        let more = try await channel.read()
        guard !more.isEmpty else { return "end after \(count)" }
        count += more.count
      } catch { return "\(DriverSession.text(error)), after \(count)" }
    }
  }

  /// Writes, while what comes back is read.
  private nonisolated(nonsending) func echo(_ count: Int) async throws -> String {
    guard let channel else { return "no channel" }
    let writing = loop.spawn { try await channel.write(Noise.bytes(count)) }
    let reply = try await read(count) { $0 == Noise.bytes(count) ? "echo of \(count)" : "\($0.count) WRONG" }
    do { try await writing.value } catch { return DriverSession.text(error) }
    return reply
  }

  private func count(_ name: String) -> String {
    guard let counts = channel?.counts else { return "no channel" }
    switch name {
    case "stale": return "\(counts.stale)"
    case "zero-length": return "\(counts.zeroLengthIn)"
    case "timeouts-in": return "\(counts.timeoutsIn)"
    case "timeouts-out": return "\(counts.timeoutsOut)"
    case "by-timeouts": return "\(counts.bytesByTimeouts)"
    case "stalls": return "\(counts.stalls)"
    case "in-flight": return "\(counts.mostInFlight)"
    case "unread": return "\(counts.mostUnread)"
    default: return "no such count"
    }
  }

  /// Opens, exchanges bytes and closes again and again: what the process holds must not grow.
  private nonisolated(nonsending) func cycles(_ count: Int, _ selector: String) async throws -> String {
    let opener = USBOpener(loop, context, USBSelector(selector), limits: limits)
    var before = ProcessSize.now
    for i in 0..<count {
      // What is kept for good after the first uses is no growth.
      if i == count / 5 { before = ProcessSize.now }
      channel = try await opener.openChannel()
      let reply = try await echo(64)
      guard reply == "echo of 64" else { return "cycle \(i): \(reply)" }
      channel?.close()
      guard await channel?.closed() == true else { return "cycle \(i): held" }
      channel = nil
    }
    let after = ProcessSize.now
    return "descriptors \(after.descriptors - before.descriptors), threads \(after.threads - before.threads), "
      + "KiB \(after.kibibytes - before.kibibytes)"
  }
}

/// What this process holds.
struct ProcessSize: CustomStringConvertible {
  var descriptors = 0
  var threads = 0
  var kibibytes = 0

  var description: String { "descriptors \(descriptors), threads \(threads), KiB \(kibibytes)" }

  static var now: ProcessSize {
    ProcessSize(
      descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"),
      kibibytes: resident() * sysconf(Int32(_SC_PAGESIZE)) / 1024)
  }

  private static func entries(_ path: String) -> Int {
    guard let folder = opendir(path) else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }

  /// Pages that no file backs.
  private static func resident() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return -1 }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(separator: " ").compactMap { Int($0) }
    return fields.count > 2 ? fields[1] - fields[2] : -1
  }
}

/// Bytes that do not repeat, the same on both sides.
enum Noise {
  static func bytes(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13 ^ $0) }
  }
}
