/// Text of one line with a grammar of its own, as rig files use it.
enum TextForm: Hashable, Sendable {
  case control
  case link
  /// An IPv4 or IPv6 address in numbers.
  case address
  /// The name of a network interface.
  case interface
  case command([CommandTemplate.Variable])

  static let controls = ["tcp", "serial", "usb", "command", "forward", "emulated"]
  static let links = ["loopback", "interface", "namespace", "wifi", "networkmanager", "none"]

  /// ECMA 262: what an editor can tell. The rest is left to the validation.
  var regex: String {
    switch self {
    case .control: "^(\(TextForm.controls.joined(separator: "|"))) \\S.*$"
    case .link: "^(loopback|namespace|none|(interface|wifi|networkmanager) [^ /]{1,15})$"
    case .address: "^[0-9A-Fa-f.:]+$"
    case .interface: "^[^ /]{1,15}$"
    case .command: "^\\S.*$"
    }
  }

  var expectation: String {
    switch self {
    case .control:
      "tcp HOST:PORT, serial PATH[,BAUD], usb SERIAL, usb PORTPATH, command PROGRAM…, forward PROGRAM… or emulated MODEL"
    case .link: "loopback, interface NAME, namespace, wifi RADIO, networkmanager RADIO or none"
    case .address: "an address in numbers, such as 192.168.42.1"
    case .interface: "the name of an interface, such as wlan1"
    case .command: "a program and its arguments"
    }
  }

  /// What is wrong with a text; `nil`: nothing.
  func problem(_ text: String) -> String? {
    switch self {
    case .control: return TextForm.control(text).problem
    case .link: return TextForm.link(text).problem
    case .address:
      return TextForm.isAddress(text) ? nil : "\(PrintableText.quote(text)) is no address, expected \(expectation)"
    case .interface:
      return TextForm.isInterface(text)
        ? nil : "\(PrintableText.quote(text)) is no interface, expected \(expectation)"
    case .command(let allowed):
      do throws(CommandTemplate.Malformed) {
        _ = try CommandTemplate(text, allowed: allowed)
        return nil
      } catch { return error.message }
    }
  }

  // MARK: Control

  static func control(_ text: String) -> Result<Rig.Control, CommandTemplate.Malformed> {
    let (word, rest) = split(text)
    guard controls.contains(word) else {
      return .failure(
        .init(
          message: "\(PrintableText.quote(word)) is no way to reach a device, " + Wording.oneOf(controls, near: word)))
    }
    guard !rest.isEmpty else { return refuse(text, "expected \(TextForm.control.expectation)") }
    switch word {
    case "tcp":
      guard let colon = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: colon)...]), port > 0,
        case let host = String(rest[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }), isAddress(host)
      else { return refuse(rest, "expected a numeric address and a port, such as tcp 192.168.42.1:7066") }
      return .success(.tcp(host: host, port: port))
    case "serial":
      let parts = rest.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      let baud = parts.count == 2 ? UInt32(parts[1]) : nil
      guard parts[0].hasPrefix("/"), parts.count == 1 || (baud.map { 300...12_000_000 ~= $0 } ?? false) else {
        return refuse(
          rest, "expected a path and perhaps a baud rate, such as serial /dev/serial/by-id/usb-cam-if00,115200")
      }
      return .success(.serial(path: String(parts[0]), baud: baud))
    case "usb":
      guard rest.utf8.count <= 128 else { return refuse(rest, "expected a serial number or ports, such as usb 1-2.3") }
      return .success(.usb(rest))
    case "emulated": return .success(.emulated(model: rest))
    default:
      do throws(CommandTemplate.Malformed) {
        let template = try CommandTemplate(rest, allowed: ofDevice)
        return .success(word == "command" ? .command(template) : .forward(template))
      } catch { return .failure(error) }
    }
  }

  /// Variables that every command of a device may use.
  static let ofDevice: [CommandTemplate.Variable] = [.name, .model, .serial, .host]

  // MARK: Link

  static func link(_ text: String) -> Result<Rig.Link, CommandTemplate.Malformed> {
    let (word, rest) = split(text)
    switch (word, rest) {
    case ("loopback", ""): return .success(.loopback)
    case ("namespace", ""): return .success(.namespace)
    case ("none", ""): return .success(.away)
    case ("interface", _) where isInterface(rest): return .success(.interface(rest))
    case ("wifi", _) where isInterface(rest): return .success(.wifi(radio: rest))
    case ("networkmanager", _) where isInterface(rest): return .success(.networkManager(radio: rest))
    default:
      guard !links.contains(word) else { return refuse(text, "expected \(TextForm.link.expectation)") }
      return .failure(.init(message: "\(PrintableText.quote(word)) is no link, " + Wording.oneOf(links, near: word)))
    }
  }

  private static func refuse<T>(_ text: String, _ expected: String) -> Result<T, CommandTemplate.Malformed> {
    .failure(.init(message: "\(PrintableText.quote(text)) is not complete or not valid, \(expected)"))
  }

  /// The first word, and what stands behind it.
  private static func split(_ text: String) -> (String, String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    return (String(parts.first ?? ""), parts.count == 2 ? String(parts[1].drop { $0 == " " }) : "")
  }

  static func isInterface(_ text: String) -> Bool {
    1...15 ~= text.utf8.count && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
  }

  static func isAddress(_ text: String) -> Bool {
    if text.utf8.contains(UInt8(ascii: ":")) {
      // The kernel has the last word on these.
      return 2...45 ~= text.utf8.count && text.utf8.filter { $0 == UInt8(ascii: ":") }.count >= 2
        && text.utf8.allSatisfy { (0x30...0x3A).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x2E }
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        1...3 ~= part.utf8.count && part.utf8.allSatisfy { 0x30...0x39 ~= $0 } && UInt8(part) != nil
      }
  }
}

extension Result where Failure == CommandTemplate.Malformed {
  fileprivate var problem: String? { if case .failure(let problem) = self { problem.message } else { nil } }
}
