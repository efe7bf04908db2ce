import RigEmulator
import RigLoop

/// The hotspot of `streamrig emulate`: how it is announced, and what puts it on the air.
struct EmulatedHotspot: Sendable {
  static let options = [
    Option.value("--hotspot", "PROGRAM", "puts a real access point on the air (PROGRAM up), and off it (PROGRAM down)"),
    Option.value("--ssid", "NAME", "the hotspot's name in events; default EMU-SERIAL"),
    Option.value("--key-file", "FILE", "the hotspot's key, told in events: the first line of FILE"),
    Option.value("--channel", "N", "the hotspot's channel, told in events"),
    Option.flag("--hidden", "events say that the hotspot does not announce its name"),
    Option.flag("--harness-joins", "the harness is the station: it joins, and answers with linkResult"),
  ]

  let program: String?
  private let ssid: String?
  private let key: String?
  private let channel: Int?
  private let isHidden: Bool
  private let harnessJoins: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    program = arguments.last("--hotspot")
    ssid = arguments.last("--ssid")
    key = try arguments.last("--key-file").map { path throws(UsageError) in try RadioChoice.key(in: path) }
    channel = arguments.has("--channel") ? try arguments.number("--channel", 1...233, default: 1) : nil
    isHidden = arguments.has("--hidden")
    harnessJoins = arguments.has("--harness-joins")
  }

  func notice(serial: String) -> HotspotNotice {
    HotspotNotice(
      ssid: ssid ?? "EMU-\(serial)", harnessJoins: harnessJoins, key: key, isHidden: isHidden, channel: channel)
  }

  func backend(_ loop: EpollLoop, on probe: SocketAddress) -> any HotspotBackend {
    let port = PortHotspot(loop, on: probe)
    return program.map { HookedHotspot(loop, port: port, program: $0) } ?? port
  }
}
