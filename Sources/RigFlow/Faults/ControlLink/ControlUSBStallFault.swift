import RigModel

extension FaultDefinition {
  static let controlUSBStall = FaultDefinition(
    "usb-stall", .controlLink, at: controlledStages,
    arguments: [
      FaultArgumentDefinition(
        "way", .text, choices: ["in", "out", "both"], standard: .text("in"), "in: to the harness, out: to the device"),
      FaultArgumentDefinition("for", .duration, "how long it halts again after each clearing; left out: it halts once"),
    ],
    proof: .transport(.transferStalled), outcome: .borne, capability: .usb, plays: .seconds(3),
    summary: "a bulk endpoint halts",
    about: """
      The endpoint answers with STALL until its halt is cleared. The harness clears it, and the bytes go on. An \
      endpoint that halts again at once ends the channel, which is opened again with a reset; where that does not \
      help for 8 s, the control link is to blame.
      """)
}
