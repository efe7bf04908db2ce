import Foundation
public import RigDevice
public import RigDrivers
public import RigLoop

/// The lines that `streamrig conform` prints for a device that conforms: over every channel the same, but for the
/// differences that `Tests/conformance` names.
public enum ConformanceLines {
  /// - Parameter channel: `tcp`, `wifi`, `stdio`, `serial` or `usb`.
  public static func expected(over channel: String) throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tests/conformance")
    func lines(_ name: String) throws -> [Substring] {
      try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n")
    }
    // By the number of the step: why it is skipped over this channel.
    var reasons: [Substring: Substring] = [:]
    for line in try lines("differences") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[0] == channel else { continue }
      reasons[words[1]] = words[2].drop { $0 == " " }
    }
    return try lines("steps").map { title in
      reasons[title.prefix { $0 != " " }].map { "skipped \(title): \($0)" } ?? "ok \(title)"
    }
  }

  /// Holds the script with a device.
  public static nonisolated(nonsending) func found(
    _ loop: Loop, _ opener: any ChannelOpener, _ settings: DeviceConformance.Settings = .init()
  ) async -> [String] {
    let lines = Lines()
    let nonces = Nonces()
    _ = await DeviceConformance(loop, opener, settings: settings) { nonces.next() }.run { lines.text.append("\($0)") }
    return lines.text
  }

  // Unchecked: touched only on the loop's thread.
  private final class Lines: @unchecked Sendable { var text: [String] = [] }

  // Unchecked: touched only on the loop's thread.
  private final class Nonces: @unchecked Sendable {
    private var last = 0
    func next() -> String {
      last += 1
      return "n\(last)"
    }
  }
}
