import Glibc
import RigLinks
import RigPlan

/// The radio of a run over Wi-Fi.
struct RadioChoice: Sendable {
  let name: String
  /// NetworkManager joins, and the radio stays where it is.
  let isManaged: Bool
  let country: String?
  /// Of hotspots whose key the device does not tell. A secret.
  let key: String?

  var secrets: [String] { key.map { [$0] } ?? [] }

  init(name: String, isManaged: Bool, country: String?, key: String?) {
    self.name = name
    self.isManaged = isManaged
    self.country = country
    self.key = key
  }

  /// - Returns: `nil` for another link.
  /// - Throws: `UsageError`, which never holds the key.
  init?(_ arguments: Arguments, link: LinkChoice, hasDevice: Bool) throws(UsageError) {
    guard link == .wifi || link == .networkManager else {
      if let other = ["--radio", "--country", "--key-file"].first(where: arguments.has) {
        throw UsageError(description: "\(other) goes with --link wifi")
      }
      return nil
    }
    let word = "--link \(link.rawValue)"
    guard let name = arguments.last("--radio") else {
      throw UsageError(description: "\(word) needs --radio NAME: the radio that joins the hotspot")
    }
    guard hasDevice else {
      throw UsageError(description: "\(word) needs --device HOST:PORT: the control link of the device")
    }
    guard !arguments.has("--interface") else {
      throw UsageError(description: "\(word) captures on the radio itself: it goes without --interface")
    }
    isManaged = link == .networkManager
    guard !isManaged || !arguments.has("--country") else {
      throw UsageError(description: "\(word) leaves the radio's country to the machine: it goes without --country")
    }
    self.name = name
    country = arguments.last("--country")
    key = try arguments.last("--key-file").map { path throws(UsageError) in try RadioChoice.key(in: path) }
  }

  /// The first line of a file.
  static func key(in path: String, for option: String = "--key-file") throws(UsageError) -> String {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else {
      throw UsageError(
        description: "\(option) \(PrintableText.quote(path)): \(String(cString: strerror(errno)))")
    }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let n = max(0, read(fd, &buffer, buffer.count))
    let line = buffer[0..<n].prefix { $0 != 0x0A && $0 != 0x0D }
    guard !line.isEmpty else { throw UsageError(description: "\(option) \(PrintableText.quote(path)) is empty") }
    return String(decoding: line, as: UTF8.self)
  }
}

extension RunSettings {
  /// Keys of hotspots that the bench knows: none may stand in a report.
  var secrets: [String] {
    let files = rig?.devices.compactMap(\.keyFile) ?? []
    return (radio?.secrets ?? []) + files.compactMap { try? RadioChoice.key(in: $0) }
  }
}
