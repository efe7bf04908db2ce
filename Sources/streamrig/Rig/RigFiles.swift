import Glibc
import RigEmulator
import RigFlow
import RigLoop
import RigModel
import RigPlan
import RigUSB
import RigYAML

/// Finds and reads rig files.
enum RigFiles {
  static let option = Option.value(
    "--rig", "FILE", "drive the devices of this rig file instead of emulated ones; default: $STREAMRIG_RIG")

  /// The rig that `--rig` or `STREAMRIG_RIG` names; `nil`: none. Prints what is wrong with it.
  static func given(_ arguments: Arguments) throws(UsageError) -> Rig? {
    guard let path = path(arguments) else { return nil }
    let reading = read(path)
    for diagnostic in reading.diagnostics { Output.diagnose("\(diagnostic)") }
    guard let rig = reading.rig else {
      let origin = arguments.has("--rig") ? "" : ", which \(variable) names,"
      throw UsageError(description: "the rig file \(PrintableText.quote(path))\(origin) cannot be used")
    }
    return rig
  }

  private static let variable = "STREAMRIG_RIG"

  /// Who names the rig, for messages: somebody who wrote no `--rig` would look for it in vain.
  static func origin(_ arguments: Arguments) -> String {
    guard !arguments.has("--rig"), let path = path(arguments) else { return "--rig" }
    return "the rig \(PrintableText.quote(path)), which the environment variable \(variable) names (empty: no rig),"
  }

  static func path(_ arguments: Arguments) -> String? {
    if let path = arguments.last("--rig") { return path }
    // A device that is named on the command line is meant more than a rig that is always there.
    guard !arguments.has("--device"), let path = getenv(variable), path.pointee != 0 else { return nil }
    return String(cString: path)
  }

  static func read(_ path: String) -> RigReading {
    switch PlanFiles.contents(path, limit: YAMLDocument.maximumBytes + 1) {
    case .success(let bytes):
      let reading = YAMLDocument.readRig(
        bytes: bytes, file: path, vocabulary: Catalogs.vocabulary, emulated: DeviceProfile.all.map(\.model)
      ) { $0.canonical }
      guard var rig = reading.rig else { return reading }
      for index in rig.devices.indices {
        rig.devices[index].keyFile = rig.devices[index].keyFile.map { resolve($0, besides: path) }
      }
      return RigReading(file: path, rig: rig, diagnostics: reading.diagnostics)
    case .failure(let error):
      let place = SourcePosition(file: path, line: 1, column: 1)
      return RigReading(
        file: path, rig: nil, diagnostics: [PlanDiagnostic(place, "cannot be read: \(error.reason)")])
    }
  }
}

extension RigFiles {
  /// A path that a rig file names: a relative one counts from the file's own folder, wherever somebody runs it.
  static func resolve(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
  }
}

extension Rig {
  /// What a schedule needs to know of the devices.
  var benchDevices: [Bench.Device] {
    devices.map { device in
      Bench.Device(
        name: device.name, model: device.model,
        capabilities: device.capabilities.map { $0 + device.control.capabilities.map(\.rawValue) }
          ?? device.emulatedProfile?.capabilities,
        flows: device.flows, closedLayers: device.link.closedLayers,
        closedVerbs: device.link.closedVerbs.merging(device.control.closedVerbs) { $1 })
    }
  }
}

extension Rig.Device {
  var emulatedProfile: DeviceProfile? {
    guard case .emulated(let model) = control else { return nil }
    return DeviceProfile.all.first { $0.model == model }
  }

  /// The command with its variables filled in, the program looked up as a shell would. One with a relative path counts
  /// from the rig file's folder.
  func program(
    _ template: CommandTemplate, action: String = "", file: String = ""
  ) throws -> (path: String, arguments: [String]) {
    let words = template.arguments(values(action: action, file: file))
    let name = words.first ?? ""
    guard let path = name.contains("/") ? RigFiles.resolve(name, besides: position.file) : SystemFile.program(name)
    else {
      throw SystemError("posix_spawn", code: ENOENT, on: name)
    }
    return (path, Array(words.dropFirst()))
  }
}

extension Rig.Link {
  /// Layers of faults that cannot be performed over this link.
  var closedLayers: [String: String] {
    switch self {
    case .namespace, .wifi, .networkManager: [:]
    case .away: ["link": "the harness is not on the network of the phone and the device"]
    case .loopback: ["link": "the loopback carries no frames that could be impaired"]
    case .interface(let name): ["link": "the harness does not stand between \(name) and the device"]
    }
  }

  /// Faults of the link that this one cannot perform, with whatever arguments. Other layers may know the same word.
  var closedVerbs: [String: String] {
    let choice = choice
    if choice == .loopback { return [:] }
    let verbs = Set(FaultCatalog.all.filter { $0.layer == .link }.map(\.verb))
      .subtracting(FaultCatalog.all.filter { $0.layer != .link }.map(\.verb))
    let refusals = verbs.compactMap { verb in
      choice.refusal(of: FaultRequest(at: .connectHotspot, do: verb)).map { (verb, $0) }
    }
    return Dictionary(uniqueKeysWithValues: refusals)
  }

  var text: String {
    switch self {
    case .loopback: "loopback"
    case .away: "none"
    case .interface(let name): "interface \(name)"
    case .namespace: "namespace"
    case .wifi(let radio): "wifi \(radio)"
    case .networkManager(let radio): "networkmanager \(radio)"
    }
  }

  /// As a run without a rig would be told it.
  var choice: LinkChoice {
    switch self {
    case .namespace: .namespace
    case .wifi: .wifi
    case .networkManager: .networkManager
    case .loopback, .interface, .away: .loopback
    }
  }
}

extension Rig.Control {
  /// All spellings of one control link as one, as far as no device need be asked.
  var canonical: Rig.Control {
    switch self {
    case .tcp(let host, let port):
      return .tcp(host: SocketAddress(host: host, port: port)?.canonical.host ?? host, port: port)
    case .usb(let selector): return .usb(USBSelector(selector).canonical.text)
    case .serial(let path, let baud):
      let parts = path.split(separator: "/").filter { $0 != "." }
      return .serial(path: "/" + parts.joined(separator: "/"), baud: baud)
    case .command, .forward, .emulated: return self
    }
  }

  /// What it makes possible.
  var capabilities: [FaultDefinition.Capability] { if case .usb = self { [.usb] } else { [] } }

  /// Faults that need another control link.
  var closedVerbs: [String: String] {
    let closed = FaultCatalog.all.compactMap { fault -> (String, String)? in
      guard let needed = fault.capability, !capabilities.contains(needed) else { return nil }
      return (fault.verb, "it needs \(needed.need)")
    }
    return Dictionary(closed) { $1 }
  }

  var text: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp [\(host)]:\(port)" : "tcp \(host):\(port)"
    case .serial(let path, let baud): "serial \(path)" + (baud.map { ",\($0)" } ?? "")
    case .usb(let selector): "usb \(selector)"
    case .command(let template): "command \(template.text)"
    case .forward(let template): "forward \(template.text)"
    case .emulated(let model): "emulated \(model)"
    }
  }
}
