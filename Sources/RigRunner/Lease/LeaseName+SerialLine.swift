import Glibc

extension LeaseName {
  /// Where udev keeps a link for each serial line, named after what is at its end.
  public static let serialLinks = "/dev/serial/by-id"
  /// More links than these are not looked at.
  private static let mostLinks = 1_024

  /// The names of a serial line: the path as it is written, the device file that it leads to now, and the link by which
  /// udev knows what is there.
  ///
  /// A line that enumerates again comes back as another device file, behind the same path; one that is away has the path
  /// alone. So neither name may take the place of the other.
  public static func serialLine(_ path: String, links: String = serialLinks) -> [LeaseName] {
    var names = [LeaseName("serial \(plain(path))")]
    guard let file = real(path) else { return names }
    names.append(LeaseName("serial \(file)"))
    guard let folder = opendir(links) else { return distinct(names) }
    defer { closedir(folder) }
    var seen = 0
    while seen < mostLinks, let entry = readdir(folder) {
      seen += 1
      let link = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { "\(links)/\(String(cString: $0))" }
      }
      if real(link) == file { names.append(LeaseName("serial \(plain(link))")) }
    }
    return distinct(names)
  }

  private static func distinct(_ names: [LeaseName]) -> [LeaseName] {
    var seen: Set<LeaseName> = []
    return names.filter { seen.insert($0).inserted }
  }

  private static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Absolute, without `.`, `..` and empty parts. No link is followed: what it says must not depend on what is there.
  private static func plain(_ path: String) -> String {
    var path = path
    if !path.hasPrefix("/"), let here = getcwd(nil, 0) {
      path = "\(String(cString: here))/\(path)"
      free(here)
    }
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
