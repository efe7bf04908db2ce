import RigModel

extension FaultCatalog {
  static let address: [FaultDefinition] = [
    FaultDefinition(
      "bad-scheme", .address, at: [.receiveAddress], proof: .address(.scheme), "the address has another scheme"),
    FaultDefinition("no-host", .address, at: [.receiveAddress], proof: .address(.noHost), "the address has no host"),
    FaultDefinition(
      "control-bytes", .address, at: [.receiveAddress], proof: .address(.controlBytes),
      "the address holds control bytes"),
    FaultDefinition(
      "too-long", .address, at: [.receiveAddress], proof: .address(.tooLong), "the address is over 1,024 bytes"),
    FaultDefinition(
      "dead-port", .address, at: [.receiveAddress], proof: .address(.deadPort), needsWire: true,
      "the address names a port where nobody listens"),
    FaultDefinition(
      "twice", .address, at: [.receiveAddress], proof: .secondAddress, trips: ["flow.order"],
      "the address comes twice"),
    FaultDefinition(
      "changed", .address, at: [.receiveAddress], proof: .secondAddress, trips: ["flow.order"],
      "a second, different address follows"),
  ]

  static let hotspot: [FaultDefinition] = [
    FaultDefinition(
      "never-opens", .hotspot, at: [.waitForHotspot], proof: .missingCompletion, "the hotspot never opens"),
    FaultDefinition(
      "slow-open", .hotspot, at: [.waitForHotspot], arguments: [duration], proof: .lateCompletion,
      "the hotspot opens late, inside its limit"),
  ]
}
