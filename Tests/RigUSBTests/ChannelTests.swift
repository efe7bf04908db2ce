import Testing

@Suite(.enabled(if: Script.isAvailable, "needs umockdev and libumockdev-dev"))
struct ChannelTests {
  private static let opened = "open: open SN-1 at 1-1"

  @Test func bytesOfEveryLengthPass() throws {
    let lengths = [1, 63, 64, 511, 512, 513, 1024, 16_383, 16_384, 16_385, 32_768, 100_000]
    #expect(
      try Script.lines("bytes")
        == [ChannelTests.opened] + lengths.map { "echo \($0): echo of \($0)" } + [
          "OUT bytes without an end: 0", "smallest IN buffer: 16384, 0 unaligned",
          "IN transfers in flight: at most 3", "zero-length packets: sent", "claims 1, clear_halt 1 in, 1 out",
          "close: closed", "released 1",
        ])
  }

  @Test func fullSpeedAndAnyEndpointNumbers() throws {
    #expect(
      try Script.lines("full-speed")
        == [ChannelTests.opened] + [64, 65, 4096, 20_000].map { "echo \($0): echo of \($0)" } + [
          "OUT bytes without an end: 0"
        ])
  }

  @Test func boundariesMeanNothing() throws {
    #expect(
      try Script.lines("boundaries")
        == [ChannelTests.opened] + [1, 2, 3, 7, 64, 511].map { "at most \($0) bytes a transfer: echo of 600" })
  }

  @Test func zeroLengthPacketsAreNoEnd() throws {
    #expect(
      try Script.lines("zero-length") == [
        ChannelTests.opened, "read-bytes 16384: 16384 right", "read-bytes 512: 512 right",
        "zero-length transfers consumed: yes",
      ])
  }

  @Test func aReadThatTimesOutKeepsItsBytes() throws {
    #expect(
      try Script.lines("timeout-keeps-bytes") == [
        ChannelTests.opened, "read-bytes 1024: 1024 right", "count by-timeouts: 1024",
      ])
  }

  @Test func aWriteThatTimesOutGoesOnWhereItStopped() throws {
    #expect(
      try Script.lines("write-timeout-goes-on") == [
        ChannelTests.opened, "echo of 2000", "time-outs: some", "fact: yes",
      ])
  }

  @Test func aDeviceThatTakesNothingEndsTheChannel() throws {
    let why = "timedOut: the device took no byte for 300 ms"
    #expect(
      try Script.lines("write-timeout-ends") == [
        ChannelTests.opened, "write hello: \(why)", "read 1: \(why), after ", ChannelTests.opened,
        "echo 100: echo of 100", "resets: 1",
      ])
  }

  @Test func aDeviceThatIsNotReadMustWait() throws {
    #expect(
      try Script.lines("back-pressure") == [
        ChannelTests.opened, "taken while nobody reads: at most 64 KiB", "read-bytes 2000000: 2000000 right",
        "unread at most: 64 KiB", "in flight at most: 3",
      ])
  }

  /// 1,000 times opened, used and closed.
  @Test func nothingIsLeftBehind() throws {
    let lines = try Script.lines("cycles")
    #expect(lines.last == "opened 1000, claimed 1000, released 1000")
    let growth = try #require(Growth(lines.first ?? ""))
    #expect(growth.isNone, "\(growth)")
  }
}

/// What a process held more at the end than at a fifth of the way.
struct Growth {
  let descriptors: Int
  let threads: Int
  let kibibytes: Int

  /// `descriptors 0, threads 0, KiB 4`
  init?(_ line: String) {
    let numbers = line.split(separator: ",").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    guard numbers.count == 3, line.hasPrefix("descriptors ") else { return nil }
    descriptors = numbers[0]
    threads = numbers[1]
    kibibytes = numbers[2]
  }

  /// A thread that has just ended may still be counted, and the allocator keeps some pages.
  var isNone: Bool { descriptors <= 1 && threads <= 2 && kibibytes <= 512 }
}
