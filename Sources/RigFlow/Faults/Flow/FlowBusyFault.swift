import RigModel

extension FaultDefinition {
  static let flowBusy = FaultDefinition(
    "busy", .flow, at: [.configureStream],
    proof: .refused,
    summary: "the start request is refused as busy",
    about: """
      The device says that another app owns it. Nothing has started, so nothing is cleaned up.
      """)
}
