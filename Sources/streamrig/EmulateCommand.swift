import Glibc
import RigDevice
import RigEmulator
import RigLoop
import RigModel

enum EmulateCommand: Command {
  static let name = "emulate"
  static let summary = "Be an emulated device: stage-link over TCP, a hotspot port, an RTSP server."
  static let usage = "[--host ADDRESS] [--model MODEL] [--serial TEXT] [--seed N]"
  static let options =
    [
      Option.value("--host", "ADDRESS", "where to listen; default: the first free 127.66.n.1"),
      Option.value("--control-port", "N", "port of the control link, default 7066"),
      Option.value("--rtsp-port", "N", "port of the RTSP server, default 8554"),
      Option.value("--model", "MODEL", "which device: \(DeviceProfile.all.map(\.model).joined(separator: ", "))"),
      Option.value("--serial", "TEXT", "serial number"),
      Option.value("--seed", "N", "seed of all that is random in it"),
      Option.flag("--json", "announce the addresses as one JSON line"),
      Option.flag("--until-eof", "end when standard input ends"),
      Option.flag(
        "--plug",
        "its control link is on a bus that another program holds: what is to go wrong there is printed, a JSON line each"
      ),
    ] + EmulatedHotspot.options

  static func run(_ arguments: Arguments) throws -> Int32 {
    let model = arguments.last("--model") ?? DeviceProfile.flagship.model
    guard let profile = DeviceProfile.all.first(where: { $0.model == model }) else {
      throw UsageError(description: "--model: one of \(DeviceProfile.all.map(\.model).joined(separator: ", "))")
    }
    let control = UInt16(try arguments.number("--control-port", 1...65534, default: 7066))
    let rtsp = UInt16(try arguments.number("--rtsp-port", 0...65535, default: 8554))
    let seed = try arguments.seed("--seed") ?? UInt64.random(in: 0...UInt64.max)
    let hotspot = try EmulatedHotspot(arguments)
    let plug = arguments.has("--plug") ? PlugLines() : nil
    let hosts = arguments.last("--host").map { [$0] } ?? (1...250).map { "127.66.\($0).1" }
    let loop = try EpollLoop()
    try loop.run {
      let (host, device, server) = try await open(
        loop, hosts: hosts, control: control, rtsp: rtsp, profile: profile, serial: arguments.last("--serial"),
        seed: seed, hotspot, plug)
      announce(host, server.address, profile, json: arguments.has("--json"))
      loop.spawn { try await server.serve() }
      loop.spawn { try await device.live() }
      try await waitForEnd(loop, untilEOF: arguments.has("--until-eof"))
      await server.close()
      await device.shutDown()
    }
    return 0
  }

  /// Takes the first address whose control port is free: two runs never share a device's address.
  private static func open(
    _ loop: EpollLoop, hosts: [String], control: UInt16, rtsp: UInt16, profile: DeviceProfile, serial: String?,
    seed: UInt64, _ hotspot: EmulatedHotspot, _ plug: PlugLines?
  ) async throws -> (String, EmulatedDevice, ControlServer) {
    var last: (any Error)?
    for host in hosts {
      guard let controlAddress = SocketAddress(host: host, port: control),
        let probe = SocketAddress(host: host, port: control + 1), let stream = SocketAddress(host: host, port: rtsp)
      else { throw UsageError(description: "--host: \(host.debugDescription) is no numeric address") }
      let media = ServerMedia(loop, on: stream, clips: try EncodedClips(loop), seed: seed &+ 1)
      let device = EmulatedDevice(
        loop, profile: profile, serial: serial ?? host, seed: seed, hotspot: hotspot.backend(loop, on: probe),
        media: media, notice: hotspot.notice(serial: serial ?? host), plug: plug)
      do {
        let server = try ControlServer(loop, on: controlAddress, device: device)
        return (host, device, server)
      } catch {
        last = error
      }
    }
    throw last ?? UsageError(description: "no address to listen on")
  }

  private static func announce(_ host: String, _ control: SocketAddress, _ profile: DeviceProfile, json: Bool) {
    if json {
      let line: JSONValue = [
        "host": .string(host), "control": .integer(Int64(control.port)), "model": .string(profile.model),
      ]
      Output.print(line.text)
    } else {
      Output.print("\(profile.model) listens for stage-link/1 on \(control); Ctrl-C ends it")
    }
  }

  private static func waitForEnd(_ loop: EpollLoop, untilEOF: Bool) async throws {
    let signals = try Signals(loop, [SIGTERM, SIGINT, SIGHUP])
    guard untilEOF else {
      _ = try await signals.next()
      return
    }
    let input = try ByteStream(loop, input: dup(0), output: dup(0))
    let ended = loop.spawn { while try await !input.read().isEmpty {} }
    // The run that started this device ends it; a terminal's Ctrl-C goes to the run, not to us.
    _ = await ended.result
  }
}
