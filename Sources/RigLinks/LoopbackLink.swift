import Glibc
public import RigDevice
public import RigLoop
public import RigModel
public import RigWire

/// The link to a device on this machine: its access point is a TCP port that answers exactly while it is up.
public struct LoopbackLink: Link {
  private let loop: EpollLoop
  /// An AP answers within milliseconds here; a whole second without an answer is none.
  private static let patience: Duration = .seconds(1)

  public init(_ loop: EpollLoop) { self.loop = loop }

  public var name: String { "loopback" }

  public func probe(_ target: Hello.Probe?) async -> Fact {
    guard let target else {
      return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "hello announces no probe port to prove it with")
    }
    switch await reach(target.host, target.port) {
    case .success(let address):
      return Fact(
        .linkJoined, by: .link, at: loop.now, detail: "TCP connect to \(address) succeeded",
        data: ["host": .string(target.host)])
    case .failure(let why):
      return Fact(.linkNotJoined, by: .link, at: loop.now, detail: "the access point cannot be reached: \(why)")
    }
  }

  public func probeGone(_ target: Hello.Probe?) async -> Fact {
    guard let target else { return Fact(.hotspotGone, by: .link, at: loop.now, detail: "no probe port is announced") }
    switch await reach(target.host, target.port) {
    case .success(let address):
      return Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "the access point still answers on \(address)")
    case .failure(let why):
      return why.meansNobodyThere
        ? Fact(.hotspotGone, by: .link, at: loop.now, detail: "\(why)")
        : Fact(.hotspotStillUp, by: .link, at: loop.now, detail: "whether the hotspot is gone cannot be told: \(why)")
    }
  }

  public func probePort(host: String, port: UInt16) async -> Fact {
    switch await reach(host, port) {
    case .success(let address):
      return Fact(.portStillOpen, by: .link, at: loop.now, detail: "the RTSP port \(address) still answers")
    case .failure(let why):
      return why.meansNobodyThere
        ? Fact(.portClosed, by: .link, at: loop.now, detail: "\(why)")
        : Fact(
          .portStillOpen, by: .link, at: loop.now, detail: "whether the RTSP port is closed cannot be told: \(why)")
    }
  }

  private func reach(_ host: String, _ port: UInt16) async -> Result<SocketAddress, SystemError> {
    guard let address = SocketAddress(host: host, port: port) else {
      return .failure(SystemError("connect", code: 22, on: "\(PrintableHost(host)):\(port)"))
    }
    do {
      let stream = try await ByteStream.connect(loop, to: address, timeout: LoopbackLink.patience)
      stream.close()
      return .success(address)
    } catch let error as SystemError {
      return .failure(error)
    } catch {
      return .failure(SystemError("connect", code: 125, on: "\(address)"))
    }
  }
}

extension SystemError {
  /// The connect failed because nobody answers there, and not for a reason of this machine's own.
  fileprivate var meansNobodyThere: Bool {
    [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, ENETDOWN].contains(code)
  }
}

/// A host name from a device, cut for messages; reports clean it again.
private struct PrintableHost: CustomStringConvertible {
  let description: String
  init(_ host: String) { description = String(host.prefix(64)) }
}
