import CRigShims
public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// A hotspot without radio: the device lives in a network namespace of its own, the station in the harness's, and every
/// frame between them crosses an `AirRelay`.
///
/// ```
///  station (this process)      air                         device (its processes)
///  sta0 ── DHCP client ────── airsta0 ─ relay ─ airdev0 ── dev0  192.168.42.1/24, DHCP server
/// ```
/// The harness moves into the station's namespace before any thread exists (`NetworkNamespace.enterPrivate`), so that
/// players, captures and helpers are there without doing anything for it. Nothing has a name outside, and nothing is left
/// when the process ends, however it ends.
public actor NamespaceLink: Link {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  public nonisolated let relay: AirRelay
  /// Where the device's processes and sockets belong.
  public nonisolated let device: NetworkNamespace
  /// The station's interface: where a capture sees what a phone would see.
  public nonisolated let interface: String
  /// `192.168.42.1`
  public nonisolated let deviceHost: String
  public nonisolated var name: String { "namespace" }

  private let thread: LoopThread
  private let station: NetworkNamespace
  private let stationControl: NetworkControl
  let deviceAddress: IPv4
  let server: DHCPServer
  let clashInterface: String
  private var clashes = false
  /// What the other network changed for a station that has joined.
  private(set) var clashProof: String?
  private var lease: Lease?
  private var lost: (@Sendable (Fact) -> Void)?
  private var monitor: Task<Void, any Error>?
  private var transactions: UInt32 = 0
  /// Faults that a case began, by token.
  var begun: [LinkFault] = []
  /// What the kernel said of lost carriers in this case.
  var losses: [String] = []

  static let prefix: UInt8 = 24
  private static let leaseSeconds: UInt32 = 120
  private static let leasePatience: Duration = .seconds(4)
  private static let carrierPoll: Duration = .milliseconds(20)
  private static let connectPatience: Duration = .seconds(2)

  /// Builds both sides and starts the relay. The calling thread must be in the station's namespace.
  /// - Parameters:
  ///   - number: tells links of one process apart: the device is 192.168.(42 + number).1.
  ///   - seed: of the impairments' decisions.
  /// - Throws: `SystemError` where the kernel refuses a part, by name.
  public init(_ loop: EpollLoop, number: UInt8 = 0, seed: UInt64) throws {
    self.loop = loop
    interface = "sta\(number)"
    clashInterface = "home\(number)"
    deviceAddress = IPv4(192, 168, 42 &+ number, 1)
    deviceHost = deviceAddress.description
    station = try NetworkNamespace.current("station")
    device = try NetworkNamespace.make("device")
    let air = try NetworkNamespace.make("air")

    stationControl = try NetworkControl(station)
    let deviceControl = try NetworkControl(device)
    let airControl = try NetworkControl(air)
    try airControl.addPair("airsta\(number)", peer: interface, in: station)
    try airControl.addPair("airdev\(number)", peer: "dev\(number)", in: device)
    for (space, name) in [(station, interface), (device, "dev\(number)")] {
      let code = try space.run { rig_checksum_in_software(name) }
      guard code == 0 else { throw SystemError("ioctl", code: code, on: "checksums of \(name)") }
    }
    try deviceControl.add(deviceAddress, prefix: NamespaceLink.prefix, to: "dev\(number)")
    let stationPort = try AirPort("airsta\(number)", in: air, airControl)
    let devicePort = try AirPort("airdev\(number)", in: air, airControl)
    for (control, name) in [
      (airControl, "airsta\(number)"), (airControl, "airdev\(number)"), (deviceControl, "dev\(number)"),
      (stationControl, interface),
    ] { try control.setUp(name, true) }

    thread = try LoopThread()
    relay = AirRelay(thread.loop, station: stationPort, device: devicePort, seed: seed)
    server = DHCPServer(
      try BroadcastSocket(loop, in: device, interface: "dev\(number)", port: 67),
      DHCPPool(server: deviceAddress, prefix: NamespaceLink.prefix, leaseSeconds: NamespaceLink.leaseSeconds))
    let (server, relay) = (server, relay)
    loop.spawn { try await server.serve() }
    thread.loop.spawn { await relay.run() }
  }

  /// Takes all of it down. Processes in the device's namespace are the caller's to end.
  public func close() async {
    monitor?.cancel()
    server.close()
    setClash(false)
    leave()
    await relay.close()
    thread.stop()
    try? stationControl.remove(interface)
  }

  // MARK: Cases

  /// The beginning of a case: nothing impaired, no lease, the decisions of `seed`.
  public func restart(seed: UInt64) async {
    begun = []
    losses = []
    await relay.restart(seed: seed)
    server.pool.restart()
    setClash(false)
    leave()
  }

  /// Starts a process on the device's side.
  public func spawn(program: String, arguments: [String], stderr: Int32? = nil) throws -> ChildProcess {
    try device.run { try ChildProcess(loop, program: program, arguments: arguments, stderr: stderr) }
  }

  /// Opens control channels beside the air.
  public nonisolated func opener(_ control: SocketAddress) -> NamespaceOpener {
    NamespaceOpener(loop, in: device, control)
  }

  // MARK: Faults

  /// No lease: the device's DHCP server hears requests and does not answer, or refuses them.
  public func setLeasing(_ manner: Leasing) {
    server.pool.manner = manner.pool
    leave()
  }

  public enum Leasing: String, Sendable {
    case normal, silent, refusing
    var pool: DHCPPool.Manner {
      switch self {
      case .normal: .leases
      case .silent: .silent
      case .refusing: .refuses
      }
    }
  }

  /// What the device's DHCP server heard and said in this case.
  public func leasing() -> DHCPCounters { server.pool.counters }

  /// Subnet clash: the station has another network with the device's addresses, as a phone at home has, and it comes
  /// first.
  public func setSubnetClash(_ isOn: Bool) throws {
    guard isOn != clashes else { return }
    leave()
    setClash(false)
    guard isOn else { return }
    try stationControl.addPair(clashInterface, peer: "\(clashInterface)far", in: station)
    clashes = true
    try stationControl.setUp(clashInterface, true)
    try stationControl.setUp("\(clashInterface)far", true)
    try stationControl.add(clashAddress, prefix: NamespaceLink.prefix, to: clashInterface)
  }

  private nonisolated var clashAddress: IPv4 { IPv4(deviceAddress.value + 76) }

  var now: HostTime { loop.now }

  private func setClash(_: Bool) {
    clashProof = nil
    guard clashes else { return }
    clashes = false
    try? stationControl.remove(clashInterface)
  }

  /// Calls `lost` with a fact of kind `link.lost` when the station's carrier goes while it has a lease; as the kernel
  /// says, not as the relay was told.
  public func onLost(_ lost: @escaping @Sendable (Fact) -> Void) {
    self.lost = lost
    guard monitor == nil else { return }
    // The kernel tells its listeners of a lost carrier up to a second late, and of a short loss not at all; asked, it
    // knows at once.
    monitor = loop.spawn { [loop] in
      var had = true
      while !Task.isCancelled {
        try await loop.sleep(for: NamespaceLink.carrierPoll)
        had = await self.carrier(had)
      }
    }
  }

  private func carrier(_ had: Bool) -> Bool {
    guard let has = try? stationControl.hasCarrier(interface), has != had else { return had }
    if !has {
      let held = lease.map { "while it held the \($0)" } ?? "without a lease"
      losses.append("\(interface) lost its carrier \(held)")
      if lease != nil { lost?(Fact(.linkLost, by: .link, at: loop.now, detail: losses.last ?? "")) }
    }
    return has
  }

  // MARK: Joining

  /// Forgets the lease, as a station that leaves the hotspot.
  public func leave() {
    guard let lease else { return }
    self.lease = nil
    try? stationControl.remove(lease.address, prefix: lease.prefix, from: interface)
  }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    do {
      guard try stationControl.hasCarrier(interface) else {
        return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "\(interface) has no carrier")
      }
      if let lease, loop.now - lease.since > .seconds(Int64(lease.seconds)) { leave() }
      let lease = try await join()
      guard let target else {
        return Fact(.linkJoined, by: .link, at: loop.now, detail: "\(lease); hello announces no probe port")
      }
      return await tcp(from: station).joined(target, from: "\(lease)")
    } catch let error as SystemError {
      return Fact(.stationFailed, by: .link, at: loop.now, detail: "\(error)")
    } catch {
      return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "\(error)")
    }
  }

  // Not over the air: silence there may be the impairment's, and says nothing of the device.

  public func probeGone(_ target: Hello.Probe?) async -> Fact { await tcp(from: device).hotspot(target) }

  public func probePort(host: String, port: UInt16) async -> Fact { await tcp(from: device).port(host, port) }

  private nonisolated func tcp(from space: NetworkNamespace) -> TCPProbe {
    TCPProbe(loop: loop, space: space, patience: NamespaceLink.connectPatience)
  }

  /// Leases an address over the air, unless there is one.
  private func join() async throws -> Lease {
    if let lease { return lease }
    transactions &+= 1
    let hardware = try stationControl.hardware(interface)
    let client = DHCPClient(
      hardware: hardware, transaction: transactions &* 0x9E37_79B9, at: loop.now,
      patience: NamespaceLink.leasePatience)
    let socket = try BroadcastSocket(loop, in: station, interface: interface, port: 68)
    switch try await StationLeasing(loop, socket, client).run() {
    case .lease(let lease):
      try stationControl.add(lease.address, prefix: lease.prefix, to: interface)
      self.lease = lease
      if clashes {
        clashProof = SubnetClash.proof(
          clashInterface, clashAddress, towards: deviceAddress,
          used: try station.run { LocalAddress.used(towards: deviceHost) })
      }
      return lease
    case .nobody: throw NoLease(description: "no DHCP server answered in \(NamespaceLink.leasePatience.text)")
    case .refused(let by): throw NoLease(description: "the DHCP server \(by) leased no address")
    }
  }

  private struct NoLease: Error, CustomStringConvertible {
    let description: String
  }
}
