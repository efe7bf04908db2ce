import CRigShims
import Glibc
import RigLoop

/// Sets up interfaces and addresses in one network namespace, over routing netlink.
// Unchecked: used from one thread at a time by its owner.
final class NetworkControl: @unchecked Sendable {
  private let fd: Int32
  private let space: NetworkNamespace
  private var sequence: UInt32 = 0

  /// IFF_UP, IFF_LOWER_UP: the latter does not fit Glibc's type.
  private static let up: UInt32 = 1
  static let lowerUp: UInt32 = 1 << 16

  init(_ space: NetworkNamespace) throws {
    self.space = space
    fd = try space.run {
      let fd = rig_netlink_socket(0)
      guard fd >= 0 else { throw SystemError("socket", on: "netlink in \(space.name)") }
      return fd
    }
  }

  deinit { close(fd) }

  /// A pair of virtual interfaces, one here and its peer in `other`.
  func addPair(_ name: String, peer: String, in other: NetworkNamespace) throws {
    let otherFD = try other.duplicate()
    defer { close(otherFD) }
    try ask(NetlinkRequest.newLink, flags: NetlinkRequest.create | NetlinkRequest.exclusive, "add \(name)") {
      $0.link()
      $0.attribute(3, name)
      $0.nested(18) {
        $0.attribute(1, "veth")
        $0.nested(2) {
          $0.nested(1) {
            $0.link()
            $0.attribute(3, peer)
            $0.attribute(28, UInt32(bitPattern: otherFD))
          }
        }
      }
    }
  }

  func setUp(_ name: String, _ isUp: Bool) throws {
    try ask(NetlinkRequest.newLink, "set \(name) \(isUp ? "up" : "down")") {
      $0.link(flags: isUp ? NetworkControl.up : 0, change: NetworkControl.up)
      $0.attribute(3, name)
    }
  }

  func remove(_ name: String) throws {
    try ask(NetlinkRequest.deleteLink, "delete \(name)") {
      $0.link()
      $0.attribute(3, name)
    }
  }

  func add(_ address: IPv4, prefix: UInt8, to name: String) throws {
    try change(NetlinkRequest.newAddress, NetlinkRequest.create | NetlinkRequest.replace, address, prefix, name)
  }

  func remove(_ address: IPv4, prefix: UInt8, from name: String) throws {
    try change(NetlinkRequest.deleteAddress, 0, address, prefix, name)
  }

  private func change(_ type: UInt16, _ flags: UInt16, _ address: IPv4, _ prefix: UInt8, _ name: String) throws {
    let index = try index(name)
    try ask(type, flags: flags, "\(address)/\(prefix) on \(name)") {
      $0.address(prefix: prefix, index: index)
      $0.attribute(2, address.bytes)
      $0.attribute(1, address.bytes)
      if type == NetlinkRequest.newAddress { $0.attribute(4, IPv4(address.value | ~UInt32.max(prefix: prefix)).bytes) }
    }
  }

  func index(_ name: String) throws -> UInt32 {
    let index = try space.run { if_nametoindex(name) }
    guard index != 0 else { throw SystemError("if_nametoindex", on: "\(name) in \(space.name)") }
    return index
  }

  /// True while the interface is up and its other end is there and up.
  func hasCarrier(_ name: String) throws -> Bool {
    let reply = try ask(NetlinkRequest.getLink, "look at \(name)") {
      $0.link()
      $0.attribute(3, name)
    }
    return NetworkControl.linkFlags(reply[...]).map { $0.flags & NetworkControl.lowerUp != 0 } ?? false
  }

  /// The interface's Ethernet address.
  func hardware(_ name: String) throws -> [UInt8] {
    let reply = try ask(NetlinkRequest.getLink, "look at \(name)") {
      $0.link()
      $0.attribute(3, name)
    }
    var rest = reply.dropFirst(32)
    while rest.count >= 4 {
      let length = Int(NetworkControl.number(rest, 0, UInt16.self))
      guard length >= 4, length <= rest.count else { break }
      // IFLA_ADDRESS
      if NetworkControl.number(rest, 2, UInt16.self) == 1, length == 10 { return Array(rest.dropFirst(4).prefix(6)) }
      rest = rest.dropFirst((length + 3) & ~3)
    }
    throw SystemError("netlink", code: EADDRNOTAVAIL, on: "\(name) in \(space.name)")
  }

  /// Index and flags of the first RTM_NEWLINK in a message.
  static func linkFlags(_ message: ArraySlice<UInt8>) -> (index: UInt32, flags: UInt32)? {
    guard message.count >= 32, number(message, 4, UInt16.self) == NetlinkRequest.newLink else { return nil }
    return (number(message, 20, UInt32.self), number(message, 24, UInt32.self))
  }

  static func number<I: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, _ offset: Int, _: I.Type) -> I {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: I.self) }
  }

  /// Sends a request and waits for the kernel's answer, which is there when `send` returns.
  @discardableResult
  private func ask(
    _ type: UInt16, flags: UInt16 = 0, _ what: String, _ body: (inout NetlinkRequest) -> Void
  ) throws -> [UInt8] {
    sequence &+= 1
    var request = NetlinkRequest(type, flags: flags, sequence: sequence)
    body(&request)
    let bytes = request.finished()
    let subject = "\(what) in \(space.name)"
    guard send(fd, bytes, bytes.count, 0) == bytes.count else { throw SystemError("netlink", on: subject) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let n = recv(fd, &buffer, buffer.count, 0)
      guard n > 0 else { throw SystemError("netlink", on: subject) }
      var rest = buffer[0..<n]
      while rest.count >= 20 {
        let length = Int(NetworkControl.number(rest, 0, UInt32.self))
        guard length >= 16, length <= rest.count else { break }
        // NLMSG_ERROR: code 0 is the acknowledgement, the last message of an answer.
        if NetworkControl.number(rest, 4, UInt16.self) == 2 {
          let code = NetworkControl.number(rest, 16, Int32.self)
          guard code == 0 else { throw SystemError("netlink", code: 0 &- code, on: subject) }
          return answer
        }
        answer = Array(rest.prefix(length))
        rest = rest.dropFirst((length + 3) & ~3)
      }
    }
  }
}
