/// A model of device that can be emulated: what it says of itself and how long its stages take.
public struct DeviceProfile: Sendable {
  public var model: String
  public var firmware: String
  public var flows: [String]
  public var capabilities: [String]
  public var ranges: [String: ClosedRange<Double>]
  /// The device refuses what is outside its ranges, and does not say in advance which they are.
  public var hidesRanges = false
  /// Least and greatest time of each step, in milliseconds; the seed draws between them.
  public var pace: Pace
  /// Accepts faults, claims that they fired, and does nothing: nobody's word is proof.
  public var ignoresFaults = false
  /// The agent is what is tested: losing it is its failure, not the rig's.
  public var isUnderTest = false
  /// Its agent cannot reset it: that takes somebody else.
  public var refusesReset = false
  /// Cannot enter live mode on every start with this number since its boot; `nil`: it always can.
  public var failsEveryStart: Int?

  public struct Pace: Sendable {
    public var configureHotspot = 300...900
    public var enterLiveMode = 200...700
    public var openHotspot = 400...1200
    public var join = 300...1000
    public var address = 80...300
    public var sessionStart = 200...600
    public var stop = 80...300
    public var reboot = 900...1500
    /// Between the end of one stage and the beginning of the next.
    public var between = 2...15
  }

  public static let flagship = DeviceProfile(
    model: "emu-flagship", firmware: "1.4.2", flows: ["rtsp-hotspot"], capabilities: ["rtsp", "audio", "inject"],
    ranges: ["bitrate": 0.25...8, "qualityFactor": 0...51, "iFrameInterval": 4...119], pace: Pace())

  /// A device that starts, but cannot stream live over RTSP.
  public static let basic = DeviceProfile(
    model: "emu-basic", firmware: "1.1.0", flows: ["rtsp-hotspot"], capabilities: ["inject"], ranges: [:], pace: Pace())

  /// A device whose word on faults is worth nothing: every plan that asks it for one must end in an error.
  public static let deaf: DeviceProfile = {
    var profile = flagship
    profile.model = "emu-deaf"
    profile.ignoresFaults = true
    return profile
  }()

  /// A device that fails now and then, and regularly: what `repeat` in a plan is for.
  public static let seventh: DeviceProfile = {
    var profile = flagship
    profile.model = "emu-seventh"
    profile.failsEveryStart = 7
    return profile
  }()

  /// A device that its own agent cannot reset: for a rig that has another way.
  public static let stubborn: DeviceProfile = {
    var profile = flagship
    profile.model = "emu-stubborn"
    profile.refusesReset = true
    return profile
  }()

  public static let all: [DeviceProfile] = [.flagship, .basic, .deaf, .seventh, .stubborn]
}
