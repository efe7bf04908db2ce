import RigDevice
import RigLoop
import Testing

@Suite struct MemoryChannelTests {
  @Test func bytesComeInOrderWhateverTheWrites() throws {
    let loop = VirtualLoop()
    let got = try loop.run {
      let (a, b) = MemoryChannel.pair()
      try await a.write([1, 2])
      try await a.write([])
      try await a.write([3])
      try await b.write([9])
      let first = try await b.read()
      let waiting = loop.spawn { try await b.read() }
      try await loop.sleep(for: .seconds(1))
      try await a.write([4])
      return [first, try await waiting.value, try await a.read()]
    }
    #expect(got == [[1, 2, 3], [4], [9]])
  }

  @Test func closingEndsBothDirectionsAfterWhatWasWritten() throws {
    let loop = VirtualLoop()
    let got = try loop.run {
      let (a, b) = MemoryChannel.pair()
      let waiting = loop.spawn { try await a.read() }
      try await loop.sleep(for: .seconds(1))
      try await a.write([1])
      b.close()
      b.close()
      let rest = try await b.read()
      let end = try await b.read()
      return [try await waiting.value, rest, end, try await a.read()]
    }
    #expect(got == [[], [1], [], []])
  }

  @Test func nothingCanBeWrittenAfterTheEnd() throws {
    let loop = VirtualLoop()
    #expect(throws: SystemError.self) {
      try loop.run {
        let (a, b) = MemoryChannel.pair()
        b.close()
        try await a.write([1])
      }
    }
  }

  /// The end of a read must not be missed when the other side closes in the same round.
  @Test func aReadThatMeetsACloseEnds() throws {
    for order in [true, false] {
      let loop = VirtualLoop()
      let got = try loop.run {
        let (a, b) = MemoryChannel.pair()
        if order { loop.spawn { b.close() } }
        let reading = loop.spawn { try await a.read() }
        if !order { loop.spawn { b.close() } }
        return try await reading.value
      }
      #expect(got.isEmpty)
    }
  }
}
