import Glibc
public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// A real hotspot, joined by NetworkManager on a radio that stays where it is: for a desk with one device, whose radio
/// cannot be moved, or is not to be. NetworkManager does the joining and the leasing; what it says counts for nothing
/// until the kernel has the carrier and the address.
///
/// The station shares its addresses and routes with the machine, which a `WiFiLink` keeps apart: a network of the
/// machine's that has the hotspot's addresses is a subnet clash. Needs root, for the profile with the key.
public actor ManagedLink: Link {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  public nonisolated var name: String { "networkmanager" }
  /// Where a capture sees what a phone would see.
  public nonisolated let interface: String

  private let manager: NetworkManager
  private let scanner: SystemTool
  private let control: NetworkControl
  private let radioSwitch: RadioSwitch
  private let rigKey: String?
  private let path: String
  private let uuid: String
  /// The connection that the radio had before, to be given back at the end; empty: none.
  private let former: String

  private var joining: Task<Fact, any Error>?
  private var profile: HotspotProfile?
  private var address: String?
  /// The access point that it was last seen with.
  private var bssid: String?
  private var failure: JoinFailure?
  private var monitor: Task<Void, any Error>?
  private var lost: (@Sendable (Fact) -> Void)?
  private var losses: [String] = []
  /// How many losses there were when each fault began.
  private var begun: [Int] = []
  /// Counts joins: one that was given up must not write into the next.
  private var attempt = 0

  private static let folder = "/run/NetworkManager/system-connections"
  private static let leasePatience: Duration = .seconds(15)
  /// NetworkManager tries several times by itself; it gives up before this.
  private static let joinPatience: Duration = .seconds(60)
  private static let connectPatience: Duration = .seconds(2)
  private static let scanPatience: Duration = .seconds(6)
  private static let scanRetry: Duration = .milliseconds(250)
  private static let carrierPoll: Duration = .milliseconds(50)

  /// - Parameters:
  ///   - radio: the name of an interface or a radio that NetworkManager manages.
  ///   - key: of hotspots whose key the device does not tell.
  /// - Throws: `RadioUnavailable`, `SystemError`.
  public static nonisolated(nonsending) func open(
    _ loop: EpollLoop, radio name: String, key: String? = nil
  ) async throws -> ManagedLink {
    if let key, HotspotKey(key) == nil { throw RadioUnavailable("the rig's hotspot key: \(JoinFailure.badKey)") }
    let found = try await find(loop, radio: name)
    let link = ManagedLink(
      loop, found.manager, found.scanner, try NetworkControl(NetworkNamespace.current("home")), found.radio,
      former: found.former, key: key)
    await link.watchCarrier()
    return link
  }

  /// Looks for what a link needs of this machine, and changes nothing.
  /// - Parameter radio: what it would join with; `nil`: only what every radio needs is looked for.
  /// - Throws: `RadioUnavailable` with what is missing; `SystemError`.
  public static nonisolated(nonsending) func look(_ loop: EpollLoop, radio: String? = nil) async throws {
    if let radio { _ = try await find(loop, radio: radio) } else { _ = try await tools(loop) }
  }

  private struct Found {
    let radio: Radio
    let manager: NetworkManager
    let scanner: SystemTool
    /// The connection that the radio has now; empty: none.
    let former: String
  }

  private static nonisolated(nonsending) func tools(
    _ loop: EpollLoop
  ) async throws -> (manager: NetworkManager, scanner: SystemTool) {
    guard geteuid() == 0 else {
      throw RadioUnavailable(
        "root is needed to give NetworkManager a profile that nobody else can read", fix: "run as root")
    }
    let manager = try await NetworkManager(loop)
    return (manager, try SystemTool(loop, "iw", package: "iw"))
  }

  private static nonisolated(nonsending) func find(_ loop: EpollLoop, radio name: String) async throws -> Found {
    let radio = try Radio.find(name)
    if radio.block != nil {
      throw RadioUnavailable("\(radio.text) is blocked by rfkill; see: rfkill list", fix: "rfkill unblock wifi")
    }
    let (manager, scanner) = try await tools(loop)
    let state = try await manager.ask(["-g", "GENERAL.STATE,GENERAL.CON-UUID", "device", "show", radio.interface])
    let words = state.text.split(separator: "\n", omittingEmptySubsequences: false)
    guard state.isGood, let number = words.first?.split(separator: " ").first.flatMap({ Int($0) }), number >= 20 else {
      throw RadioUnavailable(
        "NetworkManager does not manage \(radio.text): it says \(state.isGood ? state.text : state.complaint)",
        fix: "nmcli device set \(radio.interface) managed yes")
    }
    return Found(radio: radio, manager: manager, scanner: scanner, former: words.count > 1 ? String(words[1]) : "")
  }

  private init(
    _ loop: EpollLoop, _ manager: NetworkManager, _ scanner: SystemTool, _ control: NetworkControl, _ radio: Radio,
    former: String, key: String?
  ) {
    self.loop = loop
    self.manager = manager
    self.scanner = scanner
    self.control = control
    interface = radio.interface
    radioSwitch = RadioSwitch(of: radio.phy)
    self.former = former
    rigKey = key
    path = "\(ManagedLink.folder)/streamrig-\(interface).nmconnection"
    // A version 4 UUID (RFC 9562 section 5.4).
    let digits = WiFiText.hex((0..<16).map { _ in UInt8.random(in: 0...255) })
    let parts = [digits.prefix(8), digits.dropFirst(8).prefix(4), "4\(digits.dropFirst(13).prefix(3))"[...]]
    uuid = (parts + ["8\(digits.dropFirst(17).prefix(3))", digits.dropFirst(20)]).joined(separator: "-")
  }

  /// Gives the radio back to what it was connected to.
  public func close() async {
    monitor?.cancel()
    await restart()
    if !former.isEmpty {
      _ = try? await manager.ask(["connection", "up", "uuid", former], limit: ManagedLink.joinPatience)
    }
  }

  /// The beginning of a case: on no hotspot.
  public func restart() async {
    attempt += 1
    lost = nil
    await leave()
    joining = nil
    profile = nil
    bssid = nil
    failure = nil
    losses = []
    begun = []
  }

  // MARK: Joining

  public func join(_ request: JoinRequest) async -> Fact? {
    attempt += 1
    let attempt = attempt
    await leave()
    let task = loop.spawn { await self.performJoin(request, attempt) }
    joining = task
    let fact = try? await task.value
    return attempt == self.attempt ? fact : nil
  }

  private func performJoin(_ request: JoinRequest, _ attempt: Int) async -> Fact {
    failure = nil
    do {
      let profile = try HotspotProfile(request, rigKey: rigKey)
      self.profile = profile
      try await activate(profile)
      let address = try await heldAddress(profile)
      guard attempt == self.attempt else { throw JoinFailure.supplicant("joining was given up") }
      self.address = address
      return Fact(.linkJoined, by: .link, at: loop.now, detail: "\(await place(profile)); address \(address)")
    } catch {
      let why = error as? JoinFailure ?? .supplicant("\(error)")
      if attempt == self.attempt { failure = why }
      return why.fact(at: loop.now)
    }
  }

  private func activate(_ profile: HotspotProfile) async throws {
    let text = ManagedProfile(
      id: "streamrig \(interface)", uuid: uuid, interface: interface, hotspot: profile,
      leaseSeconds: ManagedLink.leasePatience.components.seconds
    ).text
    // The folder is NetworkManager's own; it may make it only when it is first needed.
    mkdir(ManagedLink.folder, 0o700)
    unlink(path)
    try PrivateFile.write(text, to: path)
    let load = try await manager.ask(["connection", "load", path])
    guard load.isGood else { throw JoinFailure.supplicant("NetworkManager refused the profile: \(load.complaint)") }
    let patience = ManagedLink.joinPatience
    let up = try await manager.ask(
      ["--wait", "\(patience.components.seconds)", "connection", "up", "uuid", uuid, "ifname", interface],
      limit: patience + .seconds(5))
    guard up.isGood else {
      throw radioSwitch.block == nil ? ManagedLink.failure(profile.name, up) : JoinFailure.blocked
    }
  }

  /// What NetworkManager's words mean; those that are not known are told as they stand.
  static func failure(_ name: HotspotName, _ answer: SystemTool.Answer) -> JoinFailure {
    let why = answer.complaint
    if why.contains("Secrets were required") {
      return .managed(name, "wrong key: the access point did not accept what the station proved of it")
    }
    if why.contains("network could not be found") { return .managed(name, "the hotspot was not found") }
    if why.contains("IP configuration could not be reserved") {
      return .noLease(name, "no DHCP server answered in \(leasePatience.text)")
    }
    return .managed(name, why.isEmpty ? "nmcli ended with \(answer.exit)" : why)
  }

  private func leave() async {
    address = nil
    guard access(path, F_OK) == 0 else { return }
    // Its profile goes with its file: what was active ends.
    _ = try? await manager.ask(["connection", "delete", "uuid", uuid])
    unlink(path)
  }

  // MARK: Witness

  /// `192.168.42.17/24`, as the interface has it.
  private func heldAddress(_ profile: HotspotProfile) async throws -> String {
    let answer = try await manager.ask(["-g", "IP4.ADDRESS", "device", "show", interface])
    guard let held = answer.text.split(separator: " ").first.map(String.init) else {
      throw JoinFailure.noLease(profile.name, "\(interface) has no address")
    }
    guard let address = IPv4(text: String(held.prefix { $0 != "/" })), try hasCarrier, LocalAddress.isHeld(address)
    else {
      throw JoinFailure.noLease(
        profile.name, "NetworkManager tells the address \(held), and the kernel does not have it")
    }
    return held
  }

  private var hasCarrier: Bool { get throws { try control.hasCarrier(interface) } }

  /// `associated with 02:00:00:00:00:00 of "cam" on 2412 MHz`
  private func place(_ profile: HotspotProfile) async -> String {
    let list = ["-t", "-f", "ACTIVE,BSSID,FREQ", "device", "wifi", "list", "ifname", interface, "--rescan", "no"]
    let lines = (try? await manager.ask(list))?.text.split(separator: "\n") ?? []
    guard let active = lines.map(NetworkManager.fields).first(where: { $0.first == "yes" && $0.count == 3 }) else {
      return "associated with \(profile.name)"
    }
    bssid = active[1].lowercased()
    return "associated with \(active[1].lowercased()) of \(profile.name) on \(active[2])"
  }

  public func watch(_ see: @escaping @Sendable (Fact) -> Void) async { lost = see }

  /// NetworkManager tells of a loss only when it has given up to come back: the kernel knows at once.
  private func watchCarrier() {
    monitor = loop.spawn { [loop] in
      var had = false
      while !Task.isCancelled {
        try await loop.sleep(for: ManagedLink.carrierPoll)
        had = await self.see(had)
      }
    }
  }

  private func see(_ had: Bool) -> Bool {
    guard let has = try? hasCarrier, has != had else { return had }
    if !has, let address {
      let isBlocked = radioSwitch.block != nil
      let why = isBlocked ? ": \(JoinFailure.blocked)" : ""
      losses.append("\(interface) lost its carrier while it held the address \(address)\(why)")
      lost?(Fact(isBlocked ? .stationFailed : .linkLost, by: .link, at: loop.now, detail: losses.last ?? ""))
    }
    return has
  }

  private var tcp: TCPProbe { TCPProbe(loop: loop, patience: ManagedLink.connectPatience) }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    // What it says stands in `failure` and `address` as well.
    _ = await joining?.result
    func no(_ why: String) -> Fact { Fact(.linkNotJoined, by: .link, at: loop.now, detail: why) }
    if let failure { return failure.fact(at: loop.now) }
    guard let profile else { return no("the device named no hotspot that could be joined") }
    guard let address else { return no("no address on \(profile.name)") }
    guard (try? hasCarrier) ?? false else { return no("the station lost \(profile.name): \(losses.last ?? "")") }
    let place = "\(await place(profile)); address \(address)"
    guard let target else {
      return Fact(.linkJoined, by: .link, at: loop.now, detail: "\(place); hello announces no probe port")
    }
    // Another network of the machine may have the hotspot's addresses.
    if let source = LocalAddress.used(towards: target.host), !address.hasPrefix("\(source)/") {
      return JoinFailure.subnetClash("\(place), but subnet clash: this machine reaches \(target.host) from \(source)")
        .fact(at: loop.now)
    }
    return await tcp.joined(target, from: place)
  }

  public func probeGone(_ target: Hello.Probe?) async -> Fact {
    guard let profile else {
      return Fact(.hotspotGone, by: .link, at: loop.now, detail: HotspotNotSought.noHotspotNamed.rawValue)
    }
    if (try? hasCarrier) ?? true {
      return Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "the station is still on \(profile.name)")
    }
    do {
      guard let seen = try await look(for: profile) else {
        return Fact(.hotspotGone, by: .link, at: loop.now, detail: "a scan does not find \(profile.name)")
      }
      return Fact(
        .hotspotStillUp, by: .link, at: loop.now, detail: "\(profile.name) is still on the air: \(seen)")
    } catch {
      return Fact(
        .stationFailed, by: .link, at: loop.now, detail: "whether the hotspot is gone cannot be told: \(error)")
    }
  }

  /// NetworkManager goes on to list for a while what is gone; a scan that first forgets what was seen does not.
  private func look(for profile: HotspotProfile) async throws -> String? {
    let deadline = loop.now + ManagedLink.scanPatience
    while true {
      let answer = try await scanner.ask(["dev", interface, "scan", "flush"])
      if answer.isGood {
        return ScannedAccessPoint.list(answer.text).first { $0.ssid == profile.name.octets || $0.bssid == bssid }
          .map { "\($0.bssid) on \($0.megahertz) MHz" }
      }
      // NetworkManager scans as well: one at a time.
      guard answer.complaint.contains("(-16)"), loop.now < deadline else {
        throw JoinFailure.supplicant("iw does not scan: \(answer.complaint)")
      }
      try await loop.sleep(for: ManagedLink.scanRetry)
    }
  }

  public func probePort(host: String, port: UInt16) async -> Fact {
    guard (try? hasCarrier) ?? true else {
      return Fact(.portClosed, by: .link, at: loop.now, detail: "the hotspot is gone, and nobody reaches the port")
    }
    return await tcp.port(host, port)
  }

  // MARK: Faults

  /// Why this link cannot perform a fault; `nil`: it can.
  public static func refusal(of fault: FaultRequest) -> String? {
    fault.verb == "drop-link"
      ? nil : "NetworkManager does the joining: the networkmanager link cannot \(fault.verb); run with --link wifi"
  }

  public func begin(_ fault: FaultRequest) async throws -> Int {
    if let why = ManagedLink.refusal(of: fault) { throw LinkFaultRefused(why) }
    begun.append(losses.count)
    let token = begun.count - 1
    let answer = try await manager.ask(["device", "disconnect", interface])
    guard answer.isGood else { throw LinkFaultRefused("NetworkManager did not disconnect: \(answer.complaint)") }
    if case .duration(let duration)? = fault.arguments["for"] {
      let attempt = attempt
      loop.spawn { [loop] in
        try await loop.sleep(for: duration)
        await self.comeBack(attempt)
      }
    }
    return token
  }

  private func comeBack(_ attempt: Int) async {
    guard attempt == self.attempt else { return }
    _ = try? await manager.ask(
      ["connection", "up", "uuid", uuid, "ifname", interface], limit: ManagedLink.joinPatience)
  }

  public func proof(of token: Int) async -> String? {
    guard begun.indices.contains(token), losses.indices.contains(begun[token]) else { return nil }
    return losses[begun[token]]
  }
}
