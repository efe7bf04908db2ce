import RigRunner
import Testing

@Suite struct SerialNameTests {
  private func names(_ path: String, links: String = "/none") -> Set<LeaseName> {
    Set(LeaseName.serialLine(path, links: links))
  }

  /// What udev does when a device enumerates again: the same link leads to another file.
  @Test func aLineThatComesBackElsewhereIsTheSame() throws {
    let scratch = try ScratchFolder()
    try scratch.put("", "ttyACM0")
    try scratch.put("", "ttyACM1")
    let line = scratch("line")
    let away = names(line)
    #expect(away.count == 1)
    try scratch.link("line", to: "ttyACM0")
    let there = names(line)
    #expect(there.count == 2 && there.isSuperset(of: away))
    #expect(!there.isDisjoint(with: names(scratch("ttyACM0"))))
    try scratch.remove("line")
    try scratch.link("line", to: "ttyACM1")
    #expect(!names(line).isDisjoint(with: there))
    #expect(names(scratch("ttyACM0")).isDisjoint(with: names(scratch("ttyACM1"))))
  }

  /// The link in udev's folder is the device's, whatever file it is behind.
  @Test func theStableLinkIsANameOfTheFile() throws {
    let scratch = try ScratchFolder()
    let udev = try ScratchFolder()
    try scratch.put("", "ttyACM0")
    try scratch.put("", "ttyACM1")
    try udev.link("usb-camera-if00", to: scratch("ttyACM0"))
    try udev.link("usb-other-if00", to: scratch("ttyACM1"))
    let before = names(scratch("ttyACM0"), links: udev.path)
    #expect(before.isDisjoint(with: names(scratch("ttyACM1"), links: udev.path)))
    #expect(before.contains(LeaseName("serial \(udev("usb-camera-if00"))")))
    try udev.remove("usb-camera-if00")
    try udev.remove("usb-other-if00")
    try udev.link("usb-camera-if00", to: scratch("ttyACM1"))
    #expect(!before.isDisjoint(with: names(scratch("ttyACM1"), links: udev.path)))
  }

  @Test(arguments: ["/none/./a//b", "/none/x/../a/b", "/../none/a/b/", "/none/a/b"])
  func spellingsOfAPathAreOneName(_ path: String) {
    #expect(names(path) == [LeaseName("serial /none/a/b")])
  }
}
