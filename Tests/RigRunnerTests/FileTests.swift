import Glibc
import RigLoop
import RigModel
import RigRunner
import Testing

@Suite struct FileTests {
  @Test func aFileIsWholeAndReplacesTheOldOne() throws {
    let folder = try ScratchFolder()
    #expect(AtomicFile.write("old", to: folder("a.xml")) == nil)
    let long = String(repeating: "neu ✓ ", count: 300_000)
    #expect(AtomicFile.write(long, to: folder("a.xml")) == nil)
    #expect(folder.text("a.xml") == long)
    #expect(AtomicFile.write("", to: folder("a.xml")) == nil)
    #expect(folder.text("a.xml") == "")
    #expect(folder.names == ["a.xml"])
  }

  @Test func aFolderThatIsNotThere() throws {
    let folder = try ScratchFolder()
    try folder.put("", "file")
    for path in [folder("missing/a.xml"), folder("file/a.xml")] {
      let error = try #require(AtomicFile.write("x", to: path))
      #expect(error.subject == path)
      #expect([ENOENT, ENOTDIR].contains(error.code))
    }
  }

  @Test func aFolderInThePlaceOfTheFile() throws {
    let folder = try ScratchFolder()
    try Folder.make(folder("a.xml"))
    let error = try #require(AtomicFile.write("x", to: folder("a.xml")))
    #expect(error.call == "rename")
    #expect(folder.names == ["a.xml"])
  }

  @Test(.enabled(if: ScratchFolder.hasFull)) func aFullDiskLeavesTheOldFile() throws {
    let folder = try ScratchFolder()
    #expect(AtomicFile.write("old", to: folder("a.xml")) == nil)
    // Where the new file is written beside the old one.
    try folder.link("a.xml.\(getpid()).tmp", to: ScratchFolder.full)
    let error = try #require(AtomicFile.write("new", to: folder("a.xml")))
    #expect(error.code == ENOSPC)
    #expect(error.subject == folder("a.xml"))
    #expect(folder.text("a.xml") == "old")
    #expect(folder.names == ["a.xml"])
  }

  @Test func foldersAreMadeWithTheirParents() throws {
    let folder = try ScratchFolder()
    try Folder.make(folder("a/b//c/"))
    try Folder.make(folder("a/b/c"))
    try folder.put("", "file")
    #expect(throws: SystemError.self) { try Folder.make(folder("file/x")) }
    #expect(throws: SystemError.self) { try Folder.make(folder("file")) }
  }

  @Test func aCaseFolderListsWhatWasWritten() throws {
    let folder = try ScratchFolder()
    let files = try CaseFolder(reports: folder.path, relative: "cases/one") { $0.replacing("secret", with: "…") }
    #expect(files.artifacts.isEmpty)
    files.append("first", to: "device.log")
    files.append("second secret", to: "device.log")
    files.append("{}", to: "media.jsonl")
    #expect(folder.text("cases/one/device.log") == "first\nsecond …\n")
    #expect(files.artifacts.map(\.path) == ["cases/one/device.log", "cases/one/media.jsonl"])
    #expect(files.problem == nil)
    files.append("x", to: "no/such.log")
    #expect(files.problem?.contains("no/such.log") == true)
  }

  @Test(.enabled(if: ScratchFolder.hasFull)) func aCaseFolderSaysThatTheDiskIsFull() throws {
    let folder = try ScratchFolder()
    let files = try CaseFolder(reports: folder.path, relative: "one") { $0 }
    try folder.link("one/device.log", to: ScratchFolder.full)
    files.append("x", to: "device.log")
    files.append("y", to: "device.log")
    #expect(files.problem?.contains("device.log") == true)
  }
}
