public import RigModel

/// What a device says of itself in reply to `hello`.
public struct Hello: Hashable, Sendable {
  public enum Role: String, Sendable { case firmware, app, emulator }

  public var version: Int64
  public var nonce: String
  /// Random per boot: a new one means a reboot.
  public var boot: String
  public var agentName: String
  public var agentVersion: String
  public var role: Role
  /// The agent itself is the subject: losing it is a failure, not an error of the rig.
  public var underTest: Bool
  public var model: String
  public var serial: String
  public var firmware: String
  public var build: String
  public var git: String
  public var sdk: String?
  public var flows: [String]
  public var capabilities: [String]
  /// Fault layers; `faults{from}` pages the names.
  public var faults: [String]
  public var recordLimit: Int?
  /// Ranges of the stream parameters, where the device publishes them: name → least and greatest value.
  public var ranges: [String: ClosedRange<Double>]
  public var ready: Bool
  public var notReadyReasons: [String]
  /// Where the access point answers a TCP connect while it is up.
  public var probe: Probe?

  public struct Probe: Hashable, Sendable {
    public var host: String
    public var port: UInt16
    public init(host: String, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  public init(
    version: Int64 = 1, nonce: String, boot: String, agentName: String, agentVersion: String, role: Role,
    underTest: Bool = false, model: String, serial: String, firmware: String = "", build: String = "",
    git: String = "", sdk: String? = nil, flows: [String], capabilities: [String], faults: [String] = [],
    recordLimit: Int? = nil, ranges: [String: ClosedRange<Double>] = [:], ready: Bool = true,
    notReadyReasons: [String] = [], probe: Probe? = nil
  ) {
    self.version = version
    self.nonce = nonce
    self.boot = boot
    self.agentName = agentName
    self.agentVersion = agentVersion
    self.role = role
    self.underTest = underTest
    self.model = model
    self.serial = serial
    self.firmware = firmware
    self.build = build
    self.git = git
    self.sdk = sdk
    self.flows = flows
    self.capabilities = capabilities
    self.faults = faults
    self.recordLimit = recordLimit
    self.ranges = ranges
    self.ready = ready
    self.notReadyReasons = notReadyReasons
    self.probe = probe
  }

  /// What is missing or wrong, in words for the person who writes the agent.
  public struct Malformed: Error, Hashable, CustomStringConvertible {
    public let description: String
  }

  public init(json: JSONValue) throws(Malformed) {
    func need(_ path: String, _ value: String?) throws(Malformed) -> String {
      guard let value else { throw Malformed(description: "hello reply: \(path) is missing or not a string") }
      return value
    }
    let agent = json["agent"]
    let device = json["device"]
    let fw = device?["fw"]
    guard let version = json["v"]?.integer else { throw Malformed(description: "hello reply: v is missing") }
    var ranges: [String: ClosedRange<Double>] = [:]
    for member in json["params"]?.members ?? [] {
      guard let low = member.value.array?.first?.double, let high = member.value.array?.last?.double, low <= high,
        member.value.array?.count == 2
      else { throw Malformed(description: "hello reply: params.\(member.key) is not [min, max]") }
      ranges[member.key] = low...high
    }
    let probe = json["probe"]
    self.init(
      version: version, nonce: try need("nonce", json["nonce"]?.string), boot: try need("boot", json["boot"]?.string),
      agentName: agent?["name"]?.string ?? "", agentVersion: agent?["version"]?.string ?? "",
      role: agent?["role"]?.string.flatMap { Role(rawValue: $0) } ?? .firmware,
      underTest: agent?["underTest"]?.bool ?? false, model: try need("device.model", device?["model"]?.string),
      serial: device?["serial"]?.string ?? "", firmware: fw?["version"]?.string ?? "",
      build: fw?["build"]?.string ?? "", git: fw?["git"]?.string ?? "", sdk: json["sdk"]?.string,
      flows: Hello.strings(json["flows"]), capabilities: Hello.strings(json["caps"]),
      faults: Hello.strings(json["faults"]), recordLimit: json["limits"]?["record"]?.integer.map { Int($0) },
      ranges: ranges, ready: json["ready"]?["ok"]?.bool ?? false,
      notReadyReasons: Hello.strings(json["ready"]?["reasons"]),
      probe: probe?["host"]?.string.flatMap { host in
        probe?["port"]?.integer.flatMap { UInt16(exactly: $0) }.map { Probe(host: host, port: $0) }
      })
  }

  private static func strings(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }

  public var json: JSONValue {
    let params = ranges.keys.sorted().map { key in
      JSONValue.Member(key, .array([.number(ranges[key]?.lowerBound ?? 0), .number(ranges[key]?.upperBound ?? 0)]))
    }
    return [
      "v": .integer(version), "nonce": .string(nonce), "boot": .string(boot),
      "agent": [
        "name": .string(agentName), "version": .string(agentVersion), "role": .string(role.rawValue),
        "underTest": .bool(underTest),
      ],
      "device": [
        "model": .string(model), "serial": .string(serial),
        "fw": ["version": .string(firmware), "build": .string(build), "git": .string(git)],
      ],
      "sdk": sdk.map { .string($0) }, "flows": .list(flows), "caps": .list(capabilities), "faults": .list(faults),
      "limits": recordLimit.map { ["record": .integer(Int64($0))] } ?? [:],
      "params": params.isEmpty ? nil : .object(params),
      "ready": ["ok": .bool(ready), "reasons": .list(notReadyReasons)],
      "probe": probe.map { ["host": .string($0.host), "port": .integer(Int64($0.port))] },
    ]
  }
}
