import RigModel

extension FaultDefinition {
  static let flowNotReady = FaultDefinition(
    "not-ready", .flow, at: [.preflight],
    proof: .notReady,
    summary: "the device says that it is not ready",
    about: """
      The device is there and conforms, and says why it cannot start. It is a precondition that failed: without an \
      expectation the verdict is an error, not a failure of the subject.
      """)
}
