public import RigLoop
public import RigModel

/// The real media of an emulated device: an RTSP server that plays an encoded clip.
public actor ServerMedia: MediaBackend {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let address: SocketAddress
  private let clips: any ClipSource
  private var random: SplitMix64
  private var server: RTSPServer?

  public init(_ loop: EpollLoop, on address: SocketAddress, clips: any ClipSource, seed: UInt64) {
    self.loop = loop
    self.address = address
    self.clips = clips
    random = SplitMix64(seed: seed)
  }

  public func start(_ params: StreamParameters?, faults: [InjectedFault]) async throws -> StartedMedia {
    await server?.stop()
    let clip = try await clips.clip(for: params)
    let server = RTSPServer(loop: loop, address: address, clip: clip, random: random.split())
    await server.setFaults(RTSPFaults(faults.compactMap { RTSPFault(injected: $0) }))
    try await server.start()
    self.server = server
    return StartedMedia(address: await server.url ?? "", counterModulus: clip.video?.units.count)
  }

  public func deadAddress() -> String {
    // Port 1 of the device's own address: nothing in the emulator ever listens there.
    SocketAddress(host: address.host, port: 1).map { "rtsp://\($0)/live" } ?? ""
  }

  public func stop(leakPort: Bool) async {
    if leakPort { return }
    await server?.stop()
    server = nil
  }
}

/// Where an emulated device gets its picture and sound.
public protocol ClipSource: Sendable {
  /// - Parameter params: `nil`: the device's defaults.
  func clip(for params: StreamParameters?) async throws -> Clip
}

extension RTSPFault {
  /// The server's form of an injected fault; `nil` where the device carries it out elsewhere.
  init?(injected fault: InjectedFault) {
    switch fault.verb {
    case "bad-cseq": self = .badCSeq
    case "extra-bytes": self = .garbageBetweenFrames(every: 20, bytes: 6)
    case "no-sprop": self = .noParameterSets
    case "seq-jump": self = .seqJump(after: 60, by: 1000)
    case "drop": self = .dropPackets(every: 50)
    case "ssrc-change": self = .ssrcChange(after: 60)
    case "wrong-ssrc": self = .wrongSSRCInTransport
    case "empty-payload": self = .emptyPayload(after: 40)
    case "no-sr": self = .noSR
    case "bad-sr-time": self = .badSRTime(offset: .seconds(3))
    case "stall": self = .stall(after: .seconds(1), for: fault.duration("for") ?? .seconds(3))
    case "annexb-in-fu": self = .annexBInFU
    case "no-key-frame": self = .noKeyFrame
    default: return nil
    }
  }
}
