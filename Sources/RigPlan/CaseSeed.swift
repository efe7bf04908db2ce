/// The seed of a case, from the run's seed and the case's id alone: a case draws the same numbers whatever runs
/// beside it, and on every machine.
public enum CaseSeed {
  public static func derive(run: UInt64, caseID: String) -> UInt64 {
    // FNV-1a, 64 bits.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in caseID.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return mix(mix(run) ^ hash)
  }

  /// One step of SplitMix64, so that neighbouring seeds share nothing that shows.
  private static func mix(_ seed: UInt64) -> UInt64 {
    var z = seed &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
