import CRigShims
import Glibc
import RigChecks
import RigModel

/// A capture, from a file or live, with what was found in it.
struct JudgedFile {
  /// The file, or the interface of a live capture.
  let path: String
  /// `nil`: it could not be read at all.
  let result: AnalysisResult?
  /// Packets lost while capturing, where the file or the kernel says so.
  var drops: UInt64?
  /// Why reading failed or ended early.
  let error: String?
  /// How a live capture went.
  var live: Live?

  struct Live {
    /// Packets that matched, as the kernel counts.
    let received: UInt64
    let dropped: UInt64
    let judged: UInt64
    /// The file that was written meanwhile.
    let written: String?
  }

  /// Some RTSP or RTP was there to judge.
  var hasSubject: Bool { result.map { $0.dialogues > 0 || $0.mediaPackets > 0 } ?? false }

  var verdict: Verdict {
    guard let result, error == nil || result.packets > 0 else { return .error }
    if result.worst == .error { return .fail }
    return error == nil && result.inconclusive.isEmpty && hasSubject ? .pass : .inconclusive
  }

  /// The exit status for this file.
  var status: Int32 {
    switch verdict {
    case .pass, .skip: 0
    case .fail: 1
    case .error: ExitStatus.usage
    case .inconclusive: ExitStatus.rig
    }
  }

  /// One sentence.
  var reason: String {
    guard let result else { return error ?? "nothing was read" }
    let errors = result.findings.count { $0.severity == .error }
    if errors > 0 { return CaptureText.count(errors, "error finding") }
    if let error { return error }
    if let weak = result.inconclusive.sorted(by: { $0.key < $1.key }).first { return "\(weak.key): \(weak.value)" }
    if !hasSubject {
      return result.unjudged.isEmpty
        ? "no RTSP and no RTP was found" : "RTSP was found in TLS or HTTP only, which is not judged"
    }
    return "no error finding"
  }

  static func name(of path: String) -> String { path == "-" ? "standard input" : path }
}

/// The monotonic clock of this process.
enum SystemClock {
  static var now: HostTime { HostTime(nanoseconds: read(CLOCK_MONOTONIC)) }
  /// Nanoseconds since 1970.
  static var wall: Int64 { read(CLOCK_REALTIME) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
