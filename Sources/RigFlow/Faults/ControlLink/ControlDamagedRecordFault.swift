import RigModel

extension FaultDefinition {
  static let controlDamagedRecord = FaultDefinition(
    "damaged-record", .controlLink, at: completedStages + [.waitForHotspot],
    proof: .damagedRecord, outcome: .borne,
    summary: "a record is damaged on the control link; the event comes again by replay",
    about: """
      The record of the event that begins the stage (at start-session: that completes it) has a flipped bit. It is \
      dropped, found missing by its sequence number, and asked for again.
      """)
}
