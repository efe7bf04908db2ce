public import RigModel
public import RigWire

/// What is known beside the capture: what was asked for, and how the capture was made.
public struct AnalysisContext: Sendable {
  /// Pictures from one key frame to the next, the key frame included (`iFrameInterval + 1`); `nil`: not asked for.
  public var expectedGOP: Int?
  /// The bit rate asked for; `nil`: the device's default.
  public var askedBitRate: BitRate?
  /// Packets that the capture lost; `nil`: nobody knows, so loss on UDP proves nothing.
  public var captureDropped: UInt64?
  /// How the plan wants single checks judged; those not named are on.
  public var settings: [String: CheckSetting]
  /// Only packets to or from these addresses are looked at; empty: all.
  public var hosts: [IPAddress]
  /// Name of the capture file for the evidence, relative to the case's folder.
  public var file: String?

  public init(
    expectedGOP: Int? = nil, askedBitRate: BitRate? = nil, captureDropped: UInt64? = nil,
    settings: [String: CheckSetting] = [:], hosts: [IPAddress] = [], file: String? = nil
  ) {
    self.expectedGOP = expectedGOP
    self.askedBitRate = askedBitRate
    self.captureDropped = captureDropped
    self.settings = settings
    self.hosts = hosts
    self.file = file
  }

  public func setting(_ check: CheckInfo) -> CheckSetting { settings[check.id] ?? .on }
}
