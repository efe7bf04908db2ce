import RigModel

extension RunRecord {
  /// `failed at play: no key frame in 5 s`: the failure point stands in it once, also where the reason names it.
  var headline: String {
    let reason = reason.isEmpty ? "no reason was recorded" : reason
    guard let point = failurePoint, !reason.contains("failed at \(point)") else { return reason }
    return "failed at \(point): \(reason)"
  }
}
