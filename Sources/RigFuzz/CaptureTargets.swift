import RigChecks
import RigModel
import RigWire

enum CaptureTargets {
  private static let links: [LinkType] = [
    .ethernet, .raw, .null, .loop, .linuxSLL, .linuxSLL2, .ipv4, .ipv6, .rawBSD, .user0,
  ]

  /// Frames through the whole analysis, each after four bytes: link type, tenths of a second, length.
  static func frames(_ input: UnsafeRawBufferPointer) throws {
    var input = FuzzInput(input)
    var analyzer = CaptureAnalyzer(AnalysisContext())
    var number = 0
    var time: Int64 = 1_700_000_000_000_000_000
    while !input.isAtEnd {
      let link = links[Int(input.u8()) % links.count]
      time += Int64(input.u8()) * 100_000_000
      let frame = input.take(input.u16())
      number += 1
      let packet = NetworkDissector.dissect(frame.span.bytes, link: link)
      try require(
        packet.payload.lowerBound >= 0 && packet.payload.upperBound <= frame.count && packet.missing >= 0,
        "\(packet) of \(frame.count) bytes")
      analyzer.see(frame: frame.span.bytes, number: number, time: time, link: link)
    }
    _ = try check(&analyzer)
  }

  /// What holds at the end of every analysis.
  static func check(_ analyzer: inout CaptureAnalyzer) throws -> AnalysisResult {
    let result = analyzer.finish()
    for stream in result.streams {
      try require(
        stream.packets >= 0 && stream.lost >= 0 && stream.expected >= stream.lost && stream.duplicates >= 0
          && stream.jitter.isFinite && stream.jitter >= 0 && stream.maxJitter >= stream.jitter
          && stream.lastTime >= stream.firstTime && stream.firstFrame <= stream.lastFrame, "\(stream)")
    }
    let isCounted = result.findings.allSatisfy { $0.count > 0 && !$0.message.isEmpty }
    try require(isCounted, "a finding without a count or a message")
    try require(analyzer.finish().findings == result.findings, "a second finish gives other findings")
    return result
  }

  private struct Read: Equatable {
    var packets: [Packet] = []
    var interfaces: [CaptureInterface] = []
    var drops: UInt64?
    var error: CaptureError?

    struct Packet: Equatable {
      var number: Int
      var time: Int64
      var bytes: [UInt8]
      var originalLength: Int
      var link: LinkType
      var interface: Int
      var comment: String?
      var offset: Int64
    }

    mutating func drain(_ reader: inout CaptureReader) throws(CaptureError) {
      while let packet = try reader.next() {
        packets.append(
          Packet(
            number: packet.number, time: packet.time, bytes: Array(reader.buffer[packet.range]),
            originalLength: packet.originalLength, link: packet.linkType, interface: packet.interface,
            comment: packet.comment, offset: packet.fileOffset))
      }
    }

    mutating func finish(_ reader: inout CaptureReader) {
      do throws(CaptureError) { try reader.finish() } catch { self.error = error }
      interfaces = reader.interfaces
      drops = reader.reportedDrops
    }
  }

  /// A capture file. Its cuts never change the packets, pushed or filled in; written as pcapng they are read the same.
  static func reader(_ input: UnsafeRawBufferPointer) throws {
    let file = [UInt8](input)
    let whole = read(file, pieces: max(1, file.count))
    for size in [1, 2 + Int(file.last ?? 0) % 61] {
      try require(read(file, pieces: size) == whole, "in pieces of \(size) bytes the packets are others")
      try require(filled(file, pieces: size) == whole, "filled by \(size) bytes the packets are others")
    }
    var writer = PcapngWriter()
    var copy = writer.sectionHeader()
    for interface in whole.interfaces {
      copy += writer.interface(name: interface.name ?? "", linkType: interface.linkType)
    }
    // Interfaces of an earlier section are gone.
    let packets = whole.packets.filter {
      whole.interfaces.indices.contains($0.interface) && whole.interfaces[$0.interface].linkType == $0.link
        && ($0.comment?.utf8.count ?? 0) < 60_000
    }
    for packet in packets {
      copy += writer.packet(
        interface: packet.interface, time: packet.time, bytes: packet.bytes.span.bytes,
        originalLength: packet.originalLength, comment: packet.comment)
    }
    let again = read(copy, pieces: copy.count)
    try require(again.error == nil, "the copy: \(again.error?.description ?? "")")
    try require(
      again.packets.map(\.bytes) == packets.map(\.bytes) && again.packets.map(\.time) == packets.map(\.time)
        && again.packets.map(\.link.rawValue) == packets.map { $0.link.rawValue & 0xFFFF },
      "the copy has other packets")
  }

  private static func read(_ file: [UInt8], pieces size: Int) -> Read {
    var reader = CaptureReader()
    var read = Read()
    forEachPiece(of: file, size: size) { piece in
      reader.push(piece)
      try? read.drain(&reader)
    }
    read.finish(&reader)
    return read
  }

  private static func filled(_ file: [UInt8], pieces size: Int) -> Read {
    var reader = CaptureReader()
    var read = Read()
    var rest = file[...]
    while true {
      let count = try? reader.fill(upTo: size) { (buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int in
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
      guard let count, count > 0 else { break }
      try? read.drain(&reader)
    }
    read.finish(&reader)
    return read
  }
}
