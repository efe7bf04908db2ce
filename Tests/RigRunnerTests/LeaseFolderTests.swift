import Glibc
import RigLoop
import Testing

@testable import RigRunner

@Suite struct LeaseFolderTests {
  /// What a user may write to must not decide where leases are: users in two folders would both have the device.
  @Test func oneFolderForAllUsers() throws {
    let scratch = try ScratchFolder()
    #expect(LeaseFolder.path(locks: scratch.path) == "\(scratch.path)/streamrig")
    chmod(scratch.path, 0o500)
    #expect(LeaseFolder.path(locks: scratch.path) == "\(scratch.path)/streamrig")
    chmod(scratch.path, 0o700)
    #expect(LeaseFolder.path(locks: "\(scratch.path)/none") == "/tmp/streamrig-leases")
  }

  /// A text takes the place of another, whether longer or shorter.
  @Test func aTextIsReplaced() throws {
    let scratch = try ScratchFolder()
    let file = "\(scratch.path)/f"
    let fd = try LeaseFolder.open(file)
    defer { close(fd) }
    for text in ["first text\n", "2\n", "a third, longer text\n", ""] {
      try LeaseFolder.replace(text, in: fd, file)
      #expect(LeaseFolder.contents(fd) == Array(text.utf8))
    }
  }

  /// A disk that is full must not take the hold that was there.
  @Test func aFailedWriteLeavesTheOldText() throws {
    let scratch = try ScratchFolder()
    let file = "\(scratch.path)/f"
    let fd = try LeaseFolder.open(file)
    try LeaseFolder.replace("precious\n", in: fd, file)
    close(fd)
    let readOnly = open(file, O_RDONLY)
    defer { close(readOnly) }
    #expect(throws: SystemError.self) { try LeaseFolder.replace("new\n", in: readOnly, file) }
    #expect(LeaseFolder.contents(readOnly) == Array("precious\n".utf8))
  }
}

@Suite struct ReportsLockTests {
  private let record = LeaseRecord(
    purpose: "run", device: "", pid: 7, uid: 1_000, user: "ann\u{1B}[2J", host: "lab", since: 999_000)

  @Test func oneRunHasAFolder() throws {
    let scratch = try ScratchFolder()
    let first = try ReportsLock(scratch.path, by: record)
    let held = #expect(throws: ReportsLock.Held.self) { try ReportsLock(scratch.path, by: record) }
    let text = try #require(held?.description)
    #expect(text.contains("process 7 of ann") && text.contains("--reports") && !text.contains("\u{1B}"), "\(text)")
    first.release()
    try ReportsLock(scratch.path, by: record).release()
  }

  @Test func aFolderThatIsNotThereIsNotMade() throws {
    let scratch = try ScratchFolder()
    #expect(try ReportsLock(existing: "\(scratch.path)/none", by: record) == nil)
    #expect(access("\(scratch.path)/none", F_OK) != 0)
  }
}
