import RigModel

extension FaultDefinition {
  static let finishStaysBusy = FaultDefinition(
    "stays-busy", .finish, at: [.cleanUp],
    proof: .fact(.nextStartRefused),
    summary: "the device takes no other start until it is reset",
    about: """
      The session is over for everybody but the device itself: the next start is refused as busy. The case that \
      left it so is to blame, not the next one.
      """)
}
