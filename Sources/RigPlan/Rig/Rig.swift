public import RigModel

/// A bench as its rig file describes it: the devices, how each is reached, and how each is brought back.
public struct Rig: Hashable, Sendable {
  public var id: String
  public var title: String
  public var devices: [Device]
  /// Of the file.
  public var position: SourcePosition

  public struct Device: Hashable, Sendable {
    /// What reports, leases and the command line call it; unique in the rig.
    public var name: String
    public var model: String
    /// Compared with what the device says of itself; `nil`: any.
    public var serial: String?
    public var control: Control
    /// The numeric address that its media comes from; `nil` for an emulated one, which tells it.
    public var host: String?
    public var link: Link
    /// Of a link over Wi-Fi: the country whose rules the radio obeys.
    public var country: String?
    /// Of a link over Wi-Fi: a file with the key of the hotspot.
    public var keyFile: String?
    /// The interface that is captured; `nil` where the link itself says it.
    public var capture: String?
    public var power: Power?
    /// A phone joins the hotspot and plays, in the harness's place; `nil`: the harness plays.
    public var phone: Phone?
    /// Does something to the device by hand, so to speak; it is told what by `{action}`.
    public var actuator: CommandTemplate?
    /// What the device is expected to offer; `nil`: what it says is taken as it is.
    public var capabilities: [String]?
    /// The flows that it is expected to know; `nil`: as it says.
    public var flows: [String]?
    public var position: SourcePosition

    public var isEmulated: Bool { if case .emulated = control { true } else { false } }

    /// What the variables of this device's commands stand for.
    public func values(action: String = "", file: String = "") -> [CommandTemplate.Variable: String] {
      [.name: name, .model: model, .serial: serial ?? "", .host: host ?? "", .action: action, .file: file]
    }
  }

  /// How the control link reaches the device.
  public enum Control: Hashable, Sendable {
    case tcp(host: String, port: UInt16)
    case serial(path: String, baud: UInt32?)
    /// A serial number, or a bus and its chain of ports.
    case usb(String)
    /// A program that speaks stage-link/1 on its stdin and stdout.
    case command(CommandTemplate)
    /// A program that prints a local TCP port.
    case forward(CommandTemplate)
    /// The harness starts it.
    case emulated(model: String)
  }

  /// The network path that the media takes.
  public enum Link: Hashable, Sendable {
    case loopback
    /// An interface that is already on the device's network.
    case interface(String)
    /// Real frames through the built-in relay; emulated devices only.
    case namespace
    /// A radio of this machine joins the device's hotspot.
    case wifi(radio: String)
    /// The same, joined by NetworkManager on a radio that stays in the machine's own network.
    case networkManager(radio: String)
    /// The harness is not on the device's network; a phone is.
    case away
  }

  /// The phone that plays, and how what it captured comes here.
  public struct Phone: Hashable, Sendable {
    /// Starts the phone's recorder, before each case; `nil`: it runs all the time.
    public var begin: CommandTemplate?
    /// Leaves the phone's capture, pcap or pcapng, at `{file}`, after each case.
    public var capture: CommandTemplate
    /// How long each of the two may take.
    public var limit: Duration
    public static let standardLimit: Duration = .seconds(60)
  }

  /// How the device's power is switched.
  public struct Power: Hashable, Sendable {
    /// Off, and on after a pause.
    public var off: CommandTemplate?
    public var on: CommandTemplate?
    /// Both at once.
    public var cycle: CommandTemplate?
    public var pause: Duration
  }
}
