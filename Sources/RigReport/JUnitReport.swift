import RigModel

/// A run, or several merged, as JUnit XML.
///
/// What counts as what, so that no count contradicts a verdict:
/// 1. A suite is a case on one device; its attempts are one suite, and the attempt that decided is the one shown.
/// 2. The first testcase, `verdict`, carries the case's own result: `failure` for fail and flaky, `error` for error,
///    inconclusive (`type="inconclusive"`) and unfinished, `skipped` for skip.
/// 3. Where the verdict is pass, no testcase of the suite is a failure or an error: a stage that failed as expected
///    passes, and findings of any severity stand in `system-out`.
/// 4. `failure` means the subject's fault, so it stands only in suites whose verdict is fail or flaky. There, a stage that
///    failed unasked is a failure, and so is a check group with an error finding, unless the finding speaks against the
///    very stage that the plan expects to fail. Warnings and policies stand in `system-out`.
/// 5. Where the verdict is error, what would be a failure is an `error`; where it is inconclusive, an `error` of that type.
/// 6. Where the verdict is skip, every testcase is skipped, with the raw outcome as its reason.
/// 7. Weak evidence (an inconclusive stage or group) is an `error` of type `inconclusive` beside any verdict but pass and skip.
/// 8. A run that has not ended, was interrupted, or has a damaged journal gets one more suite, `run`, with one error:
///    such a report never reads green. Its cases that never started are skipped.
/// 9. A case in quarantine that did not pass reads as skipped, with its raw outcome; one that passed passes, and says so.
/// 10. A suite's time is the case's; its stages carry their own, which may overlap; `verdict` has none.
public enum JUnitReport {
  public enum Profile: String, CaseIterable, Sendable {
    /// Valid against the xunit schema of Jenkins.
    case strict
    /// With testcase properties, `file`, `timestamp`, flaky and rerun elements, and attachment lines.
    case rich
  }

  /// The most that a report takes, in bytes.
  public static let sizeLimit = 30_000_000

  /// - Parameter attachments: what to put before the path of an artifact in an attachment line, such as `Reports/`.
  public static func render(_ run: RunState, profile: Profile = .strict, attachments: String = "") -> String {
    render([run], profile: profile, attachments: attachments)
  }

  /// Several runs in one report. Suites that hold the same name are told apart by the run's id; none replaces another.
  public static func render(_ runs: [RunState], profile: Profile = .strict, attachments: String = "") -> String {
    var document = JUnitDocument(profile: profile, attachments: attachments)
    for run in runs {
      let id = run.header?.id ?? ""
      let builder = JUnitSuiteBuilder(run: run)
      for unit in run.units {
        document.append(
          builder.suite(
            unit, name: document.names.suite(unit, run: id), className: document.names.className(unit, run: id)))
      }
      if let suite = builder.runSuite(names: &document.names) { document.append(suite) }
    }
    return document.finish(startedAt: runs.compactMap { $0.header?.startedAt }.min())
  }
}
