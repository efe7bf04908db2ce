import RigFlow
import RigLinks
import RigLoop
import RigModel
import RigPlan

/// Which network path the devices of a run are reached over.
enum LinkChoice: String, CaseIterable {
  /// Loopback, and a namespace of its own where a case asks for faults of the link.
  case automatic = "auto"
  case loopback
  /// Real frames through a relay, with a real DHCP lease, for every case.
  case namespace
  /// A radio of this machine joins the hotspot of the device that `--device` names.
  case wifi
  /// The same, joined by NetworkManager on a radio that stays where it is.
  case networkManager = "networkmanager"

  /// Whether the case's device stands behind an air of its own.
  func usesAir(_ plan: Plan) -> Bool {
    switch self {
    case .loopback, .wifi, .networkManager: false
    case .namespace: true
    case .automatic: LinkChoice.needsAir(plan)
    }
  }

  static func needsAir(_ plan: Plan) -> Bool {
    plan.faults.contains {
      FaultCatalog.definition(of: $0, in: plan.flow)?.layer == .link && LinkChoice.namespace.refusal(of: $0) == nil
    }
  }

  /// Why this link cannot perform a fault of the link; `nil`: it can.
  func refusal(of fault: FaultRequest) -> String? {
    switch self {
    case .wifi: WiFiLink.refusal(of: fault)
    case .networkManager: ManagedLink.refusal(of: fault)
    case .automatic, .loopback, .namespace:
      fault.verb == "wrong-key" ? "\(fault.verb) needs a radio: run with --link wifi" : nil
    }
  }
}

/// Where this process stands in the network before anything has started: it may have moved into a private namespace.
struct NetworkAccess {
  /// Why faults of the link cannot be performed; `nil`: they can.
  var linkClosed: String?
  var capture: CaptureAccess

  /// To be called before any thread exists.
  static func prepare(_ settings: RunSettings, plans: [Plan]) -> NetworkAccess {
    var access = NetworkAccess(capture: .allowed)
    if let rig = settings.rig { return prepare(rig, noCapture: settings.noCapture) }
    let wants = plans.contains(where: settings.link.usesAir)
    if settings.link == .wifi || settings.link == .networkManager {
      // The station stands between the harness and the hotspot.
    } else if settings.device != nil {
      access.linkClosed = "--device: the harness does not stand between a given device and its hotspot"
    } else if settings.link == .loopback {
      access.linkClosed = "--link loopback carries no frames that could be impaired"
    } else if wants {
      do {
        try NetworkNamespace.enterPrivate()
        return access
      } catch {
        access.linkClosed = "no network namespaces can be made here: \(error)"
      }
    }
    // A device that is there already lives in this network namespace: no private one will do.
    if !settings.noCapture { access.capture = CaptureAccess.prepare(mayMove: settings.device == nil) }
    return access
  }

  /// A rig file says which link each device has: where one of them needs a private namespace, all can live there.
  private static func prepare(_ rig: Rig, noCapture: Bool) -> NetworkAccess {
    var access = NetworkAccess(capture: .allowed)
    if rig.devices.contains(where: { $0.link == .namespace }) {
      do { try NetworkNamespace.enterPrivate() } catch {
        access.linkClosed = "no network namespaces can be made here: \(error)"
      }
    } else if !noCapture, rig.devices.contains(where: { $0.phone == nil }) {
      access.capture = CaptureAccess.prepare(mayMove: rig.devices.allSatisfy(\.isEmulated))
    }
    return access
  }
}
