public import RigModel
import RigWire

/// `h264.mode`
public struct H264ModeCheck: WireCheck {
  public static let info = CheckInfo(
    id: "h264.mode", rule: "Payload structures are those of the packetization-mode that the description states.",
    reference: "RFC 6184 6.2–6.3, 5.4", severity: .error)
  public static let interest = WireInterest(notes: .offMode)

  public init(_ context: AnalysisContext) {}

  public mutating func see(
    rtp packet: RTPEvent, payload: RawSpan, in world: borrowing WireWorld, log: inout FindingLog
  ) {
    guard packet.track >= 0, payload.byteCount > 0, let mode = world.tracks[packet.track].packetizationMode else {
      return
    }
    let type = payload.unsafeLoad(fromByteOffset: 0, as: UInt8.self) & 31
    let stated = world.tracks[packet.track].statesPacketizationMode
    // Left out, the mode is 0 too; players let that pass.
    log.note(
      Self.info, "type \(type)", subject: packet.stream, at: packet.evidence, severity: stated ? nil : .warning,
      message:
        "\(Self.name(type)) in packetization-mode \(mode)"
        + (stated ? "" : ", which holds where the description states none")
    )
  }

  static func name(_ type: UInt8) -> String {
    switch type {
    case 24: "STAP-A"
    case 25: "STAP-B"
    case 26: "MTAP16"
    case 27: "MTAP24"
    case 28: "FU-A"
    case 29: "FU-B"
    default: "a single NAL unit packet (type \(type))"
    }
  }
}
