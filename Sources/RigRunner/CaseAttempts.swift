import RigModel
import RigPlan
import Synchronization

/// The attempts of one case: whether another follows, and what a record does not know by itself.
///
/// The record of an attempt is made once the next start on its device is known, so that it often comes after the next
/// attempt has begun.
final class CaseAttempts: Sendable {
  /// How many errors in a row end a repetition: the rig does not hold.
  private static let errorsInARow = 3

  private struct State {
    /// The latest attempt that has begun.
    var begun: Int
    /// Attempts that another one is to follow by number or time.
    var followed: Set<Int> = []
    var errors = 0
    var isOver = false
  }

  private let scheduled: ScheduledCase
  private let today: CalendarDate?
  private let began: HostTime
  private let state: Mutex<State>

  /// - Parameters:
  ///   - began: when the first of these attempts begins.
  ///   - today: decides whether a quarantine has run out; `nil`: none has.
  init(_ scheduled: ScheduledCase, began: HostTime, today: CalendarDate?) {
    self.scheduled = scheduled
    self.began = began
    self.today = today
    state = Mutex(State(begun: scheduled.attempt))
  }

  /// The number of the first attempt.
  var first: Int { scheduled.attempt }

  /// The first failure decides, so that each attempt must be judged before the next.
  var endsAtFailure: Bool { scheduled.item.plan.repetition?.endsAtFailure ?? false }

  /// The case as an attempt runs it: each has a seed of its own, and the first one the case's.
  func attempt(_ number: Int) -> ScheduledCase {
    var one = scheduled
    one.attempt = number
    if number > 1 { one.item.seed = CaseSeed.derive(run: scheduled.item.seed, caseID: "attempt \(number)") }
    return one
  }

  /// An attempt has run to its end.
  func ran(_ number: Int, at now: HostTime) {
    guard let repetition = scheduled.item.plan.repetition else { return }
    let follows =
      switch repetition.length {
      case .times(let times): number - scheduled.attempt + 1 < times
      case .duration(let duration): now - began < duration
      }
    if follows { state.withLock { _ = $0.followed.insert(number) } }
  }

  /// The attempt that follows; `nil`: none does.
  func next() -> ScheduledCase? {
    let number = state.withLock { state -> Int? in
      guard !state.isOver, state.followed.contains(state.begun) else { return nil }
      state.begun += 1
      return state.begun
    }
    return number.map(attempt)
  }

  /// - Parameter hasDevice: without one there will be none in a moment either, and nothing follows.
  func seal(_ record: RunRecord, attempt number: Int, hasDevice: Bool = true) -> RunRecord {
    var record = record
    record.attempt = number
    judgeQuarantine(&record)
    let (isFollowed, errors) = state.withLock { state -> (Bool, Int) in
      state.errors = record.verdict == .error ? state.errors + 1 : 0
      let ends =
        !hasDevice || record.verdict == .skip || state.errors >= Self.errorsInARow
        || endsAtFailure && record.verdict == .fail
      if ends { state.isOver = true }
      return (state.followed.contains(number) && (!ends || state.begun > number), state.errors)
    }
    record.isFollowed = isFollowed
    if scheduled.item.plan.repetition != nil, errors >= Self.errorsInARow, !isFollowed {
      record.reason += " (error \(errors) in a row: the repetition ends)"
    }
    return record
  }

  private func judgeQuarantine(_ record: inout RunRecord) {
    guard let quarantine = scheduled.item.plan.quarantine, record.verdict != .skip else { return }
    guard let today, quarantine.hasExpired(on: today) else {
      record.quarantine = quarantine
      return
    }
    record.properties.append(RunRecord.Property("quarantine.expired", "\(quarantine)"))
    record.reason =
      "the quarantine \(quarantine) has run out; without it: \(record.verdict.rawValue): \(record.reason)"
    record.verdict = .error
  }
}
