/// Which of the devices that are plugged in is meant.
public struct USBSelector: Hashable, Sendable, CustomStringConvertible {
  /// `SERIAL`, `1-2.3`, a product name, one of them after `serial=`, `port=` or `model=`, or nothing: the only one.
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { text.isEmpty ? "the only device" : text }

  /// The same without the word before it, where it means the same: `serial=SN1` as `SN1`, `port=1-2` as `1-2`. Whether
  /// `SN1` is a serial number or a product's name only a look at the devices could tell; the first is supposed.
  public var canonical: USBSelector {
    for (prefix, isPort) in [("serial=", false), ("port=", true)] where text.hasPrefix(prefix) {
      let bare = String(text.dropFirst(prefix.count))
      return USBSelector.looksLikePort(bare) == isPort && !bare.contains("=") && !bare.isEmpty
        ? USBSelector(bare) : self
    }
    return self
  }

  /// `1-2.3`
  private static func looksLikePort(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    func isNumber(_ part: Substring) -> Bool { !part.isEmpty && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
    return parts.count == 2 && isNumber(parts[0])
      && parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isNumber)
  }

  /// The one device that is meant.
  /// - Throws: `USBError` of kind `notFound` or `ambiguous`, with what is there.
  public func resolve(_ devices: [USBDevice]) throws(USBError) -> USBDevice {
    let matches = candidates(devices)
    if let only = matches.first, matches.count == 1 { return only }
    guard matches.isEmpty else {
      throw USBError(
        .ambiguous,
        "\(matches.count) USB devices match \(USBSelector.quote(text)): \(USBSelector.list(matches)); "
          + "name one by its port, such as usb:\(matches[0].portPath)")
    }
    let there = devices.isEmpty ? "no stage-link device is plugged in" : "there are \(USBSelector.list(devices))"
    throw USBError(
      .notFound, text.isEmpty ? there : "no USB device matches \(USBSelector.quote(text)): \(there)")
  }

  private func candidates(_ devices: [USBDevice]) -> [USBDevice] {
    if text.isEmpty { return devices }
    let wanted = String(text[(text.firstIndex(of: "=").map { text.index(after: $0) } ?? text.startIndex)...])
    if text.hasPrefix("serial=") { return devices.filter { $0.serial == wanted } }
    if text.hasPrefix("port=") { return devices.filter { $0.portPath == wanted } }
    if text.hasPrefix("model=") { return devices.filter { $0.product == wanted } }
    // The kind of name that fits first is the one that is meant.
    let kinds: [(USBDevice) -> Bool] = [
      { $0.portPath == text }, { $0.serial == text }, { $0.product == text },
    ]
    return kinds.lazy.map { devices.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private static func list(_ devices: [USBDevice]) -> String {
    let shown = devices.prefix(16).map { device in
      let serial = device.serial.isEmpty ? "without serial" : "serial \(quote(device.serial))"
      let name = device.product.isEmpty ? device.ids : device.product
      return "\(name) at \(device.portPath), \(serial)"
    }
    return shown.joined(separator: "; ") + (devices.count > shown.count ? "; and more" : "")
  }

  private static func quote(_ text: String) -> String { "\"\(USBText.clean(text.utf8))\"" }
}

extension USBDevice.Identity {
  /// What selects it, and no other, among all that are plugged in: its port and its serial number, in either spelling.
  public func selectors(among all: [USBDevice.Identity]) -> [String] {
    let port = [portPath, "port=\(portPath)"]
    let isAlone = !serial.isEmpty && !all.contains { $0 != self && ($0.serial == serial || $0.portPath == serial) }
    return isAlone ? port + [serial, "serial=\(serial)"] : port
  }
}
