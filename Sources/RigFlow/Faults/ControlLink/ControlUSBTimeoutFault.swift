import RigModel

extension FaultDefinition {
  static let controlUSBTimeout = FaultDefinition(
    "usb-timeout", .controlLink, at: controlledStages.filter { $0 != .preflight },
    arguments: [
      FaultArgumentDefinition(
        "for", .duration, standard: .duration(.seconds(5)), "how long nothing is answered; less than 4 s may go unseen")
    ],
    proof: .transport(.transferTimedOut), outcome: .borne, capability: .usb, plays: .seconds(8),
    summary: "the device answers no USB transfer for a while",
    about: """
      The device stays on the bus and takes and gives no packet, in either direction (NAK). Transfers time out, three \
      heartbeats are missed, and the channel is opened again. Nothing that was sent is lost, so the session goes on \
      when the device answers within 8 s of that; later, the control link is to blame.
      """)
}
