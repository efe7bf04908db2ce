import Glibc
import RigDevice
import RigLoop
import RigModel
import RigWire
import Testing

@testable import RigLinks

/// What a TCP connect says of the device, and what only of this machine.
@Suite struct TCPProbeTests {
  private func facts(_ host: String, _ port: UInt16) throws -> [FactKind] {
    let loop = try EpollLoop()
    return try loop.run {
      let probe = TCPProbe(loop: loop, patience: .seconds(5))
      let target = Hello.Probe(host: host, port: port)
      return [
        await probe.joined(target, from: "").kind, await probe.hotspot(target).kind, await probe.port(host, port).kind,
      ]
    }
  }

  @Test func somebodyAnswers() throws {
    let loop = try EpollLoop()
    let listener = try TCPListener(loop, on: try #require(SocketAddress(host: "127.0.0.1", port: 0)))
    defer { listener.close() }
    let kinds = try facts("127.0.0.1", listener.address.port)
    #expect(kinds == [.linkJoined, .hotspotStillUp, .portStillOpen])
  }

  @Test func nobodyAnswers() throws {
    let loop = try EpollLoop()
    // A port that was just free.
    let listener = try TCPListener(loop, on: try #require(SocketAddress(host: "127.0.0.1", port: 0)))
    let port = listener.address.port
    listener.close()
    #expect(try facts("127.0.0.1", port) == [.linkNotJoined, .hotspotGone, .portClosed])
  }

  /// Addresses that a device may name and nobody has: no way to make its failure the rig's.
  @Test(arguments: ["255.255.255.255", "224.0.0.1", "", "no address", "127.0.0.1\u{0}"])
  func anAddressThatIsNone(_ host: String) throws {
    #expect(try !facts(host, 9).contains(.stationFailed))
  }

  @Test func whatIsThisMachinesOwn() {
    for code in [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EACCES, EPERM] {
      #expect(SystemError("connect", code: code, on: "x").isOwn)
    }
    for code in [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, ECONNRESET, EINVAL] {
      #expect(!SystemError("connect", code: code, on: "x").isOwn)
    }
  }
}
