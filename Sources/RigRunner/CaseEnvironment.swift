public import RigChecks
public import RigDevice
public import RigModel

/// Everything that one case needs and does not make itself: the composition root puts it together.
public struct CaseEnvironment: Sendable {
  /// `emu-1`: how reports call the device.
  public var deviceName: String
  /// The address whose traffic is captured and judged.
  public var host: String
  public var driver: any DeviceDriver
  public var link: any Link
  public var player: any MediaProbe
  public var capture: (any CaseCapture)?
  /// Why there is no capture, and which checks that costs.
  public var captureSkipped: String
  public var files: any CaseFiles
  /// Gives the worst lateness of the loop's timers since a time; `nil`: none above the threshold, or virtual time.
  public var lag: @Sendable (HostTime) -> Duration?
  /// `nil`: the device is gone with the case, so that nothing can be said of its next start.
  public var nextStart: NextStart?
  /// A phone plays in the harness's place; `nil`: the harness plays.
  public var phone: (any PhoneWitness)?
  /// What was done to the device so that the case could have it: for the timeline, and as properties of the record.
  public var preparations: [RunRecord.Property] = []

  public init(
    deviceName: String, host: String, driver: any DeviceDriver, link: any Link, player: any MediaProbe,
    capture: (any CaseCapture)?, captureSkipped: String, files: any CaseFiles,
    lag: @escaping @Sendable (HostTime) -> Duration? = { _ in nil }, nextStart: NextStart? = nil
  ) {
    self.deviceName = deviceName
    self.host = host
    self.driver = driver
    self.link = link
    self.player = player
    self.capture = capture
    self.captureSkipped = captureSkipped
    self.files = files
    self.lag = lag
    self.nextStart = nextStart
  }
}

/// A capture of one case that judges what it sees.
public protocol CaseCapture: PacketSource {
  func finish() async -> CaptureOutcome
}

public struct CaptureOutcome: Sendable {
  public var result: AnalysisResult
  /// Packets in the file, stage marks not counted.
  public var packets: UInt64
  public var dropped: UInt64
  /// Why the file, or the capture, is not whole.
  public var problem: String?
  public init(result: AnalysisResult, packets: UInt64, dropped: UInt64, problem: String?) {
    self.result = result
    self.packets = packets
    self.dropped = dropped
    self.problem = problem
  }
}

/// The phone that plays, and what it captured.
public protocol PhoneWitness: Sendable {
  /// Has the phone's recorder started, before the case.
  /// - Throws: what kept it from starting.
  func begin() async throws
  /// Fetches the capture, finds the session in it, and judges it. `fetched`, `wallOffset` and `seenBefore` of the
  /// session are filled in.
  /// - Parameters:
  ///   - keyFrameDue: until when the first key frame may come.
  ///   - gap: the longest time without media.
  /// - Throws: why the capture says nothing of the session, and what was expected.
  func fetch(_ session: PhoneSession, keyFrameDue: HostTime, gap: Duration) async throws -> PhoneTestimony
  /// Writes stage marks behind the packets of the capture.
  func mark(_ marks: [(time: HostTime, text: String)]) async
}

/// What a phone's capture says of one session.
public struct PhoneTestimony: Sendable {
  public var clock: PhoneClock
  public var capture: CaptureOutcome
  public var facts: PhoneFacts
  /// `nil`: there was no video to decode.
  public var summary: MediaSummary?
  /// Why the file could not be read to its end; what was read before is judged.
  public var cut: String?
  public init(
    clock: PhoneClock, capture: CaptureOutcome, facts: PhoneFacts, summary: MediaSummary?, cut: String?
  ) {
    self.clock = clock
    self.capture = capture
    self.facts = facts
    self.summary = summary
    self.cut = cut
  }
}

/// The folder of one case.
public protocol CaseFiles: Sendable {
  /// Appends a line; the file is made on the first.
  func append(_ line: String, to name: String)
  /// Files made so far, relative to the reports folder, with a title.
  var artifacts: [Artifact] { get }
  /// The first error that writing met.
  var problem: String? { get }
}
