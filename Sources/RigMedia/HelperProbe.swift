public import RigDevice
public import RigLoop
public import RigModel

/// The media witness: a helper process that opens the received URL, decodes it, and reports in JSON lines.
///
/// A helper that crashes, hangs or is missing is reported with its evidence; the run goes on.
public actor HelperProbe: MediaProbe {
  private let loop: EpollLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let program: String
  private let gap: Duration
  private let connectLimit: Duration
  private let start: @Sendable (_ program: String, _ arguments: [String], _ stderr: Int32?) throws -> ChildProcess
  private let stderr: @Sendable () -> Int32?
  private var child: ChildProcess?
  private var reader: Task<Void, any Error>?
  private var signal: @Sendable (MediaSignal) -> Void = { _ in }
  private var isClosing = false
  private var hasKeyFrame = false
  private var hasEnded = false
  private var hasSummary = false
  private var frames = 0
  private var size = (width: 0, height: 0)
  private var codec = ""

  /// How long a helper may take to finish once it was told to.
  private static let patience: Duration = .seconds(4)

  /// - Parameters:
  ///   - program: path of `streamrig-media`.
  ///   - gap: a pause between frames that is reported as a media gap.
  ///   - connectLimit: by when somebody must answer at the address; shorter than the limit of the first key frame.
  ///   - start: starts the helper, where it belongs into another network namespace than this process; it takes over the
  ///     descriptor of its stderr.
  ///   - stderr: gives a descriptor for the helper's stderr, taken over.
  public init(
    _ loop: EpollLoop, program: String, gap: Duration, connectLimit: Duration = .milliseconds(4500),
    start: (@Sendable (_ program: String, _ arguments: [String], _ stderr: Int32?) throws -> ChildProcess)? = nil,
    stderr: @escaping @Sendable () -> Int32? = { nil }
  ) {
    self.loop = loop
    self.program = program
    self.gap = gap
    self.connectLimit = connectLimit
    self.start = start ?? { try ChildProcess(loop, program: $0, arguments: $1, stderr: $2) }
    self.stderr = stderr
  }

  public func open(
    _ url: String, transport: MediaTransport, counterModulus: Int?, _ signal: @escaping @Sendable (MediaSignal) -> Void
  ) async {
    self.signal = signal
    do {
      let child = try start(program, ["probe"], stderr())
      self.child = child
      reader = loop.spawn { [weak self] in try await self?.read(child) }
      let command: JSONValue = [
        "cmd": "open", "url": .string(url), "transport": .string(transport.rawValue), "timeout-ms": 5000,
        "connect-timeout-ms": .integer(max(1, min(5000, connectLimit.nanoseconds / 1_000_000))),
        "gap-ms": .integer(max(1, gap.nanoseconds / 1_000_000)), "idle-timeout-ms": 30_000,
        "counter": .bool(counterModulus != nil),
        "counter-modulus": counterModulus.map { .integer(Int64($0)) },
      ]
      try await child.io.write(Array((command.text + "\n").utf8))
    } catch {
      signal(.helperFailed("the media helper cannot be used: \(error)"))
    }
  }

  private func read(_ child: ChildProcess) async throws {
    var lines = LineReader()
    while case let bytes = try await child.io.read(), !bytes.isEmpty {
      for line in lines.push(bytes) { take(line) }
    }
    let exit = try await child.waitForExit()
    if !hasSummary, !isClosing || exit != .signal(9) {
      signal(.helperFailed("the media helper ended without a summary: \(exit)"))
    }
  }

  public func close() async {
    guard let child, !isClosing else { return }
    isClosing = true
    try? await child.io.write(Array("{\"cmd\":\"close\"}\n".utf8))
    let hung = loop.schedule(at: loop.now + HelperProbe.patience) {
      child.signal(9)
    }
    _ = await reader?.result
    loop.cancel(hung)
    if !hasSummary {
      signal(.helperFailed("the media helper did not finish in \(HelperProbe.patience.text) and was killed"))
    }
    child.io.close()
    self.child = nil
  }

  private func take(_ line: String) {
    signal(.line(line))
    guard let json = try? JSONParser.parse(line), let kind = json["kind"]?.string else { return }
    let time = nanoseconds(json["t"]) ?? loop.now
    func fact(_ kind: FactKind, _ detail: String = "") {
      signal(.fact(Fact(kind, by: .media, at: time, detail: detail)))
    }
    switch kind {
    case "opened":
      codec = json["streams"]?.array?.first { $0["type"]?.string == "video" }?["codec"]?.string ?? ""
      fact(.mediaOpened, codec)
    case "first-packet": if frames == 0 { fact(.firstPacket) }
    case "key-frame":
      guard !hasKeyFrame else { return }
      hasKeyFrame = true
      fact(.keyFrame, "\(json["width"]?.integer ?? 0)×\(json["height"]?.integer ?? 0)")
    case "frame":
      frames += 1
      size = (Int(json["width"]?.integer ?? 0), Int(json["height"]?.integer ?? 0))
      signal(.frames(count: frames, last: time))
    case "gap":
      fact(json["over"]?.bool == true ? .mediaResumed : .mediaGap, Duration.milliseconds(json["ms"]?.integer ?? 0).text)
    case "decode-error": fact(.decodeError, json["message"]?.string ?? "")
    case "ended": ended(json, fact)
    case "summary": summarize(json)
    default: break
    }
  }

  private func ended(_ json: JSONValue, _ fact: (FactKind, String) -> Void) {
    guard !hasEnded, !isClosing else { return }
    hasEnded = true
    let reason = json["reason"]?.string ?? ""
    let message = json["message"]?.string ?? ""
    let kind: FactKind =
      hasKeyFrame ? .mediaEnded : json["unreachable"]?.bool == true ? .mediaUnreachable : .mediaFailed
    fact(kind, message.isEmpty ? reason : "\(reason): \(message)")
  }

  private func summarize(_ json: JSONValue) {
    hasSummary = true
    signal(.summary(MediaSummary(json, codec: codec, width: size.width, height: size.height)))
  }

  /// Times beyond 53 bits come as strings.
  private func nanoseconds(_ value: JSONValue?) -> HostTime? {
    (value?.integer ?? value?.string.flatMap { Int64($0) }).map { HostTime(nanoseconds: $0) }
  }
}
