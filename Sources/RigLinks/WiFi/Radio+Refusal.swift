import Glibc

extension Radio {
  /// Why `run --link wifi` cannot take it; `nil`: it can, as far as can be told without taking it.
  public var refusal: RadioUnavailable? {
    refusal(isRoot: geteuid() == 0) { SystemTree.program($0) != nil }
  }

  /// - Parameter has: whether the machine has a program.
  func refusal(isRoot: Bool, has: (String) -> Bool) -> RadioUnavailable? {
    switch block {
    case .soft:
      return RadioUnavailable(
        "\(text) is blocked by rfkill; to lift it: rfkill unblock wifi", fix: "rfkill unblock wifi")
    case .hard:
      return RadioUnavailable(
        "\(text) is blocked by a switch of the machine (rfkill)", fix: "turn the switch of the machine: rfkill list")
    case nil: break
    }
    guard mayChangeNamespace else {
      return RadioUnavailable(
        "\(text) cannot be moved: its driver does not allow another network namespace",
        fix: "take an adapter with another driver, or link networkmanager")
    }
    guard isRoot else { return RadioUnavailable("root is needed to move \(text)", fix: "run as root") }
    switch manager {
    case nil: break
    case "NetworkManager":
      guard has("nmcli") else {
        return RadioUnavailable(
          "\(interface) is managed by NetworkManager, and nmcli is missing to take it away from it",
          fix: "apt-get install network-manager")
      }
    case let other?:
      return RadioUnavailable("\(text) is used by \(other): stop that first", fix: "stop \(other) on \(interface)")
    }
    guard has("wpa_supplicant") else {
      return RadioUnavailable(
        "wpa_supplicant is missing; on Debian: apt-get install wpasupplicant", fix: "apt-get install wpasupplicant")
    }
    return nil
  }
}
