import Glibc
import RigLoop
import RigModel
import RigWire

/// A capture that a command left behind: opened with care, and read in pieces between which the loop goes on.
struct PhoneFile {
  /// Why a file is no capture to be judged, and what was expected.
  struct Unusable: Error, CustomStringConvertible { let description: String }

  private static let sizeLimit: Int64 = 2 << 30
  private static let piece = 256 << 10

  let path: String

  /// Reads the file from its beginning, packet by packet.
  /// - Returns: why it could not be read to its end, or `nil`; and how many packets the recorder lost, if the file says so.
  /// - Throws: `Unusable`.
  nonisolated(nonsending) func read(
    _ loop: EpollLoop, _ see: (CapturedPacket, RawSpan) -> Void, between: () async throws -> Void
  ) async throws -> (cut: String?, drops: UInt64?) {
    let fd = try open()
    defer { close(fd) }
    var reader = CaptureReader()
    var cut: CaptureError?
    while cut == nil {
      let count = try reader.fill(upTo: PhoneFile.piece) { buffer throws(SystemError) in
        while true {
          let n = Glibc.read(fd, buffer.baseAddress, buffer.count)
          if n >= 0 { return n }
          if errno != EINTR { throw SystemError("read", on: path) }
        }
      }
      let buffer = reader.buffer
      let bytes = buffer.span.bytes
      do throws(CaptureError) {
        if count == 0 { try reader.finish() }
        while let packet = try reader.next() { see(packet, bytes.extracting(packet.range)) }
      } catch { cut = error }
      try await between()
      // Others on this loop have limits to keep.
      try await loop.sleep(for: .zero)
      if count == 0 { break }
    }
    if cut?.reason == .notACapture {
      throw Unusable(description: "\(name) is neither pcap nor pcapng; expected a capture")
    }
    return (cut.map { "\($0)" }, reader.reportedDrops)
  }

  private var name: String { path.split(separator: "/").last.map { String($0) } ?? path }

  private func open() throws -> Int32 {
    // A symbolic link may lead anywhere, and a pipe or a device need never end.
    let fd = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard fd >= 0 else {
      switch errno {
      case ENOENT: throw Unusable(description: "the command left no file; expected the phone's capture at {file}")
      case ELOOP: throw Unusable(description: "the command left a symbolic link; expected the capture itself at {file}")
      default: throw SystemError("open", on: path)
      }
    }
    var status = stat()
    var problem: String?
    if fstat(fd, &status) != 0 {
      problem = "\(SystemError("fstat", on: path))"
    } else if status.st_mode & S_IFMT != S_IFREG {
      problem = "the command left no ordinary file; expected the phone's capture at {file}"
    } else if status.st_size == 0 {
      problem = "the command left an empty file; expected the phone's capture at {file}"
    } else if status.st_size > PhoneFile.sizeLimit {
      problem = "the phone's capture has \(status.st_size >> 20) MiB; expected at most \(PhoneFile.sizeLimit >> 20) MiB"
    }
    if let problem {
      close(fd)
      throw Unusable(description: problem)
    }
    return fd
  }
}
