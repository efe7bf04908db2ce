import RigLoop
import RigModel
import Testing

@Suite struct EpollLoopTests {
  @Test func tcpCarriesWholeBuffersBothWays() throws {
    let loop = try EpollLoop()
    let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let echoed = try loop.run {
      let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let listener = try TCPListener(loop, on: any)
      loop.spawn {
        guard let peer = try await listener.accept() else { return }
        while case let bytes = try await peer.read(), !bytes.isEmpty { try await peer.write(bytes) }
        peer.close()
      }
      let stream = try await ByteStream.connect(loop, to: listener.address, timeout: .seconds(5))
      loop.spawn { try await stream.write(sent) }
      var got: [UInt8] = []
      while got.count < sent.count, case let bytes = try await stream.read(), !bytes.isEmpty { got += bytes }
      listener.close()
      return got
    }
    #expect(echoed == sent)
  }

  @Test func aClosedPortIsRefusedWithTheKernelsReason() throws {
    let loop = try EpollLoop()
    let error = try loop.run { () -> SystemError? in
      // Nobody listens on this address of the loopback range.
      let address = try #require(SocketAddress(host: "127.66.255.254", port: 1))
      do {
        _ = try await ByteStream.connect(loop, to: address, timeout: .seconds(5))
        return nil
      } catch let error as SystemError { return error }
    }
    #expect(error?.description.contains("Connection refused") == true)
  }

  @Test func closingWakesAReader() throws {
    let loop = try EpollLoop()
    let count = try loop.run {
      let any = try #require(SocketAddress(host: "127.0.0.1", port: 0))
      let listener = try TCPListener(loop, on: any)
      let stream = try await ByteStream.connect(loop, to: listener.address, timeout: .seconds(5))
      let reader = loop.spawn { try await stream.read().count }
      _ = loop.schedule(at: loop.now) { stream.close() }
      return try await reader.value
    }
    #expect(count == 0)
  }

  @Test func udpRoundTrip() throws {
    let loop = try EpollLoop()
    let got = try loop.run {
      let any = try #require(SocketAddress(host: "::1", port: 0))
      let a = try UDPSocket(loop, on: any)
      let b = try UDPSocket(loop, on: any)
      #expect(a.send([1, 2, 3], to: b.address) == 0)
      return try await b.receive().map { ($0.bytes, $0.from == a.address) }
    }
    #expect(got?.0 == [1, 2, 3])
    #expect(got?.1 == true)
  }

  @Test func aChildIsReadAndReaped() throws {
    let loop = try EpollLoop()
    let (text, exit) = try loop.run {
      let child = try ChildProcess(loop, program: "/bin/cat", arguments: [])
      try await child.io.write(Array("hello".utf8))
      let bytes = try await child.io.read()
      return (String(decoding: bytes, as: UTF8.self), try await child.end())
    }
    #expect(text == "hello")
    #expect(exit == .code(0))
    #expect(throws: SystemError.self) {
      try loop.run { _ = try ChildProcess(loop, program: "/no/such/program", arguments: []) }
    }
    let killed = try loop.run {
      let child = try ChildProcess(loop, program: "/bin/sh", arguments: ["-c", "kill -9 $$"])
      return try await child.waitForExit()
    }
    #expect(killed == .signal(9))
  }

  @Test func onlyNumericAddresses() {
    #expect(SocketAddress(host: "localhost", port: 1) == nil)
    #expect(SocketAddress(host: "127.66.1.1", port: 1)?.description == "127.66.1.1:1")
    #expect(SocketAddress(host: "::1", port: 2)?.description == "[::1]:2")
    #expect(SocketAddress(host: "1.2.3", port: 2) == nil)
  }
}
