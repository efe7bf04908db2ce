import RigDevice
import RigLoop
import RigModel

/// A radio in a network namespace of its own, with a supplicant: scans, associates, and tells when it was thrown out.
// Unchecked: touched only on the loop's thread.
final class WiFiStation: @unchecked Sendable {
  let loop: EpollLoop
  let radio: Radio
  let space: NetworkNamespace
  let interface: String
  let control: NetworkControl
  private let home: NetworkNamespace
  private let radioSwitch: RadioSwitch
  private var supplicant: Supplicant?
  private var gaveUpByManager = false
  private var machine: JoinMachine?
  private var waiting: UnsafeContinuation<Void, Never>?
  private var scanEnded: UnsafeContinuation<Void, Never>?
  /// Scans that have ended, and the errno of the last one where the driver refused it.
  private var scans = 0
  private var scanRefusal: Int32?
  /// The access point that it is associated with.
  private(set) var bssid: String?
  private(set) var isEnded = false
  /// Called when an association ends, with why.
  var onDisconnected: ((Loss) -> Void)?

  struct Loss {
    var text: String
    /// Not the access point's doing, nor asked for: the radio or the supplicant ended it.
    var isOfStation: Bool
  }

  private static let scanPatience: Duration = .seconds(8)

  private init(
    _ loop: EpollLoop, _ radio: Radio, _ space: NetworkNamespace, home: NetworkNamespace, interface: String,
    _ control: NetworkControl, _ radioSwitch: RadioSwitch
  ) {
    self.loop = loop
    self.radio = radio
    self.radioSwitch = radioSwitch
    self.space = space
    self.home = home
    self.interface = interface
    self.control = control
  }

  // MARK: Up and down

  /// Takes the radio out of the calling thread's namespace, and starts a supplicant on it.
  /// - Throws: `RadioUnavailable` with what a person can do about it; `SystemError`.
  static nonisolated(nonsending) func open(_ loop: EpollLoop, radio name: String, country: String?) async throws
    -> WiFiStation
  {
    let radio = try Radio.find(name)
    if let refusal = radio.refusal { throw refusal }
    switch radio.manager {
    case "NetworkManager"?:
      try await tellManager(loop, radio.interface, "no")
      do {
        return try await take(loop, radio, country: country, gaveUpByManager: true)
      } catch {
        // Whoever cannot use it must not keep it from those who can.
        try? await tellManager(loop, radio.interface, "yes")
        throw error
      }
    default: return try await take(loop, radio, country: country, gaveUpByManager: false)
    }
  }

  private static nonisolated(nonsending) func take(
    _ loop: EpollLoop, _ radio: Radio, country: String?, gaveUpByManager: Bool
  ) async throws -> WiFiStation {
    let home = try NetworkNamespace.current("home")
    let radioSwitch = RadioSwitch(of: radio.phy)
    let space = try NetworkNamespace.make("wifi-\(radio.phy)")
    guard let wireless = try WirelessControl(home) else { throw RadioUnavailable("the kernel has no Wi-Fi") }
    do {
      try wireless.move(radio.index, name: radio.text, to: space)
    } catch let error as SystemError {
      throw RadioUnavailable("\(radio.text) cannot be moved to a network namespace of its own: \(error.reason)")
    }
    let interface = try stationInterface(of: radio, in: space)
    let station = WiFiStation(
      loop, radio, space, home: home, interface: interface, try NetworkControl(space), radioSwitch)
    station.gaveUpByManager = gaveUpByManager
    do {
      station.supplicant = try await Supplicant.start(loop, in: space, interface: interface, country: country) {
        [weak station] event in station?.see(event)
      }
    } catch {
      await station.close()
      throw error
    }
    return station
  }

  private static func stationInterface(of radio: Radio, in space: NetworkNamespace) throws -> String {
    guard let wireless = try WirelessControl(space) else { throw RadioUnavailable("the kernel has no Wi-Fi") }
    let own = try wireless.interfaces().filter { $0.wiphy == radio.index }
    if let there = own.first(where: { $0.kind == WirelessControl.station }) ?? own.first { return there.name }
    try wireless.addStation("wlan0", on: radio.index)
    return "wlan0"
  }

  private static nonisolated(nonsending) func tellManager(
    _ loop: EpollLoop, _ interface: String, _ managed: String
  ) async throws {
    guard let program = SystemTree.program("nmcli") else {
      throw RadioUnavailable("\(interface) is managed by NetworkManager, and nmcli is missing to take it away from it")
    }
    let child = try ChildProcess(
      loop, program: program, arguments: ["device", "set", interface, "managed", managed])
    let exit = try await child.waitForExit()
    guard exit == .code(0) else {
      throw RadioUnavailable("NetworkManager does not give up \(interface): nmcli ended with \(exit)")
    }
  }

  /// Gives the radio back as it was.
  nonisolated(nonsending) func close() async {
    isEnded = true
    await supplicant?.end()
    supplicant = nil
    // Where this fails the kernel moves it by itself, when nothing is left in the namespace.
    try? WirelessControl(space)?.move(radio.index, name: radio.text, to: home)
    if gaveUpByManager { try? await WiFiStation.tellManager(loop, radio.interface, "yes") }
  }

  // MARK: Joining

  /// Associates with the hotspot.
  /// - Returns: the access point.
  nonisolated(nonsending) func associate(_ profile: HotspotProfile, usesWrongKey: Bool) async throws -> String {
    await leave()
    let machine = JoinMachine(profile, at: loop.now)
    self.machine = machine
    try await select(profile, usesWrongKey: usesWrongKey, anyChannel: false)
    let timer = loop.schedule(at: machine.deadline) {
      self.machine?.tick(at: self.loop.now)
      self.wake()
    }
    defer { loop.cancel(timer) }
    var isWide = false
    while let now = self.machine, now.outcome == nil {
      if now.wantsAnyChannel, !isWide {
        isWide = true
        try await select(profile, usesWrongKey: usesWrongKey, anyChannel: true)
      } else {
        await withUnsafeContinuation { waiting = $0 }
      }
    }
    switch self.machine?.outcome {
    case .associated(let bssid)?: return bssid
    case .failed(let failure)?:
      await leave()
      throw failure
    case nil: throw JoinFailure.supplicant("joining was given up")
    }
  }

  private nonisolated(nonsending) func select(
    _ profile: HotspotProfile, usesWrongKey: Bool, anyChannel: Bool
  ) async throws {
    guard let supplicant, !isEnded else { throw JoinFailure.supplicant("wpa_supplicant is not running") }
    try await supplicant.ask("REMOVE_NETWORK all")
    // What an earlier case saw says nothing of now.
    try await supplicant.ask("BSS_FLUSH 0")
    try await supplicant.ask("SCAN_INTERVAL 1")
    let id = try await supplicant.ask("ADD_NETWORK")
    for field in profile.fields(usesWrongKey: usesWrongKey, anyChannel: anyChannel) {
      try await supplicant.ask("SET_NETWORK \(id) \(field.name) \(field.value)")
    }
    try await supplicant.ask("SELECT_NETWORK \(id)")
  }

  /// Forgets the hotspot. Not a loss: nobody is told.
  nonisolated(nonsending) func leave() async {
    machine = nil
    bssid = nil
    wake()
    _ = try? await supplicant?.ask("REMOVE_NETWORK all")
    bssid = nil
  }

  /// Leaves the access point, and does not come back by itself.
  nonisolated(nonsending) func disconnect() async throws { try await supplicant?.ask("DISCONNECT") }
  nonisolated(nonsending) func reconnect() async throws { try await supplicant?.ask("RECONNECT") }

  // MARK: Looking

  /// Whether an access point of this name is on the air now.
  /// - Returns: what was seen of it, or `nil`: a whole scan without it.
  nonisolated(nonsending) func look(for profile: HotspotProfile, at megahertz: Int?) async throws -> String? {
    guard let supplicant, !isEnded else { throw JoinFailure.supplicant("wpa_supplicant is not running") }
    try await supplicant.ask("BSS_FLUSH 0")
    var command = "SCAN"
    if let megahertz { command += " freq=\(megahertz)" }
    if profile.isHidden { command += " ssid \(profile.name.hex)" }
    let scansBefore = scans
    do {
      try await supplicant.ask(command)
    } catch JoinFailure.supplicant(let why) where why.contains("FAIL-BUSY") {
      // One that is under way will do.
    }
    let timer = loop.schedule(at: loop.now + WiFiStation.scanPatience) {
      self.scanEnded?.resume()
      self.scanEnded = nil
    }
    if scans == scansBefore { await withUnsafeContinuation { scanEnded = $0 } }
    loop.cancel(timer)
    if radioSwitch.block != nil { throw JoinFailure.blocked }
    guard !isEnded else { throw JoinFailure.supplicant("wpa_supplicant ended") }
    if scans != scansBefore, let scanRefusal { throw JoinFailure.scanRefused(errno: scanRefusal) }
    guard scans != scansBefore else {
      throw JoinFailure.supplicant("no scan ended in \(WiFiStation.scanPatience.text)")
    }
    let seen = ScanResults(try await supplicant.ask("SCAN_RESULTS")).accessPoints
      .first { $0.ssid == profile.name.octets }
    return seen.map { "\($0.bssid) on \($0.megahertz) MHz with \($0.signal) dBm" }
  }

  /// The channel of the access point that it is associated with, in MHz.
  nonisolated(nonsending) func frequency() async -> Int? {
    guard let status = try? await supplicant?.ask("STATUS") else { return nil }
    return status.split(separator: "\n").first { $0.hasPrefix("freq=") }.flatMap { Int($0.dropFirst(5)) }
  }

  // MARK: Events

  private func see(_ event: SupplicantEvent) {
    machine?.see(event, at: loop.now)
    switch event {
    case .connected(let bssid): self.bssid = bssid
    case .disconnected(_, let reason, let isLocal):
      let was = bssid
      bssid = nil
      if let was {
        let isBlocked = isLocal && radioSwitch.block != nil
        let why = WiFiStation.loss(of: was, reason: reason, isLocal: isLocal)
        onDisconnected?(Loss(text: isBlocked ? "\(why): \(JoinFailure.blocked)" : why, isOfStation: isBlocked))
      }
    case .scanResults, .scanFailed:
      scans += 1
      if case .scanFailed(let errno) = event { scanRefusal = errno } else { scanRefusal = nil }
      scanEnded?.resume()
      scanEnded = nil
    case .terminating:
      isEnded = true
      scanEnded?.resume()
      scanEnded = nil
      if let was = bssid {
        onDisconnected?(Loss(text: "wpa_supplicant ended while associated with \(was)", isOfStation: true))
      }
      bssid = nil
    default: break
    }
    wake()
  }

  static func loss(of bssid: String, reason: Int, isLocal: Bool) -> String {
    switch (isLocal, reason) {
    case (true, 4): "the access point \(bssid) fell silent"
    case (true, 3): "the station left the access point \(bssid)"
    case (true, _): "the station gave up the access point \(bssid): \(JoinFailure.reason(reason))"
    case (false, _): "the access point \(bssid) threw the station out: \(JoinFailure.reason(reason))"
    }
  }

  private func wake() {
    let waiter = waiting
    waiting = nil
    waiter?.resume()
  }
}
