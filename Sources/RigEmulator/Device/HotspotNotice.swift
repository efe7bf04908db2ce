import RigModel

/// How a device announces its hotspot in `connectDeviceHotspotStarting`.
public struct HotspotNotice: Sendable {
  public var ssid: String
  /// The harness is the station: it joins, and answers with `linkResult`.
  public var harnessJoins: Bool
  public var key: String?
  public var isHidden: Bool
  public var channel: Int?

  public init(ssid: String, harnessJoins: Bool = false, key: String? = nil, isHidden: Bool = false, channel: Int? = nil)
  {
    self.ssid = ssid
    self.harnessJoins = harnessJoins
    self.key = key
    self.isHidden = isHidden
    self.channel = channel
  }

  var json: JSONValue {
    [
      "ssid": .string(ssid),
      "join": [
        "by": harnessJoins ? "harness" : "device", "key": key.map { .string($0) }, "hidden": isHidden ? true : nil,
        "channel": channel.map { .integer(Int64($0)) },
      ],
    ]
  }
}
