import Glibc
import RigLinks
import RigLoop
import RigModel

/// Which network paths to a device this machine can make, and whether packets can be captured on them.
enum LinkDoctor {
  /// To be called before any thread exists, and last: it moves the process into a private namespace, as a run does.
  static func examine() -> [Diagnosis] {
    let refusal = captureRefusal
    let before = [loopback, wifi, networkManager]
    let namespace = namespace
    return [capture(refusal, inside: captureRefusal)] + before + [namespace]
  }

  /// Why the kernel gives no packet socket; `nil`: it does.
  private static var captureRefusal: SystemError? {
    let probe = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
    guard probe >= 0 else { return SystemError("socket", on: "packets") }
    close(probe)
    return nil
  }

  private static func capture(_ refusal: SystemError?, inside: SystemError?) -> Diagnosis {
    guard let refusal else { return .ok("capture", "packet sockets are allowed") }
    guard inside != nil else {
      return .ok(
        "capture",
        "packet sockets are refused here (\(refusal.reason)), but not in a private network namespace: runs use one")
    }
    return .problem("capture", "\(refusal)", fix: CaptureAccess.remedies)
  }

  /// Where an emulated device listens: control link, hotspot, RTSP.
  private static let devicePorts: [UInt16] = [7066, 7067, 8554]

  /// Takes the ports of every address that an emulated device may get, and gives them back.
  private static var loopback: Diagnosis {
    let name = "link loopback"
    do {
      let loop = try EpollLoop()
      var free = 0
      var refusal: (any Error)?
      for number in 1...250 {
        do {
          let taken = try devicePorts.compactMap { SocketAddress(host: "127.66.\(number).1", port: $0) }
            .map { try TCPListener(loop, on: $0) }
          for listener in taken { listener.close() }
          free += 1
        } catch { refusal = error }
      }
      let ports = "ports \(devicePorts.map { "\($0)" }.joined(separator: ", "))"
      guard free > 0 else {
        return .problem(
          name, "\(ports) are free on none of 127.66.1.1 to 127.66.250.1: \(refusal.map { "\($0)" } ?? "")",
          fix: "ip link set lo up, and end what holds the ports (ss -ltnp)")
      }
      return .ok(name, "\(ports) are free on \(free) of 127.66.1.1 to 127.66.250.1: each is room for a device")
    } catch {
      return .problem(name, "\(error)", fix: "ip link set lo up")
    }
  }

  /// Builds one, with both sides and its relay, and takes it down.
  private static var namespace: Diagnosis {
    let name = "link namespace"
    do {
      try NetworkNamespace.enterPrivate()
      let loop = try EpollLoop()
      try loop.run {
        let link = try NamespaceLink(loop, seed: 1)
        await link.close()
      }
      return .ok(name, "real frames, DHCP, and impairment by the built-in relay; netem is not needed")
    } catch {
      return .warning(
        name, "\(error)",
        fix: "faults of the link need it: run as root, or allow user namespaces for ordinary users "
          + "(sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0)")
    }
  }

  /// Where the kernel does not answer of radios.
  static var radioFix: String { geteuid() == 0 ? "look at dmesg" : "run as root, which a radio needs in any case" }

  private static var wifi: Diagnosis {
    let name = "link wifi"
    let radios: [Radio]
    do {
      radios = try Radio.list()
    } catch {
      return .warning(name, "the kernel does not list its radios: \(error)", fix: radioFix)
    }
    guard !radios.isEmpty else {
      return .warning(
        name, "no radio: the kernel lists none",
        fix:
          "plug in a Wi-Fi adapter, or modprobe mac80211_hwsim for simulated ones; runs on emulated devices need none")
    }
    let list = radios.map(text).joined(separator: "; ")
    let refusals = radios.compactMap(\.refusal)
    guard refusals.count < radios.count else {
      return .warning(
        name, "none can be taken: \(refusals.map(\.description).joined(separator: "; "))",
        fix: refusals.map(\.fix).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
          .joined(separator: "\n"))
    }
    return .ok(name, list)
  }

  /// What every radio of such a link needs; which radios NetworkManager manages is for a rig to say.
  private static var networkManager: Diagnosis {
    let name = "link networkmanager"
    do {
      let loop = try EpollLoop()
      try loop.run { try await ManagedLink.look(loop) }
      return .ok(name, "NetworkManager runs, and nmcli and iw are there")
    } catch let error as RadioUnavailable {
      return .warning(name, "\(error)", fix: error.fix.isEmpty ? "link wifi does without it" : error.fix)
    } catch {
      return .warning(name, "\(error)", fix: "link wifi does without it")
    }
  }

  /// `wlan0 (phy0, ath9k), 2.4 and 5 GHz, NetworkManager's`
  private static func text(_ radio: Radio) -> String {
    var parts = [radio.text]
    if !radio.bands.isEmpty { parts.append(radio.bands.joined(separator: " and ")) }
    if let manager = radio.manager { parts.append("used by \(manager)") }
    if let block = radio.block { parts.append("blocked by rfkill (\(block.rawValue))") }
    if !radio.mayChangeNamespace { parts.append("its driver cannot change network namespace") }
    return parts.joined(separator: ", ")
  }
}
