import Foundation
import RigDevice
import RigDrivers
import RigEmulator
import RigLoop
import RigModel
import RigTestSupport
import RigWire
import Testing

@Suite struct ConformanceTests {
  private func exceptions(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("ok ") } }

  @Test(arguments: [false, true]) func theEmulatedDeviceInMemory(_ guarded: Bool) throws {
    let loop = VirtualLoop()
    let found = try loop.run { () async throws -> [String] in
      let world = SimulatedWorld(loop)
      let device = EmulatedDevice(
        loop, profile: .flagship, serial: "T1", seed: 3, hotspot: SimulatedHotspot(world),
        media: SimulatedMedia(world), guarded: guarded)
      let life = loop.spawn { try await device.live() }
      defer { life.cancel() }
      return await ConformanceLines.found(
        loop, BenchOpener(guarded: guarded) { channel in device.assumeIsolated { $0.accept(channel) } })
    }
    #expect(try found == ConformanceLines.expected(over: guarded ? "serial" : "tcp"))
  }

  @Test func theEmulatedDeviceOverTCP() throws {
    let loop = try EpollLoop()
    let found = try loop.run { () async throws -> [String] in
      let world = SimulatedWorld(loop)
      let device = EmulatedDevice(
        loop, profile: .flagship, serial: "T1", seed: 3, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world))
      let life = loop.spawn { try await device.live() }
      defer { life.cancel() }
      guard let any = SocketAddress(host: "127.0.0.1", port: 0) else { return [] }
      let server = try ControlServer(loop, on: any, device: device)
      let serving = loop.spawn { try await server.serve() }
      let found = await ConformanceLines.found(loop, TCPOpener(loop, server.address))
      await server.close()
      _ = await serving.result
      return found
    }
    #expect(try found == ConformanceLines.expected(over: "tcp"))
  }

  @Test func theCAgentOverStdio() throws {
    let loop = try EpollLoop()
    let found = try loop.run { () async throws -> [String] in
      var settings = DeviceConformance.Settings()
      settings.outlivesChannel = false
      return await ConformanceLines.found(
        loop, ProcessOpener(loop, program: AgentDemo.program, arguments: []), settings)
    }
    #expect(try found == ConformanceLines.expected(over: "stdio"))
  }

  /// The same lines as over stdio, but for those that say why.
  @Test(arguments: [0, 1]) func theCAgentOnASerialLine(_ pieces: Int) throws {
    let loop = try EpollLoop()
    let found = try loop.run { () async throws -> [String] in
      let wire = try SerialWire(loop)
      defer { wire.end() }
      let agent = try ChildProcess(
        loop, program: AgentDemo.program, arguments: ["--tty", wire.far.path, "--guarded"])
      let serial = SerialOpener(loop, path: wire.near.path)
      let found = await ConformanceLines.found(
        loop, pieces == 0 ? serial : DrippingOpener(opener: serial) as any ChannelOpener)
      wire.end()
      _ = try await agent.end()
      return found
    }
    #expect(try found == ConformanceLines.expected(over: "serial"))
  }

  /// A channel that sends one byte at a time.
  private struct DrippingOpener: ChannelOpener {
    let opener: any ChannelOpener
    var name: String { opener.name }
    var isGuarded: Bool { opener.isGuarded }
    nonisolated(nonsending) func open() async throws -> any ByteChannel { Dripping(channel: try await opener.open()) }

    private struct Dripping: ByteChannel {
      let channel: any ByteChannel
      nonisolated(nonsending) func read() async throws -> [UInt8] { try await channel.read() }
      nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
        for byte in bytes { try await channel.write([byte]) }
      }
      func close() { channel.close() }
    }
  }

  // MARK: Devices that do not conform

  /// A device with one thing wrong, between the script and the emulated device.
  private func bent(
    outgoing: @escaping ([UInt8]) -> [UInt8] = { $0 }, incoming: @escaping ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> [String] {
    let loop = VirtualLoop()
    let (outgoing, incoming) = (Bend(outgoing), Bend(incoming))
    let found = try loop.run { () async throws -> [String] in
      let world = SimulatedWorld(loop)
      let device = EmulatedDevice(
        loop, profile: .flagship, serial: "T1", seed: 3, hotspot: SimulatedHotspot(world), media: SimulatedMedia(world))
      let life = loop.spawn { try await device.live() }
      defer { life.cancel() }
      let opener = BenchOpener { channel in device.assumeIsolated { $0.accept(channel) } }
      opener.outgoing = outgoing.bend
      opener.incoming = incoming.bend
      return await ConformanceLines.found(loop, opener)
    }
    return exceptions(found).filter { $0.hasPrefix("not ok") }
  }

  // Unchecked: touched only on the loop's thread.
  private final class Bend: @unchecked Sendable {
    let bend: ([UInt8]) -> [UInt8]
    init(_ bend: @escaping ([UInt8]) -> [UInt8]) { self.bend = bend }
  }

  /// Replaces text in records, and makes their checksums right again.
  private static func replacing(_ old: String, _ new: String) -> ([UInt8]) -> [UInt8] {
    { bytes in
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      return Array(
        lines.map { line -> String in
          guard line.contains(old), line.first == "\u{1E}" else { return String(line) }
          let json = line.dropFirst().dropLast(10).replacingOccurrences(of: old, with: new)
          return String(decoding: RecordFraming(guarded: true).encode(Array(json.utf8)).dropLast(), as: UTF8.self)
        }.joined(separator: "\n").utf8)
    }
  }

  @Test func aConformingDeviceHasNoNotOK() throws { #expect(try bent().isEmpty) }

  @Test(
    arguments: [
      ("\"method\":\"hb\"", "\"method\":\"hB\"", "heartbeats: two in 4 s"),
      ("-32601", "-32600", "an unknown method is refused with -32601"),
      ("-32002", "-32603", "stop: before any start is refused with -32002"),
      ("\"userStopped\":true", "\"userStopped\":false", "finish: userStopped is true"),
      ("\"run\":\"c1\",\"t\"", "\"run\":\"c9\",\"t\"", "session: it starts"),
      ("\"more\":false,\"lost\":0", "\"more\":false,\"lost\":2", "events: the replay is what was pushed"),
      ("\"nonce\":\"n1\"", "\"nonce\":\"m\"", "hello: gives the nonce back"),
      ("\"code\":77", "\"code\":78", "fault: what was injected comes, with its code"),
      ("x.fault.fired", "x.fault.fizzled", "fault: x.fault.fired gives its id"),
    ])
  func aDeviceWithOneThingWrong(_ old: String, _ new: String, _ title: String) throws {
    let lines = try bent(incoming: ConformanceTests.replacing(old, new))
    #expect(lines.contains { $0.contains(" \(title)") }, "\(lines)")
  }

  /// A device that takes any record for good: wrong checksums are made right on the way to it.
  @Test func aDeviceThatChecksNothing() throws {
    let lines = try bent(outgoing: { bytes in
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      return Array(
        lines.map { line -> [UInt8] in
          guard let start = line.lastIndex(of: 0x1E), line.count - (start - line.startIndex) > 12 else {
            return Array(line)
          }
          let json = Array(line[(start + 1)...].dropLast(10))
          return Array(RecordFraming(guarded: true).encode(json).dropLast())
        }.joined(separator: [0x0A]))
    })
    #expect(lines.contains { $0.hasPrefix("not ok 26 a record with a wrong checksum is passed over") }, "\(lines)")
  }

  @Test func nobodyIsThere() throws {
    let loop = VirtualLoop()
    let found = try loop.run { () async throws -> [String] in
      let opener = BenchOpener { _ in false }
      return await ConformanceLines.found(loop, opener)
    }
    #expect(found.count == 1 && found.first?.hasPrefix("not ok 1 hello: the channel opens") == true)
  }
}
