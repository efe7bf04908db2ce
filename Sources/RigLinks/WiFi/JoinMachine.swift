import RigModel

/// How far a station is with joining one hotspot: events and time go in, an outcome comes out. Pure.
struct JoinMachine: Sendable {
  enum Outcome: Hashable, Sendable {
    case associated(bssid: String)
    case failed(JoinFailure)
  }

  private let profile: HotspotProfile
  private let began: HostTime
  let deadline: HostTime
  private(set) var outcome: Outcome?
  /// The named channel is not the hotspot's: look everywhere. Asked once.
  private(set) var wantsAnyChannel = false
  private var scans = 0
  private var scansOnChannel = 0
  private var bssid: String?
  private var rejections = 0
  private var lastRejection: JoinFailure?
  private var lastReason: Int?
  private var lastScanError: Int32?

  /// What an access point on a quiet channel, and a slow one, takes to be heard.
  static let patience: Duration = .seconds(20)
  /// Its radar check comes first.
  static let patienceWithRadar: Duration = .seconds(80)
  /// An access point that says no twice means it.
  static let mostRejections = 2
  static let mostScansOnChannel = 4
  /// The switch for radios (rfkill), as scans tell it.
  private static let blocked: Int32 = 132

  init(_ profile: HotspotProfile, at now: HostTime) {
    self.profile = profile
    began = now
    let radar = profile.channel?.needsRadarCheck ?? false
    deadline = now + (radar ? JoinMachine.patienceWithRadar : JoinMachine.patience)
  }

  mutating func see(_ event: SupplicantEvent, at now: HostTime) {
    guard outcome == nil else { return }
    switch event {
    case .networkNotFound: notFound()
    case .scanFailed(let errno):
      lastScanError = errno
      if errno == JoinMachine.blocked { fail(.blocked) }
    case .scanResults: lastScanError = nil
    case .authenticating(let bssid), .associated(let bssid): self.bssid = bssid
    case .connected(let bssid): outcome = .associated(bssid: bssid)
    case .authenticationRejected(let bssid, let type, let step, let status):
      // SAE (type 3): only the confirm holds a proof of the key.
      if type == 3, step == 2 || status == 15 { return fail(.wrongKey(profile.name, bssid: bssid)) }
      let name = type == 3 ? "authentication (SAE commit)" : "authentication"
      reject(.rejected(profile.name, bssid: bssid, step: name, status: status))
    case .associationRejected(let bssid, let status):
      reject(.rejected(profile.name, bssid: bssid, step: "association", status: status))
    case .disconnected(_, let reason, let isLocal): if !isLocal { lastReason = reason }
    case .temporarilyDisabled("WRONG_KEY"): fail(.wrongKey(profile.name, bssid: bssid ?? ""))
    case .terminating: fail(.supplicant("wpa_supplicant ended"))
    case .scanStarted, .temporarilyDisabled, .other: break
    }
    tick(at: now)
  }

  /// To be called at `deadline` at the latest.
  mutating func tick(at now: HostTime) {
    guard outcome == nil, now >= deadline else { return }
    let took = now - began
    if let lastRejection {
      fail(lastRejection)
    } else if bssid != nil {
      fail(.unfinished(profile.name, after: took, reason: lastReason))
    } else if let lastScanError {
      fail(.scanRefused(errno: lastScanError))
    } else {
      fail(
        .notFound(profile.name, scans: scans, after: took, channel: profile.channel, hasKey: profile.key != nil))
    }
  }

  private mutating func notFound() {
    scans += 1
    // While the access point listens for radar, its channel is the place to wait.
    guard let channel = profile.channel, !channel.needsRadarCheck, !wantsAnyChannel else { return }
    scansOnChannel += 1
    if scansOnChannel >= JoinMachine.mostScansOnChannel { wantsAnyChannel = true }
  }

  private mutating func reject(_ failure: JoinFailure) {
    rejections += 1
    lastRejection = failure
    if rejections >= JoinMachine.mostRejections { fail(failure) }
  }

  private mutating func fail(_ failure: JoinFailure) { outcome = .failed(failure) }
}
