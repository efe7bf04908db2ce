import CRigShims
import Glibc
import RigLoop

/// How this process may capture packets.
enum CaptureAccess {
  case allowed
  /// In a user and network namespace of its own, where an ordinary user may capture.
  case privateNetwork
  case denied(String)

  /// Finds out, and moves into a private namespace where that is needed. To be called before any thread exists:
  /// afterwards the kernel refuses.
  static func prepare() -> CaptureAccess {
    let probe = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
    if probe >= 0 {
      close(probe)
      return .allowed
    }
    let code = rig_private_network(getuid(), getgid())
    guard code == 0 else {
      return .denied("no permission to capture, and no private network namespace: \(SystemError("unshare", code: code).reason)")
    }
    let up = rig_interface_up("lo")
    return up == 0 ? .privateNetwork : .denied("the private loopback cannot be brought up: \(SystemError("ioctl", code: up).reason)")
  }

  /// What a person can do about it.
  static let remedies = """
    Ways to get a capture:
      - run as root, or with the capability cap_net_raw (sudo setpriv --ambient-caps +net_raw …);
      - allow user namespaces for ordinary users (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces
        above 0, and on some systems kernel.apparmor_restrict_unprivileged_userns=0);
      - give up the packets with --no-capture: the groups rtsp, sdp, transport, framing, session, play, rtp, rtcp,
        h264, aac and timing, and the quiet-wire proof, are then not judged.
    """
}
