import CRigShims
import Glibc
import RigChecks
import RigLoop
import RigModel

/// How this process may capture packets.
enum CaptureAccess {
  case allowed
  /// In a user and network namespace of its own, where an ordinary user may capture.
  case privateNetwork
  case denied(String)

  /// Finds out, and moves into a private namespace where that is needed. To be called before any thread exists:
  /// afterwards the kernel refuses.
  static func prepare(mayMove: Bool) -> CaptureAccess {
    let probe = socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
    if probe >= 0 {
      close(probe)
      return .allowed
    }
    guard mayMove else { return .denied("no permission to capture") }
    let code = rig_private_network(getuid(), getgid())
    guard code == 0 else {
      return .denied(
        "no permission to capture, and no private network namespace: \(SystemError("unshare", code: code).reason)")
    }
    let up = rig_interface_up("lo")
    return up == 0
      ? .privateNetwork : .denied("the private loopback cannot be brought up: \(SystemError("ioctl", code: up).reason)")
  }

  private static let privilege = """
    Ways to get a capture:
      - run as root, or with the capability cap_net_raw (sudo setpriv --ambient-caps +net_raw …);
    """

  /// What a person can do about it who wants to see an interface that is there.
  static var remediesForInterface: String {
    """
    \(privilege)
      - for traffic on loopback, run both ends and this command in one private network (unshare --user --map-root-user
        --net, then: ip link set lo up);
      - let another program capture, and judge its file: streamrig check FILE.
    """
  }

  /// What a person can do about it.
  static var remedies: String {
    """
    \(privilege)
      - allow user namespaces for ordinary users (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces
        above 0, and on some systems kernel.apparmor_restrict_unprivileged_userns=0);
      - give up the packets with --no-capture: \(cost).
    """
  }

  /// What a run without packets cannot tell.
  static var cost: String {
    var groups: [String] = []
    for check in CheckCatalog.wire.map({ $0.info }) where !groups.contains(check.group) { groups.append(check.group) }
    return "without a capture the checks of \(groups.joined(separator: ", ")) and the quiet wire are not judged"
  }
}
