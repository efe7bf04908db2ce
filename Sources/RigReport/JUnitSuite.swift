import RigModel

/// One `testsuite` before it is text. Counts are computed from what stands here, so they always add up.
struct JUnitSuite {
  enum Outcome {
    case passed
    case failure(type: String, message: String, body: String)
    case error(type: String, message: String, body: String)
    case skipped(String)
  }

  /// An attempt beside the deciding one (profile rich).
  struct Rerun {
    var element: String
    var type: String
    var message: String
  }

  struct Case {
    var name: String
    var milliseconds: Int64 = 0
    var outcome = Outcome.passed
    /// Text from the run, for `system-out`.
    var output = ""
    /// Attachment paths, relative to the attachments base; checked before they are written.
    var attachments: [String] = []
    var properties: [(name: String, value: String)] = []
    /// Nanoseconds since 1970.
    var startedAt: Int64?
    var reruns: [Rerun] = []
  }

  struct Counts {
    var tests = 0
    var failures = 0
    var errors = 0
    var skipped = 0

    static func += (a: inout Counts, b: Counts) {
      a.tests += b.tests
      a.failures += b.failures
      a.errors += b.errors
      a.skipped += b.skipped
    }
  }

  var name: String
  var className: String
  var milliseconds: Int64 = 0
  var startedAt: Int64?
  var hostName = ""
  var file = ""
  var properties: [(name: String, value: String)] = []
  /// Begins with `verdict`.
  var cases: [Case] = []
  /// The file or folder that holds what a long text leaves out.
  var link: String?

  var counts: Counts {
    var counts = Counts(tests: cases.count)
    for one in cases {
      switch one.outcome {
      case .passed: break
      case .failure: counts.failures += 1
      case .error: counts.errors += 1
      case .skipped: counts.skipped += 1
      }
    }
    return counts
  }

  /// The suite with its verdict alone, for a report that is close to its size limit.
  var compact: JUnitSuite {
    var out = self
    out.properties = []
    out.cases = Array(cases.prefix(1))
    for i in out.cases.indices {
      out.cases[i].output =
        "The stages, checks and measurements of this case are left out: the report is near its size limit."
      out.cases[i].attachments = []
      out.cases[i].properties = []
      out.cases[i].reruns = []
    }
    return out
  }
}
