public import RigModel

/// What was read of one rig file.
public struct RigReading: Sendable {
  public let file: String
  /// `nil` where any diagnostic is an error.
  public let rig: Rig?
  /// All that is wrong with the file, in the order of the file.
  public let diagnostics: [PlanDiagnostic]

  public init(file: String, rig: Rig?, diagnostics: [PlanDiagnostic]) {
    self.file = file
    self.rig = diagnostics.contains { $0.severity == .error } ? nil : rig
    self.diagnostics = diagnostics
  }

  /// The same reading with what the parser had reported of the file.
  public func adding(_ parserDiagnostics: [PlanDiagnostic]) -> RigReading {
    let all = (parserDiagnostics + diagnostics).enumerated().sorted { a, b in
      let (p, q) = (a.element.position, b.element.position)
      return (p.line, p.column, a.offset) < (q.line, q.column, b.offset)
    }.map(\.element)
    return RigReading(file: file, rig: rig, diagnostics: all)
  }
}

/// Document tree → validated rig. All errors are found in one pass.
public enum RigReader {
  /// - Parameters:
  ///   - vocabulary: the flows and capabilities that a rig may name.
  ///   - emulated: the models that the harness can emulate.
  ///   - canonical: gives all spellings of one control link as one.
  public static func read(
    document: DocumentNode, file: String, vocabulary: PlanVocabulary, emulated: [String],
    canonical: @escaping (Rig.Control) -> Rig.Control = { $0 }
  ) -> RigReading {
    var reader = FieldReader(scope: PlanScope(vocabulary: vocabulary, flow: nil))
    guard let root = reader.readObject(document, RigFields.rig, at: "") else {
      return RigReading(file: file, rig: nil, diagnostics: reader.diagnostics.sorted)
    }
    var rules = RigRules(emulated: emulated, canonical: canonical, diagnostics: reader.diagnostics)
    let devices = (root["devices"]?.items ?? []).enumerated().compactMap { rules.device($1, at: "devices[\($0)]") }
    let rig = Rig(
      id: root["rig"]?.word ?? "", title: root["title"]?.word ?? "", devices: devices, position: document.position)
    return RigReading(file: file, rig: rig, diagnostics: rules.diagnostics.sorted)
  }
}

/// What no single field shows: rules between the fields of a device, and between devices.
private struct RigRules {
  let emulated: [String]
  let canonical: (Rig.Control) -> Rig.Control
  var diagnostics: DiagnosticList
  private var names: [String: SourcePosition] = [:]
  private var controls: [(control: Rig.Control, device: String, line: Int)] = []
  private var serials: [(model: String, serial: String, device: String)] = []
  private var radios: [String: String] = [:]
  private var kinds: (namespace: String?, physical: String?) = (nil, nil)

  init(emulated: [String], canonical: @escaping (Rig.Control) -> Rig.Control, diagnostics: DiagnosticList) {
    self.emulated = emulated
    self.canonical = canonical
    self.diagnostics = diagnostics
  }

  /// `nil` where a field that everything rests on was refused, which has been reported.
  mutating func device(_ item: ReadValue, at path: String) -> Rig.Device? {
    guard let nameValue = item["name"], let name = nameValue.word, let controlValue = item["control"],
      let control = controlValue.word.flatMap({ try? TextForm.control($0).get() })
    else { return nil }
    if let first = names[name] {
      report(
        nameValue, path, "name",
        "\(PrintableText.quote(name)) is also the name of the device in line \(first.line), "
          + "expected a name of its own")
    }
    names[name] = names[name] ?? nameValue.position
    var link = item["phone"] == nil ? Rig.Link.loopback : .away
    if let given = item["link"]?.word.flatMap({ try? TextForm.link($0).get() }) { link = given }
    var device = Rig.Device(
      name: name, model: item["model"]?.word ?? "", serial: item["serial"]?.word, control: control,
      host: item["host"]?.word, link: link, country: item["country"]?.word, keyFile: item["key-file"]?.word,
      capture: item["capture"]?.word, power: nil, actuator: command(item["actuator"]),
      capabilities: item["capabilities"]?.items.compactMap(\.word), flows: item["flows"]?.items.compactMap(\.word),
      position: item.position)
    device.power = power(item["power"], at: path)
    device.phone = phone(item["phone"], at: path)
    if case .tcp(let host, _) = control, device.host == nil { device.host = host }
    if device.isEmulated { checkEmulated(&device, item, at: path) } else { checkPhysical(device, item, at: path) }
    checkLink(device, item, at: path)
    checkCommands(device, item, at: path)
    checkOthers(device, item, at: path)
    return device
  }

  private mutating func report(_ value: ReadValue, _ path: String, _ key: String, _ message: String) {
    diagnostics.add(value.position, keyPath: FieldReader.path(path, key), message)
  }

  private func command(_ value: ReadValue?) -> CommandTemplate? {
    value?.word.flatMap { text in try? CommandTemplate(text) }
  }

  private mutating func power(_ value: ReadValue?, at path: String) -> Rig.Power? {
    guard let value else { return nil }
    let power = Rig.Power(
      off: command(value["off"]), on: command(value["on"]), cycle: command(value["cycle"]),
      pause: value["pause"]?.duration ?? .seconds(2))
    let isPair = value["off"] != nil && value["on"] != nil && value["cycle"] == nil
    let isCycle = value["off"] == nil && value["on"] == nil && value["cycle"] != nil
    if !isPair, !isCycle {
      report(value, path, "power", "is not complete, expected off and on, or cycle alone")
    }
    return power
  }

  private mutating func phone(_ value: ReadValue?, at path: String) -> Rig.Phone? {
    guard let value, let given = value["capture"], let capture = command(given) else { return nil }
    if !capture.variables.contains(.file) {
      report(
        given, path, "phone.capture", "does not use {file}, expected it where the program is to leave the capture")
    }
    return Rig.Phone(
      begin: command(value["begin"]), capture: capture,
      limit: value["limit"]?.duration ?? Rig.Phone.standardLimit)
  }

  // MARK: Rules

  private mutating func checkEmulated(_ device: inout Rig.Device, _ item: ReadValue, at path: String) {
    guard case .emulated(let model) = device.control, let control = item["control"] else { return }
    if !emulated.contains(model) {
      report(
        control, path, "control",
        "\(PrintableText.quote(model)) is no model that can be emulated, " + Wording.oneOf(emulated, near: model))
    }
    if let given = item["model"], given.word != model {
      report(
        given, path, "model", "differs from the emulated model \(PrintableText.quote(model)), expected that, or no key")
    }
    device.model = model
    for key in ["host", "capture", "power", "phone", "actuator", "country", "key-file"] {
      guard let value = item[key] else { continue }
      report(value, path, key, "makes no sense for an emulated device, expected no such key")
    }
  }

  private mutating func checkPhysical(_ device: Rig.Device, _ item: ReadValue, at path: String) {
    if item["model"] == nil {
      report(item, path, "model", "is missing, expected \(NamePattern.model.expectation)")
    }
    if let capture = item["capture"], item["phone"] != nil {
      report(capture, path, "capture", "makes no sense with a phone, which captures itself, expected no such key")
    }
    if device.host == nil, item["host"] == nil {
      report(
        item, path, "host", "is missing, expected the address that the media comes from: its control link has none")
    }
  }

  private mutating func checkLink(_ device: Rig.Device, _ item: ReadValue, at path: String) {
    let value = item["link"] ?? item
    switch device.link {
    case .namespace where !device.isEmulated:
      report(value, path, "link", "is namespace, behind which only emulated devices can stand, expected another link")
    case .interface where device.isEmulated, .wifi where device.isEmulated, .networkManager where device.isEmulated:
      report(
        value, path, "link", "leads nowhere: an emulated device is on this machine, expected loopback or namespace")
    case .away where item["phone"] == nil:
      report(value, path, "link", "is none, which only a phone can stand in for, expected a link or a key phone")
    case .wifi(let radio), .networkManager(let radio):
      if let other = radios[radio] {
        report(value, path, "link", "takes the radio of \(other), expected a radio for each device")
      }
      radios[radio] = device.name
      if let capture = item["capture"] {
        report(
          capture, path, "capture", "makes no sense with a radio, which is captured itself, expected no such key")
      }
      if case .networkManager = device.link, let country = item["country"] {
        report(country, path, "country", "makes no sense with link networkmanager, expected no such key")
      }
    default: break
    }
    switch device.link {
    case .wifi, .networkManager: return
    default: break
    }
    for key in ["country", "key-file"] where !device.isEmulated {
      guard let value = item[key] else { continue }
      report(value, path, key, "makes no sense without a link by radio, expected no such key")
    }
  }

  /// A command that asks for what the file does not say would run with an empty word.
  private mutating func checkCommands(_ device: Rig.Device, _ item: ReadValue, at path: String) {
    var commands: [(CommandTemplate?, ReadValue?, String)] = [
      (device.power?.off, item["power"]?["off"], "power.off"), (device.power?.on, item["power"]?["on"], "power.on"),
      (device.power?.cycle, item["power"]?["cycle"], "power.cycle"), (device.actuator, item["actuator"], "actuator"),
      (device.phone?.begin, item["phone"]?["begin"], "phone.begin"),
      (device.phone?.capture, item["phone"]?["capture"], "phone.capture"),
    ]
    switch device.control {
    case .command(let template), .forward(let template): commands.append((template, item["control"], "control"))
    default: break
    }
    for (template, value, key) in commands {
      guard let template, let value else { continue }
      if template.variables.contains(.serial), device.serial == nil {
        report(value, path, key, "uses {serial}, which the device does not have, expected a key serial beside it")
      }
    }
  }

  private mutating func checkOthers(_ device: Rig.Device, _ item: ReadValue, at path: String) {
    if case .namespace = device.link { kinds.namespace = kinds.namespace ?? device.name }
    if !device.isEmulated { kinds.physical = kinds.physical ?? device.name }
    if let inside = kinds.namespace, let outside = kinds.physical, inside == device.name || outside == device.name {
      report(
        item["link"] ?? item, path, "link",
        "keeps \(inside) and \(outside) apart: from a private network namespace \(outside) cannot be reached, "
          + "expected rig files of their own")
    }
    guard !device.isEmulated else { return }
    checkSerial(device, item, at: path)
    var control = canonical(device.control)
    switch control {
    // One command may well serve several devices, told apart by a variable.
    case .command, .forward, .emulated: return
    case .serial(let line, _): control = .serial(path: line, baud: nil)
    case .tcp, .usb: break
    }
    guard let value = item["control"] else { return }
    if let other = controls.first(where: { $0.control == control }) {
      report(value, path, "control", "is also that of \(other.device) (line \(other.line)), expected one of its own")
    }
    controls.append((control, device.name, device.position.line))
  }

  /// Two names for one device would wait for each other.
  private mutating func checkSerial(_ device: Rig.Device, _ item: ReadValue, at path: String) {
    guard let value = item["serial"], let serial = device.serial else { return }
    if let other = serials.first(where: { $0.model == device.model && $0.serial == serial }) {
      report(
        value, path, "serial",
        "is, with the model \(PrintableText.quote(device.model)), also that of \(other.device): one device is named once"
      )
    }
    serials.append((device.model, serial, device.name))
  }
}
