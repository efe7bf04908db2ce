import Glibc
import RigCapture
import RigChecks
import RigDevice
import RigLoop
import RigMedia
import RigModel
import RigRunner
import RigWire

/// The capture of a phone in one case: fetched, aligned, judged, and kept beside the case's other evidence.
actor PhoneImport: PhoneWitness {
  /// As the command left it, in the case's folder.
  static let fetchedName = "phone-capture"
  private static let name = "capture.pcapng"

  private let loop: EpollLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let recorder: PhoneRecorder
  private let folder: CaseFolder
  private let item: Case
  private var writer: CaptureWriter?
  private var wallOffset: Int64 = 0

  init(_ loop: EpollLoop, _ recorder: PhoneRecorder, _ folder: CaseFolder, _ item: Case) {
    self.loop = loop
    self.recorder = recorder
    self.folder = folder
    self.item = item
  }

  /// An absolute path: the command may run anywhere.
  private var path: String {
    let path = "\(folder.path)/\(PhoneImport.fetchedName)"
    guard !path.hasPrefix("/") else { return path }
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/" + path
  }

  func begin() async throws {
    if await !recorder.isPrimed { await recorder.primed(await latestBefore()) }
    try await recorder.begin(log: folder.openLog("phone-command.log"))
  }

  /// What the phone holds before the first case. That the command fails then is no fault: nothing may be there yet.
  private func latestBefore() async -> Int64? {
    defer { unlink(path) }
    do {
      try await recorder.fetch(to: path, log: folder.openLog("phone-command.log"))
      var last: Int64?
      _ = try await PhoneFile(path: path).read(
        loop, { packet, _ in last = max(last ?? packet.time, packet.time) }, between: {})
      return last
    } catch { return nil }
  }

  func fetch(_ session: PhoneSession, keyFrameDue: HostTime, gap: Duration) async throws -> PhoneTestimony {
    var session = session
    session.seenBefore = await recorder.seenBefore
    try await recorder.fetch(to: path, log: folder.openLog("phone-command.log"))
    session.fetched = loop.now
    wallOffset = SystemClock.wall &- SystemClock.now.nanoseconds
    session.wallOffset = wallOffset
    let file = PhoneFile(path: path)
    var scan = PhoneScan(address: session.address)
    let (cut, drops) = try await file.read(
      loop,
      { packet, bytes in
        scan.see(frame: bytes, number: packet.number, time: packet.time, link: packet.linkType)
      }, between: {})
    folder.announce(PhoneImport.fetchedName, title: "the phone's own capture, as it was fetched")
    if scan.packets > 0 { await recorder.primed(scan.last) }
    let clock = try PhoneAlignment.align(session, with: scan)
    return try await judge(file, clock, session, reach: scan.last, keyFrameDue, gap, cut, drops)
  }

  private func judge(
    _ file: PhoneFile, _ clock: PhoneClock, _ session: PhoneSession, reach: Int64, _ keyFrameDue: HostTime,
    _ gap: Duration, _ cut: String?, _ drops: UInt64?
  ) async throws -> PhoneTestimony {
    var tape = PhoneTape(
      clock,
      AnalysisContext(
        expectedGOP: item.plan.params.map { $0.iFrameInterval + 1 },
        askedBitRate: item.plan.params.flatMap { $0.bitrate.bitsPerSecond > 0 ? $0.bitrate : nil },
        settings: item.plan.checks, file: PhoneImport.name))
    var problem: String?
    var number = 0
    var decoder: CaptureDecoder?
    var pictures = PlayedPictures()
    var link: LinkType?
    let title = "phone: \(clock.text)"
    _ = try await file.read(
      loop,
      { packet, bytes in
        guard problem == nil, link == nil || link == packet.linkType,
          tape.wants(bytes, time: packet.time, link: packet.linkType)
        else { return }
        let time = clock.placed(packet.time)
        do throws(SystemError) {
          if link == nil { self.writer = try self.makeCopy(packet.linkType, title) }
        } catch {
          problem = "writing \(error)"
          return
        }
        link = packet.linkType
        number += 1
        bytes.withUnsafeBytes { self.writer?.packet($0, time: time, originalLength: packet.originalLength) }
        tape.see(frame: bytes, number: number, time: time, link: packet.linkType)
      },
      between: {
        for picture in tape.takePictures() where problem == nil {
          do {
            if decoder == nil { decoder = try self.makeDecoder(picture.codec) }
            try await decoder?.decode(picture.bytes, time: picture.time)
          } catch { problem = "the media helper cannot be used: \(error)" }
        }
        self.note(decoder, in: &pictures, gap)
      })
    let result = tape.finish(dropped: drops)
    var summary: MediaSummary?
    if let decoder {
      do { summary = try await decoder.finish() } catch { problem = problem ?? "\(error)" }
      note(decoder, in: &pictures, gap)
    }
    writer?.flush()
    if problem == nil, let error = writer?.error { problem = "writing \(error)" }
    return PhoneTestimony(
      clock: clock,
      capture: CaptureOutcome(result: result, packets: UInt64(number), dropped: drops ?? 0, problem: problem),
      facts: PhoneFacts(
        clock, result, pictures, reach: clock.placed(reach), ended: session.ended, keyFrameDue: keyFrameDue, gap: gap),
      summary: summary, cut: cut)
  }

  private func note(_ decoder: CaptureDecoder?, in pictures: inout PlayedPictures, _ gap: Duration) {
    for picture in decoder?.takePictures() ?? [] {
      pictures.see(
        picture.time, isKey: picture.isKey, width: picture.width, height: picture.height, limit: gap.nanoseconds)
    }
  }

  private func makeDecoder(_ codec: CodedPicture.Codec) throws(SystemError) -> CaptureDecoder {
    try CaptureDecoder(
      loop, program: HelperProgram.media, codec: codec.rawValue, stderr: folder.openLog("media-helper.log")
    ) { [folder] in folder.append($0, to: "media.jsonl") }
  }

  private func makeCopy(_ link: LinkType, _ title: String) throws(SystemError) -> CaptureWriter {
    let copy = try CaptureWriter(
      path: "\(folder.path)/\(PhoneImport.name)", interface: "phone", link: link, snapLength: 0, title: title,
      hasMarks: true)
    folder.announce(PhoneImport.name, title: "packets of the phone, and stage marks")
    return copy
  }

  func mark(_ marks: [(time: HostTime, text: String)]) async {
    for mark in marks.sorted(by: { $0.time < $1.time }) {
      writer?.mark(mark.text, time: mark.time.nanoseconds &+ wallOffset)
    }
    writer?.flush()
    writer = nil
  }
}
