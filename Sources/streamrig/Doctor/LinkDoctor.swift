import Glibc
import RigLinks
import RigLoop
import RigModel

/// Which network paths to a device this machine can make, and whether packets can be captured on them.
enum LinkDoctor {
  /// To be called before any thread exists, and last: it moves the process into a private namespace, as a run does.
  static func examine() -> [Diagnosis] {
    let refusal = captureRefusal
    let before = [loopback, wifi]
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

  private static var loopback: Diagnosis {
    let port: UInt16 = 7066
    guard let address = SocketAddress(host: "127.66.250.1", port: port) else {
      return .problem("link loopback", "127.66.250.1 is no address here", fix: "ip link set lo up")
    }
    do {
      let loop = try EpollLoop()
      let listener = try TCPListener(loop, on: address)
      listener.close()
      return .ok("link loopback", "devices are emulated on 127.66.n.1, port \(port) and others are free")
    } catch {
      return .problem("link loopback", "\(error)", fix: "ip link set lo up, and end what holds the port (ss -ltnp)")
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

  private static var wifi: Diagnosis {
    let name = "link wifi"
    let radios = SystemFile.list("/sys/class/ieee80211")
    guard !radios.isEmpty else {
      return .warning(
        name, "no radio: /sys/class/ieee80211 is empty",
        fix:
          "plug in a Wi-Fi adapter, or modprobe mac80211_hwsim for simulated ones; runs on emulated devices need none")
    }
    let missing = ["wpa_supplicant", "iw"].filter { SystemFile.program($0) == nil }
    guard missing.isEmpty else {
      return .warning(
        name, "\(radios.joined(separator: ", ")), but no \(missing.joined(separator: " and no "))",
        fix: "apt install wpasupplicant iw")
    }
    return .ok(name, radios.joined(separator: ", "))
  }
}
