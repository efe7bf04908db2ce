import Testing

@testable import RigLinks

@Suite struct NetlinkTests {
  /// RTM_NEWLINK that sets "sta0" up: length 44, type 16, REQUEST|ACK, sequence 7; ifinfomsg with IFF_UP changed;
  /// IFLA_IFNAME of 9 bytes, padded to 12. Little-endian machines.
  @Test func aRequestHasTheKernelsForm() {
    var request = NetlinkRequest(NetlinkRequest.newLink, flags: 0, sequence: 7)
    request.link(flags: 1, change: 1)
    request.attribute(3, "sta0")
    #expect(
      request.finished() == [
        44, 0, 0, 0, 16, 0, 5, 0, 7, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
        9, 0, 3, 0, 0x73, 0x74, 0x61, 0x30, 0, 0, 0, 0,
      ])
  }

  @Test func nestedAttributesCarryTheLengthOfWhatTheyHold() {
    var request = NetlinkRequest(NetlinkRequest.newLink, flags: 0, sequence: 1)
    request.nested(18) {
      $0.attribute(1, "veth")
      $0.nested(2) { $0.attribute(28, UInt32(5)) }
    }
    #expect(
      Array(request.finished()[16...]) == [
        28, 0, 18, 0x80,
        9, 0, 1, 0, 0x76, 0x65, 0x74, 0x68, 0, 0, 0, 0,
        12, 0, 2, 0x80, 8, 0, 28, 0, 5, 0, 0, 0,
      ])
  }

  @Test func aShortAnswerTellsNoFlags() {
    #expect(NetworkControl.linkFlags([UInt8](repeating: 0, count: 31)[...]) == nil)
  }
}
