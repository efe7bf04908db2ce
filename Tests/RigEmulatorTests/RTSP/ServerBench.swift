import RigEmulator
import RigLoop
import RigModel
import RigWire
import Testing

/// A running server, its events, and what tests need of its media.
// Unchecked: touched only on the loop's thread.
final class ServerBench: @unchecked Sendable {
  let loop: EpollLoop
  let server: RTSPServer
  let address: SocketAddress
  let file: ClipFile
  private let events: AsyncStream<RTSPServerEvent>
  private var seen: [RTSPServerEvent] = []

  var url: String { "rtsp://\(address)/live" }
  func track(_ index: Int) -> String { "\(url)/trackID=\(index)" }

  private init(
    _ loop: EpollLoop, _ server: RTSPServer, _ address: SocketAddress, _ file: ClipFile,
    _ events: AsyncStream<RTSPServerEvent>
  ) {
    self.loop = loop
    self.server = server
    self.address = address
    self.file = file
    self.events = events
  }

  /// Runs `body` against a server on loopback; the server is stopped afterwards.
  static func run<R: Sendable>(
    file: ClipFile = ClipFile(), options: RTSPServerOptions = RTSPServerOptions(), faults: RTSPFaults = [],
    seed: UInt64 = 7, host: String = "127.0.0.1",
    _ body: @escaping @Sendable (ServerBench) async throws -> R
  ) throws -> R {
    let loop = try EpollLoop()
    let clip = try file.parsed()
    return try loop.run {
      let any = try #require(SocketAddress(host: host, port: 0))
      let (events, sink) = AsyncStream.makeStream(of: RTSPServerEvent.self)
      let server = RTSPServer(
        loop: loop, address: any, clip: clip, random: SplitMix64(seed: seed), options: options
      ) { sink.yield($0) }
      await server.setFaults(faults)
      let address = try await server.start()
      // Whoever waits for an event that never comes goes on and fails.
      _ = loop.schedule(at: loop.now + .seconds(10)) { sink.finish() }
      let bench = ServerBench(loop, server, address, file, events)
      do {
        let result = try await body(bench)
        await server.stop()
        return result
      } catch {
        await server.stop()
        throw error
      }
    }
  }

  func client() async throws -> RTSPTestClient { try await RTSPTestClient.connect(loop, to: address) }

  /// The first event, from the server's start on, for which `isWanted` holds.
  func event(_ isWanted: (RTSPServerEvent) -> Bool) async -> RTSPServerEvent? {
    if let found = seen.first(where: isWanted) { return found }
    for await event in events {
      seen.append(event)
      if isWanted(event) { return event }
    }
    return nil
  }

  /// Waits until the fault named so has acted.
  func acted(_ name: String) async -> Bool {
    await event { if case .faultActed(let fault, _, _) = $0 { fault == name } else { false } } != nil
  }

  func ended() async -> RTSPSessionEnd? {
    let found = await event { if case .ended = $0 { true } else { false } }
    guard case .ended(_, let reason)? = found else { return nil }
    return reason
  }

  /// SETUP of both tracks (channels 0–3) and PLAY on a connection of its own.
  func playing(tracks: [Int] = [0, 1]) async throws -> (client: RTSPTestClient, play: RTSPMessage) {
    let client = try await client()
    for index in tracks {
      let channels = "RTP/AVP/TCP;unicast;interleaved=\(2 * index)-\(2 * index + 1)"
      let answer = try await client.send("SETUP", track(index), ["Transport": channels])
      try #require(answer.status == 200)
    }
    return (client, try await client.send("PLAY", url))
  }
}

/// An RTP packet as the tests look at it.
struct RTPPacket {
  var header: RTPHeader
  var payload: [UInt8]
  init(_ bytes: [UInt8]) throws {
    header = try RTPHeader(parsing: bytes)
    payload = Array(bytes[header.payload])
  }
}

/// Puts the packets of one access unit together again.
func nalUnits(_ packets: [RTPPacket]) -> [[UInt8]] {
  var units: [[UInt8]] = []
  for packet in packets {
    guard let first = packet.payload.first else { continue }
    guard first & 31 == 28, packet.payload.count > 2 else {
      units.append(packet.payload)
      continue
    }
    if packet.payload[1] & 0x80 != 0 { units.append([first & 0xE0 | packet.payload[1] & 31]) }
    if !units.isEmpty { units[units.count - 1] += packet.payload[2...] }
  }
  return units
}

extension RTSPTestClient {
  func packet(_ channel: UInt8 = 0) async throws -> RTPPacket { try RTPPacket(try await frame(channel)) }

  /// The packets up to the next marker.
  func accessUnit(_ channel: UInt8 = 0) async throws -> [RTPPacket] {
    var packets: [RTPPacket] = []
    while packets.last?.header.marker != true { packets.append(try await packet(channel)) }
    return packets
  }

  func reports(_ channel: UInt8 = 1) async throws -> RTCPCompound { RTCPCompound(parsing: try await frame(channel)) }
}

extension RTCPCompound {
  var senderReport: RTCPPacket.SenderReport? {
    for case .senderReport(let report) in packets { return report }
    return nil
  }
  var isBye: Bool { packets.contains { if case .bye = $0 { true } else { false } } }
}
