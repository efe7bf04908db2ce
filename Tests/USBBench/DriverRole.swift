import Glibc
import RigLoop
import RigModel
import RigUSB

/// The driver's side: reads a request a line and answers with a line.
enum DriverRole {
  /// - Parameter isOrdinary: gives up the rights of root.
  static func run(isOrdinary: Bool) throws -> Int32 {
    if isOrdinary, getuid() == 0, setgid(65534) != 0 || setuid(65534) != 0 { throw SystemError("setuid") }
    let loop = try EpollLoop()
    let context = try USBContext()
    let input = try ByteStream(loop, input: dup(0), output: dup(1))
    try loop.run {
      let role = DriverSession(loop, context)
      var text: [UInt8] = []
      while case let bytes = try await input.read(), !bytes.isEmpty {
        text += bytes
        while let end = text.firstIndex(of: 0x0A) {
          let words = String(decoding: text[..<end], as: UTF8.self).split(separator: " ").map(String.init)
          text.removeSubrange(...end)
          let reply: String
          do { reply = try await role.answer(words) } catch { reply = "error \(error)" }
          Say.line(reply)
        }
      }
      await role.end()
      await context.close(loop)
    }
    return 0
  }
}

// Unchecked: touched only on the loop's thread.
final class DriverSession: @unchecked Sendable {
  let loop: EpollLoop
  let context: USBContext
  var limits = USBLimits()
  var opener: USBOpener?
  var channel: USBChannel?
  var facts: [Fact] = []
  var link: LinkSession?
  /// Of the devices that have had a case.
  var caseOpeners: [String: USBOpener] = [:]

  init(_ loop: EpollLoop, _ context: USBContext) {
    self.loop = loop
    self.context = context
  }

  nonisolated(nonsending) func answer(_ words: [String]) async throws -> String {
    guard let verb = words.first else { return "" }
    let rest = Array(words.dropFirst())
    switch verb {
    case "devices": return devices()
    case "select": return select(rest.joined(separator: " "))
    case "limit": return setLimit(rest)
    case "link": return try await linkAnswer(rest)
    case "cases": return try await runCases(rest)
    default: return try await channelAnswer(verb, rest)
    }
  }

  private func devices() -> String {
    context.devices().map { device in
      let problem = device.problem.map { " (\($0))" } ?? ""
      return "\(device.portPath) \(device.ids) \(device.speed) [\(device.manufacturer)] [\(device.product)] "
        + "[\(device.serial)]\(problem)"
    }.joined(separator: "; ")
  }

  private func select(_ text: String) -> String {
    do { return try USBSelector(text).resolve(context.devices()).identity.description } catch {
      return "\(error.kind.rawValue): \(error)"
    }
  }

  private func setLimit(_ words: [String]) -> String {
    guard words.count == 2, let ms = Int64(words[1]) else { return "limit NAME MS" }
    let value = Duration.milliseconds(ms)
    switch words[0] {
    case "input": limits.input = value
    case "output": limits.output = value
    case "output-patience": limits.outputPatience = value
    case "quiet": limits.quiet = value
    case "drain": limits.drain = value
    case "recovery": limits.recovery = value
    case "arrival": limits.arrival = value
    default: return "no such limit"
    }
    return "ok"
  }

  nonisolated(nonsending) func end() async {
    await link?.end()
    channel?.close()
    await channel?.closed()
  }
}
