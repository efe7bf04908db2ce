import Glibc
import RigDevice
import RigLoop
import RigModel
import RigWire

/// Asks by a TCP connect whether anybody answers at an address of the device.
struct TCPProbe: Sendable {
  let loop: EpollLoop
  /// From where; `nil`: the network of the harness.
  var space: NetworkNamespace?
  let patience: Duration

  func connect(_ host: String, _ port: UInt16) async -> Result<SocketAddress, SystemError> {
    guard let address = SocketAddress(host: host, port: port) else {
      return .failure(SystemError("connect", code: EINVAL, on: "\(host.prefix(64)):\(port)"))
    }
    do {
      let stream =
        if let space {
          try await ByteStream.connect(loop, in: space, to: address, timeout: patience)
        } else {
          try await ByteStream.connect(loop, to: address, timeout: patience)
        }
      stream.close()
      return .success(address)
    } catch let error as SystemError {
      return .failure(error)
    } catch {
      return .failure(SystemError("connect", code: ECANCELED, on: "\(address)"))
    }
  }

  /// `link.joined`, `link.not-joined` or `link.station-failed`: whether the device answers at the port that it announced.
  /// - Parameters:
  ///   - place: how far the station is, such as its lease; empty: this is all there is to show.
  ///   - hint: what goes with a failure.
  func joined(_ target: Hello.Probe, from place: String, hint: String = "") async -> Fact {
    switch await connect(target.host, target.port) {
    case .success(let address):
      return Fact(
        .linkJoined, by: .link, at: loop.now,
        detail: (place.isEmpty ? "" : "\(place); ") + "TCP connect to \(address) succeeded",
        data: ["host": .string(target.host)])
    case .failure(let why):
      return Fact(
        why.isOwn ? .stationFailed : .linkNotJoined, by: .link, at: loop.now,
        detail: (place.isEmpty ? "the access point cannot be reached: " : "\(place), but ") + "\(why)\(hint)")
    }
  }

  /// `link.hotspot-gone`, `link.hotspot-still-up` or `link.station-failed`.
  func hotspot(_ target: Hello.Probe?) async -> Fact {
    guard let target else {
      return Fact(.hotspotGone, by: .link, at: loop.now, detail: HotspotNotSought.noProbePort.rawValue)
    }
    switch await connect(target.host, target.port) {
    case .success(let address):
      return Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "the access point still answers on \(address)")
    case .failure(let why) where why.meansNobodyThere:
      return Fact(.hotspotGone, by: .link, at: loop.now, detail: "\(why)")
    case .failure(let why):
      return Fact(
        why.isOwn ? .stationFailed : .hotspotStillUp, by: .link, at: loop.now,
        detail: "whether the hotspot is gone cannot be told: \(why)")
    }
  }

  /// `wire.port-closed`, `wire.port-still-open` or `link.station-failed`.
  func port(_ host: String, _ port: UInt16) async -> Fact {
    switch await connect(host, port) {
    case .success(let address):
      return Fact(.portStillOpen, by: .link, at: loop.now, detail: "the RTSP port \(address) still answers")
    case .failure(let why) where why.meansNobodyThere:
      return Fact(.portClosed, by: .link, at: loop.now, detail: "\(why)")
    case .failure(let why):
      return Fact(
        why.isOwn ? .stationFailed : .portStillOpen, by: .link, at: loop.now,
        detail: "whether the RTSP port is closed cannot be told: \(why)")
    }
  }
}

extension SystemError {
  /// The connect failed because nobody answers there, and not for a reason of this machine's own.
  fileprivate var meansNobodyThere: Bool {
    [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, ENETDOWN].contains(code)
  }

  /// This machine could not even ask: it has no descriptor, memory, address or permission for it.
  var isOwn: Bool {
    [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EACCES, EPERM].contains(code)
  }
}
