import RigModel

/// The seed of a case, from the run's seed and the case's id alone: a case draws the same numbers whatever runs
/// beside it, and on every machine.
public enum CaseSeed {
  public static func derive(run: UInt64, caseID: String) -> UInt64 {
    // FNV-1a, 64 bits.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in caseID.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return SplitMix64.mix(SplitMix64.mix(run) ^ hash)
  }
}
