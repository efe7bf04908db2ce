import RigModel
import RigRunner
import Testing

@Suite struct LeaseRecordTests {
  private let clock = LeaseClock(now: 1_000_000, uptime: 500, boot: "boot-1")

  private func record(until uptime: Int64, boot: String = "boot-1") -> LeaseRecord {
    LeaseRecord(
      purpose: "hold", device: "cam", pid: 7, uid: 1_000, user: "ann", host: "lab", since: 999_000,
      hold: .init(token: "t", boot: boot, untilUptime: uptime, until: 1_000_100))
  }

  @Test func aRecordIsReadAsItWasWritten() {
    let record = record(until: 600)
    #expect(LeaseRecord(Array(record.text.utf8)) == record)
    var plain = record
    plain.hold = nil
    #expect(LeaseRecord(Array(plain.text.utf8)) == plain)
  }

  @Test func aHoldEndsByTimeAndByRestart() {
    #expect(record(until: 501).holds(clock))
    #expect(!record(until: 500).holds(clock))
    #expect(!record(until: 600, boot: "boot-0").holds(clock))
    // Nobody blocks a device for longer than holds may last, whatever a file says.
    #expect(record(until: 500 + LeaseClock.longestHold).holds(clock))
    #expect(!record(until: 501 + LeaseClock.longestHold).holds(clock))
    #expect(!record(until: .max).holds(clock))
    #expect(!record(until: .min).holds(LeaseClock(now: 0, uptime: .max, boot: "boot-1")))
  }

  @Test(
    arguments: [
      "", "\n", "{}", "[]", "null", "{\"v\":2}", "{\"v\":1,\"for\":1}", "\u{1B}[2J",
      String(repeating: "x", count: 9_000),
      String(repeating: "[", count: 4_000),
      "{\"v\":1,\"for\":\"r\",\"device\":\"d\",\"pid\":99999999999,\"uid\":0,\"user\":\"u\",\"host\":\"h\",\"since\":0}",
      "{\"v\":1,\"for\":\"r\",\"device\":\"d\",\"pid\":1,\"uid\":-1,\"user\":\"u\",\"host\":\"h\",\"since\":0}",
      "{\"v\":1,\"for\":\"r\",\"device\":\"d\",\"pid\":1,\"uid\":0,\"user\":\"u\",\"host\":\"h\",\"since\":0,\"hold\":1}",
    ])
  func anythingElseIsNoRecord(_ text: String) {
    #expect(LeaseRecord(Array(text.utf8)) == nil)
  }

  /// Whoever wrote the list, it names files of the folder of leases alone.
  @Test func aListOfLocksLeadsNowhereElse() {
    let text = record(until: 600).text.dropLast(2)
    let locks = "[\"a-1.lease\",\"../b.lease\",\"c.txt\",7,\".lease\",\"/d.lease\",\"e.f.lease\"]"
    let read = LeaseRecord(Array("\(text),\"locks\":\(locks)}\n".utf8))
    #expect(read?.locks == ["a-1.lease", ".lease"])
    #expect(read.flatMap { LeaseRecord(Array($0.text.utf8)) } == read)
  }

  @Test func damagedRecordsAreReadOrNot() {
    let bytes = Array(record(until: 600).text.utf8)
    for index in bytes.indices {
      for byte in [UInt8(0), 0x22, 0x2C, 0x30, 0x39, 0x7D, 0xFF] {
        var damaged = bytes
        damaged[index] = byte
        _ = LeaseRecord(damaged)?.holds(clock)
      }
      _ = LeaseRecord(Array(bytes[..<index]))
    }
  }

  @Test func lockFilesHaveSafeNamesOfTheirOwn() {
    let names = [
      "tcp 10.0.0.1:7066", "tcp 10.0.0.1-7066", "../../etc/passwd", "", String(repeating: "x", count: 5_000),
    ]
    let files = names.map { LeaseName($0).file }
    #expect(Set(files).count == names.count)
    for file in files {
      #expect(file.utf8.count < 100)
      #expect(!file.contains("/") && !file.hasPrefix("."))
    }
  }

  @Test(arguments: [(0, "1970-01-01 00:00:00 UTC"), (1_796_036_334, "2026-11-30 10:58:54 UTC")] as [(Int64, String)])
  func timesAreWrittenForPeople(_ seconds: Int64, _ text: String) {
    #expect(UTCTime.text(seconds) == text)
    #expect(UTCTime.text(.max) == "an unknown time")
  }
}
