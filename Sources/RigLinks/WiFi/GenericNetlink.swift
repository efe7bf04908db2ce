import Glibc
import RigLoop

/// Attributes one after the other, as netlink carries them: length, type, value, padding.
struct NetlinkAttributes: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> (type: UInt16, value: ArraySlice<UInt8>)? {
    guard rest.count >= 4 else { return nil }
    let length = Int(NetworkControl.number(rest, 0, UInt16.self))
    guard length >= 4, length <= rest.count else { return nil }
    // The two upper bits say that it is nested, or in network order.
    let type = NetworkControl.number(rest, 2, UInt16.self) & 0x3FFF
    let value = rest.dropFirst(4).prefix(length - 4)
    rest = rest.dropFirst((length + 3) & ~3)
    return (type, value)
  }

  /// The first of a type.
  static func find(_ type: UInt16, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    NetlinkAttributes(bytes).first { $0.type == type }?.value
  }

  static func number(_ value: ArraySlice<UInt8>?) -> UInt32? {
    value.flatMap { $0.count >= 4 ? NetworkControl.number($0, 0, UInt32.self) : nil }
  }

  static func text(_ value: ArraySlice<UInt8>?) -> String? {
    value.map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// A generic netlink socket of one network namespace: families by name, requests, and their whole answers.
// Unchecked: used from one thread at a time by its owner.
final class GenericNetlink: @unchecked Sendable {
  private let fd: Int32
  private let space: NetworkNamespace
  private var sequence: UInt32 = 0

  // linux/netlink.h, linux/genetlink.h
  private static let family: Int32 = 16
  private static let dump: UInt16 = 0x300
  private static let controlFamily: UInt16 = 16
  private static let getFamily: UInt8 = 3
  private static let errorMessage: UInt16 = 2
  private static let doneMessage: UInt16 = 3
  private static let header = 20

  init(_ space: NetworkNamespace) throws {
    self.space = space
    fd = try space.run {
      let fd = Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), GenericNetlink.family)
      guard fd >= 0 else { throw SystemError("socket", on: "generic netlink in \(space.name)") }
      return fd
    }
    // The kernel has answered when `send` returns; where it does not, a person must not wait for ever.
    var patience = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(fd) }

  /// - Returns: `nil` where the kernel has no such family: a module that is not loaded.
  func identifier(of name: String) throws -> UInt16? {
    do {
      let answers = try ask(GenericNetlink.controlFamily, GenericNetlink.getFamily, "family \(name)") {
        $0.attribute(2, name)
      }
      return answers.lazy.compactMap { NetlinkAttributes.find(1, in: $0) }
        .compactMap { $0.count >= 2 ? NetworkControl.number($0, 0, UInt16.self) : nil }.first
    } catch let error as SystemError where error.code == ENOENT {
      return nil
    }
  }

  /// - Parameter dumps: asks for all there is of a kind.
  /// - Returns: the attributes of each message of the answer.
  /// - Throws: `SystemError` with the kernel's reason, on `what`.
  @discardableResult
  func ask(
    _ family: UInt16, _ command: UInt8, dumps: Bool = false, _ what: String, _ body: (inout NetlinkRequest) -> Void
  ) throws -> [ArraySlice<UInt8>] {
    sequence &+= 1
    var request = NetlinkRequest(family, flags: dumps ? GenericNetlink.dump : 0, sequence: sequence)
    request.append(UInt32(command))
    body(&request)
    let bytes = request.finished()
    let subject = "\(what) in \(space.name)"
    guard send(fd, bytes, bytes.count, 0) == bytes.count else { throw SystemError("netlink", on: subject) }
    var answers: [ArraySlice<UInt8>] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let n = recv(fd, &buffer, buffer.count, 0)
      guard n > 0 else { throw SystemError("netlink", on: subject) }
      var rest = buffer[0..<n]
      while rest.count >= 16 {
        let length = Int(NetworkControl.number(rest, 0, UInt32.self))
        guard length >= 16, length <= rest.count else { break }
        let message = Array(rest.prefix(length))
        rest = rest.dropFirst((length + 3) & ~3)
        guard NetworkControl.number(message[...], 8, UInt32.self) == sequence else { continue }
        switch NetworkControl.number(message[...], 4, UInt16.self) {
        case GenericNetlink.errorMessage:
          guard length >= 20 else { throw SystemError("netlink", code: EPROTO, on: subject) }
          let code = NetworkControl.number(message[...], 16, Int32.self)
          guard code == 0 else { throw SystemError("netlink", code: 0 &- code, on: subject) }
          return answers
        case GenericNetlink.doneMessage: return answers
        default: if length >= GenericNetlink.header { answers.append(message[GenericNetlink.header...]) }
        }
      }
    }
  }
}
