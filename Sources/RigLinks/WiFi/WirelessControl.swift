import Glibc
import RigLoop

/// The kernel's radios, over nl80211: which there are, and in whose network namespace.
// Unchecked: used from one thread at a time by its owner.
final class WirelessControl: @unchecked Sendable {
  struct Wiphy: Hashable, Sendable {
    var index: UInt32
    var name: String
    /// 2.4, 5, 6 GHz, as `nl80211_band` numbers them.
    var bands: Set<UInt16> = []
    /// The driver allows `SET_WIPHY_NETNS`.
    var mayChangeNamespace = false
  }

  struct Interface: Hashable, Sendable {
    var name: String
    var wiphy: UInt32
    /// As `nl80211_iftype` numbers them; 2 is a station, 3 an access point.
    var kind: UInt32
  }

  // linux/nl80211.h
  private static let getWiphy: UInt8 = 1
  private static let getInterface: UInt8 = 5
  private static let newInterface: UInt8 = 7
  private static let setNamespace: UInt8 = 49
  private static let wiphy: UInt16 = 1
  private static let wiphyName: UInt16 = 2
  private static let interfaceName: UInt16 = 4
  private static let interfaceKind: UInt16 = 5
  private static let wiphyBands: UInt16 = 22
  private static let supportedCommands: UInt16 = 50
  private static let splitDump: UInt16 = 174
  private static let namespaceDescriptor: UInt16 = 219
  static let station: UInt32 = 2

  private let netlink: GenericNetlink
  private let family: UInt16

  /// - Returns: `nil` where the kernel knows no Wi-Fi: cfg80211 is not loaded.
  init?(_ space: NetworkNamespace) throws {
    netlink = try GenericNetlink(space)
    guard let family = try netlink.identifier(of: "nl80211") else { return nil }
    self.family = family
  }

  func wiphys() throws -> [Wiphy] {
    let parts = try netlink.ask(family, WirelessControl.getWiphy, dumps: true, "list radios") {
      // Without it the kernel leaves out what does not fit one message.
      $0.attribute(WirelessControl.splitDump, [])
    }
    return WirelessControl.wiphys(parts)
  }

  /// One radio comes in many parts.
  static func wiphys(_ parts: [ArraySlice<UInt8>]) -> [Wiphy] {
    var found: [UInt32: Wiphy] = [:]
    for part in parts {
      guard let index = NetlinkAttributes.number(NetlinkAttributes.find(wiphy, in: part)) else { continue }
      var one = found[index] ?? Wiphy(index: index, name: "")
      for (type, value) in NetlinkAttributes(part) {
        switch type {
        case wiphyName: one.name = NetlinkAttributes.text(value) ?? ""
        case wiphyBands: one.bands.formUnion(NetlinkAttributes(value).map(\.type))
        case supportedCommands:
          let commands = NetlinkAttributes(value).compactMap { NetlinkAttributes.number($0.value) }
          if commands.contains(UInt32(setNamespace)) { one.mayChangeNamespace = true }
        default: break
        }
      }
      found[index] = one
    }
    return found.values.sorted { $0.index < $1.index }
  }

  func interfaces() throws -> [Interface] {
    try netlink.ask(family, WirelessControl.getInterface, dumps: true, "list Wi-Fi interfaces") { _ in }
      .compactMap { part in
        guard let name = NetlinkAttributes.text(NetlinkAttributes.find(WirelessControl.interfaceName, in: part)),
          let wiphy = NetlinkAttributes.number(NetlinkAttributes.find(WirelessControl.wiphy, in: part))
        else { return nil }
        let kind = NetlinkAttributes.number(NetlinkAttributes.find(WirelessControl.interfaceKind, in: part)) ?? 0
        return Interface(name: name, wiphy: wiphy, kind: kind)
      }
  }

  /// Moves a radio and all its interfaces, which go down with it.
  func move(_ index: UInt32, name: String, to space: NetworkNamespace) throws {
    let fd = try space.duplicate()
    defer { close(fd) }
    try netlink.ask(family, WirelessControl.setNamespace, "move \(name) to \(space.name)") {
      $0.attribute(WirelessControl.wiphy, index)
      $0.attribute(WirelessControl.namespaceDescriptor, UInt32(bitPattern: fd))
    }
  }

  /// A station's interface on a radio that has none.
  func addStation(_ name: String, on index: UInt32) throws {
    try netlink.ask(family, WirelessControl.newInterface, "add \(name)") {
      $0.attribute(WirelessControl.wiphy, index)
      $0.attribute(WirelessControl.interfaceName, name)
      $0.attribute(WirelessControl.interfaceKind, WirelessControl.station)
    }
  }
}
