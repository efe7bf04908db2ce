public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// A real hotspot: the station is a radio of this machine, in a network namespace of its own, so that its addresses and
/// routes meet nothing else of the machine, and nothing of the machine goes out through it. It gets no default route.
///
/// ```
///  home: control link, reports        wifi-phy0: wlan0, wpa_supplicant, DHCP client, capture, media helper
/// ```
/// Needs root. The device names the hotspot (`connectDeviceHotspotStarting`); where it names no key, the rig's is taken.
public actor WiFiLink: Link {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  public nonisolated var name: String { "wifi" }
  /// The station's interface: where a capture sees what a phone would see.
  public nonisolated let interface: String
  /// The radio's network namespace: captures and players belong there.
  public nonisolated let station: NetworkNamespace

  private let radio: WiFiStation
  private let rigKey: String?
  /// What the device asked for last, and how it went.
  private var joining: Task<Fact, any Error>?
  private var profile: HotspotProfile?
  private var megahertz: Int?
  private var lease: Lease?
  private var failure: JoinFailure?
  private var transactions: UInt32 = 0
  private var lost: (@Sendable (Fact) -> Void)?
  /// Counts joins: one that was given up must not write into the next.
  private var attempt = 0

  // Faults of the case.
  var usesWrongKey = false
  var isDeaf = false
  var clashes = false
  var begun: [WiFiFault] = []
  var losses: [String] = []
  /// Leasings of this case while deaf.
  private var deaf: [StationLeasing] = []
  private(set) var wrongKeyProof: String?
  private var clashAddress: IPv4?
  /// What the other network changed for a station that has joined.
  private(set) var clashProof: String?

  static let clashInterface = "othernet"
  /// A device may still be starting its DHCP server when its access point is there already.
  private static let leasePatience: Duration = .seconds(15)
  private static let connectPatience: Duration = .seconds(2)

  /// Takes a radio, by the name of its interface or its own.
  /// - Parameters:
  ///   - country: ISO 3166-1 alpha-2, for the regulatory domain; `nil`: the machine's.
  ///   - key: of hotspots whose key the device does not tell.
  /// - Throws: `RadioUnavailable`, `SystemError`.
  public static nonisolated(nonsending) func open(
    _ loop: EpollLoop, radio: String, country: String? = nil, key: String? = nil
  ) async throws -> WiFiLink {
    let code = country.flatMap(SupplicantConfig.country)
    if let country, code == nil { throw RadioUnavailable("\(country.debugDescription) is no country code, such as DE") }
    if let key, HotspotKey(key) == nil { throw RadioUnavailable("the rig's hotspot key: \(JoinFailure.badKey)") }
    let link = WiFiLink(loop, try await WiFiStation.open(loop, radio: radio, country: code), key: key)
    await link.listen()
    return link
  }

  private init(_ loop: EpollLoop, _ radio: WiFiStation, key: String?) {
    self.loop = loop
    self.radio = radio
    rigKey = key
    interface = radio.interface
    station = radio.space
  }

  private func listen() {
    radio.onDisconnected = { [weak self] why in
      guard let self else { return }
      self.loop.post { self.assumeIsolated { $0.disconnected(why) } }
    }
  }

  /// Gives the radio back.
  public func close() async {
    await restart()
    await radio.close()
  }

  /// The beginning of a case: on no hotspot, nothing impaired.
  public func restart() async {
    attempt += 1
    lost = nil
    await leave()
    joining = nil
    profile = nil
    failure = nil
    usesWrongKey = false
    isDeaf = false
    endClash()
    begun = []
    losses = []
    deaf = []
    wrongKeyProof = nil
  }

  var now: HostTime { loop.now }

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
      let bssid = try await associate(profile)
      let frequency = await radio.frequency()
      guard attempt == self.attempt else { throw JoinFailure.supplicant("joining was given up") }
      megahertz = frequency
      let lease = try await takeLease(profile)
      guard attempt == self.attempt else { throw JoinFailure.supplicant("joining was given up") }
      return Fact(.linkJoined, by: .link, at: loop.now, detail: place(bssid, profile, lease))
    } catch {
      let why = error as? JoinFailure ?? .supplicant("\(error)")
      if attempt == self.attempt { failure = why }
      return why.fact(at: loop.now)
    }
  }

  private func associate(_ profile: HotspotProfile) async throws -> String {
    let isWrong = usesWrongKey && profile.key != nil
    do {
      return try await radio.associate(profile, usesWrongKey: isWrong)
    } catch let error as JoinFailure {
      if isWrong, case .wrongKey(_, let bssid) = error {
        wrongKeyProof =
          "the station used another key; the access point \(bssid) never confirmed it: no key negotiation completed"
      }
      throw error
    }
  }

  private func takeLease(_ profile: HotspotProfile) async throws -> Lease {
    transactions &+= 1
    let client = DHCPClient(
      hardware: try radio.control.hardware(interface), transaction: transactions &* 0x9E37_79B9,
      at: loop.now, patience: WiFiLink.leasePatience, isDeaf: isDeaf)
    let socket = try BroadcastSocket(loop, in: station, interface: interface, port: 68)
    let leasing = StationLeasing(loop, socket, client)
    if isDeaf { deaf.append(leasing) }
    switch try await leasing.run() {
    case .lease(let lease):
      try clash(with: lease)
      try radio.control.add(lease.address, prefix: lease.prefix, to: interface)
      self.lease = lease
      if let clashAddress {
        clashProof = SubnetClash.proof(
          WiFiLink.clashInterface, clashAddress, towards: lease.server,
          used: try station.run { LocalAddress.used(towards: "\(lease.server)") })
      }
      return lease
    case .nobody: throw JoinFailure.noLease(profile.name, "no DHCP server answered in \(WiFiLink.leasePatience.text)")
    case .refused(let by): throw JoinFailure.noLease(profile.name, "the DHCP server \(by) leased no address")
    }
  }

  /// Off the hotspot, with nothing left of it.
  private func leave() async {
    if let lease {
      self.lease = nil
      try? radio.control.remove(lease.address, prefix: lease.prefix, from: interface)
    }
    await radio.leave()
  }

  // MARK: Witness

  public func watch(_ see: @escaping @Sendable (Fact) -> Void) async { lost = see }

  private func disconnected(_ loss: WiFiStation.Loss) {
    losses.append(loss.text)
    guard let lease else { return }
    let kind: FactKind = loss.isOfStation ? .stationFailed : .linkLost
    lost?(Fact(kind, by: .link, at: loop.now, detail: "\(loss.text), while it held the \(lease)"))
  }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    // What it says stands in `failure` and `lease` as well.
    _ = await joining?.result
    func no(_ why: String) -> Fact { Fact(.linkNotJoined, by: .link, at: loop.now, detail: why) }
    if let failure { return failure.fact(at: loop.now) }
    guard let profile else { return no("the device named no hotspot that could be joined") }
    guard let lease else { return no("no lease on \(profile.name)") }
    guard let bssid = radio.bssid else { return no("the station lost \(profile.name): \(losses.last ?? "")") }
    let place = place(bssid, profile, lease)
    guard let target else {
      return Fact(.linkJoined, by: .link, at: loop.now, detail: "\(place); hello announces no probe port")
    }
    let clash = clashAddress.map { "; subnet clash: \(WiFiLink.clashInterface) holds \($0)/\(lease.prefix)" } ?? ""
    return await tcp.joined(target, from: place, hint: clash)
  }

  private func place(_ bssid: String, _ profile: HotspotProfile, _ lease: Lease) -> String {
    "associated with \(bssid) of \(profile.name)\(megahertz.map { " on \($0) MHz" } ?? ""); \(lease)"
  }

  public func probeGone(_ target: Hello.Probe?) async -> Fact {
    if let bssid = radio.bssid {
      return Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "the station is still associated with \(bssid)")
    }
    guard let profile else {
      return Fact(.hotspotGone, by: .link, at: loop.now, detail: HotspotNotSought.noHotspotNamed.rawValue)
    }
    do {
      if let seen = try await radio.look(for: profile, at: megahertz ?? profile.channel?.megahertz) {
        return Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "\(profile.name) is still on the air: \(seen)")
      }
      return Fact(.hotspotGone, by: .link, at: loop.now, detail: "a scan does not find \(profile.name)")
    } catch {
      return Fact(
        .stationFailed, by: .link, at: loop.now, detail: "whether the hotspot is gone cannot be told: \(error)")
    }
  }

  public func probePort(host: String, port: UInt16) async -> Fact {
    guard radio.bssid != nil else {
      return Fact(.portClosed, by: .link, at: loop.now, detail: "the hotspot is gone, and nobody reaches the port")
    }
    return await tcp.port(host, port)
  }

  private var tcp: TCPProbe { TCPProbe(loop: loop, space: station, patience: WiFiLink.connectPatience) }

  // MARK: What faults do to it

  /// Throws the station off the hotspot, and lets it come back after `duration`.
  func drop(for duration: Duration?) async throws {
    try await radio.disconnect()
    guard let duration else { return }
    let attempt = attempt
    loop.spawn { [loop] in
      try await loop.sleep(for: duration)
      await self.comeBack(attempt)
    }
  }

  private func comeBack(_ attempt: Int) async {
    guard attempt == self.attempt else { return }
    try? await radio.reconnect()
  }

  /// Another network with the device's addresses, which comes first.
  private func clash(with lease: Lease) throws {
    guard clashes else { return }
    let other = IPv4(lease.network.value | 77)
    try radio.control.addPair(WiFiLink.clashInterface, peer: "\(WiFiLink.clashInterface)far", in: station)
    clashAddress = other
    try radio.control.setUp(WiFiLink.clashInterface, true)
    try radio.control.setUp("\(WiFiLink.clashInterface)far", true)
    try radio.control.add(other, prefix: lease.prefix, to: WiFiLink.clashInterface)
  }

  private func endClash() {
    clashes = false
    clashProof = nil
    guard clashAddress != nil else { return }
    clashAddress = nil
    try? radio.control.remove(WiFiLink.clashInterface)
  }

  var hasLease: Bool { lease != nil }
  var isAssociated: Bool { radio.bssid != nil }

  /// Messages of DHCP in this case while deaf: sent, and offers that were not taken.
  var unanswered: (asked: Int, ignored: Int) {
    (deaf.reduce(0) { $0 + $1.sent }, deaf.reduce(0) { $0 + $1.ignored })
  }
}
