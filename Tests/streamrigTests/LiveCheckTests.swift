import Foundation
import Glibc
import Testing

/// `streamrig check --interface`, over loopback.
@Suite struct LiveCheckTests {
  static let mayCapture: Bool = {
    let probe = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
    guard probe >= 0 else { return false }
    close(probe)
    return true
  }()

  /// Sends RTP to a port of its own on 127.0.0.1, from a port of its own.
  private final class Sender {
    private let fd = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    private let sink = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    private(set) var port: UInt16 = 0

    init() throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
          bind(sink, raw, size) == 0 && getsockname(sink, raw, &size) == 0 && connect(fd, raw, size) == 0
        }
      }
      try #require(bound)
      port = UInt16(bigEndian: address.sin_port)
    }

    func send(_ numbers: Range<Int>) {
      for number in numbers {
        let time = number * 3000
        let packet: [UInt8] =
          [0x80, 96, UInt8(number >> 8 & 255), UInt8(number & 255)]
          + [UInt8(time >> 24 & 255), UInt8(time >> 16 & 255), UInt8(time >> 8 & 255), UInt8(time & 255)]
          + [0, 0, 0, 7] + [UInt8](repeating: 0x41, count: 400)
        _ = Glibc.send(fd, packet, packet.count, 0)
      }
    }

    deinit {
      close(fd)
      close(sink)
    }
  }

  @Test(.enabled(if: mayCapture, "capturing needs cap_net_raw"))
  func judgesWhileCapturingAndTheFileJudgesTheSame() throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "live.pcapng").path
    let xml = folder.url.appending(path: "live.xml").path
    let sender = try Sender()
    // The time limit only keeps a broken capture from hanging the tests.
    let live = try Tool.start([
      "check", "--json", "--interface", "lo", "--filter", "udp dst port \(sender.port)", "--packets", "60", "--write",
      file, "--junit", xml, "--seconds", "60",
    ])
    #expect(try live.firstDiagnostic().contains("judging lo"))
    // Numbers 20…23 never leave: a loss that is not the capture's.
    sender.send(0..<20)
    sender.send(24..<80)
    let result = try live.finish()
    #expect(result.status == 1)

    func lines(_ text: String) throws -> [NSMutableDictionary] {
      try text.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return NSMutableDictionary(dictionary: try #require(object))
      }
    }
    let seen = try lines(result.out)
    #expect(seen[0]["packets"] as? Int == 60)
    #expect(seen[0]["capture-drops"] as? Int == 0)
    #expect(seen[0]["received"] as? Int ?? 0 >= 60)
    #expect(seen[1]["lost"] as? Int == 4)
    #expect(seen[1]["longest-burst"] as? Int == 4)
    #expect(try Report(Data(contentsOf: URL(filePath: xml))).all("failure").count >= 1)

    let offline = try Tool.run(["check", "--json", file])
    #expect(offline.status == 1)
    let again = try lines(offline.out)
    for object in seen + again {
      // What a file does not know, and how the capture was called.
      for key in ["received", "written", "file"] { object.removeObject(forKey: key) }
    }
    #expect(seen == again)
  }

  @Test(.enabled(if: mayCapture, "capturing needs cap_net_raw"))
  func aSignalEndsItWithTheReport() throws {
    let sender = try Sender()
    let live = try Tool.start(["check", "--interface", "lo", "--filter", "udp dst port \(sender.port)"])
    _ = try live.firstDiagnostic()
    live.interrupt()
    let result = try live.finish()
    #expect(result.status == 3)
    #expect(result.out.contains("0 received, 0 dropped by the kernel, 0 judged"))
    #expect(result.out.contains("inconclusive: 0 errors"))
  }

  @Test(.enabled(if: mayCapture, "capturing needs cap_net_raw"))
  func wrongInterfacesAndFiltersAreToldInLibpcapsWords() throws {
    let interface = try Tool.run(["check", "--interface", "nope0"])
    #expect(interface.status == 2)
    #expect(interface.err.contains("nope0") && interface.err.contains("No such device"))
    let filter = try Tool.run(["check", "--interface", "lo", "--filter", "tcp prot 5"])
    #expect(filter.status == 2)
    #expect(filter.err.contains("\"tcp prot 5\"") && filter.err.contains("syntax error"))
    let file = try Tool.run(["check", "--interface", "lo", "--seconds", "1", "--write", "/proc/none/x.pcapng"])
    #expect(file.status == 3)
    #expect(file.err.contains("/proc/none/x.pcapng"))
  }

  @Test(.enabled(if: !mayCapture, "this user may capture"))
  func withoutPermissionItSaysWhatHelps() throws {
    let result = try Tool.run(["check", "--interface", "lo", "--seconds", "1"])
    #expect(result.status == 3)
    #expect(result.err.contains("cap_net_raw"))
  }

  @Test(
    arguments: [
      (["--filter", "udp"], "--filter needs --interface"), (["--write", "x"], "--write needs --interface"),
      (["--interface", "lo", "x.pcap"], "not both"), (["--interface", "lo", "--packets", "0"], "whole number"),
      (["--interface", "lo", "--seconds", "soon"], "whole number"),
    ] as [([String], String)])
  func wrongUsage(_ arguments: [String], _ message: String) throws {
    let result = try Tool.run(["check"] + arguments)
    #expect(result.status == 2)
    #expect(result.err.contains(message), "\(result.err)")
  }
}
