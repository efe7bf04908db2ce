import RigModel
import Testing

@testable import RigPlan

@Suite struct RepeatTests {
  private func plan(_ rest: String) -> Plan? { Sample.read(Sample.plan(rest + "\n")).plan?.plan }

  @Test func timesOrAWhile() {
    #expect(plan("repeat: {times: 20}")?.repetition == Repetition(.times(20)))
    #expect(plan("repeat: {for: 30 min}")?.repetition == Repetition(.duration(.seconds(1800))))
    #expect(
      plan("repeat: {times: 5, until: fail}")?.repetition == Repetition(.times(5), endsAtFailure: true))
    #expect(plan("")?.repetition == nil)
  }

  @Test func aQuarantineHasABugAnOwnerAndAnEnd() {
    let quarantine = plan("quarantine: {bug: FW-123, owner: team-fw, until: 2027-01-31}")?.quarantine
    #expect(quarantine?.description == "FW-123 (team-fw, until 2027-01-31)")
    let day = CalendarDate("2027-01-31")
    #expect(day.map { quarantine?.hasExpired(on: $0) } == false)
    #expect(CalendarDate("2027-02-01").map { quarantine?.hasExpired(on: $0) } == true)
  }

  struct Wrong: Sendable {
    let text: String
    let error: String
    init(_ text: String, _ error: String) {
      self.text = text
      self.error = error
    }
  }

  @Test(arguments: [
    Wrong("repeat: 20", "5:9: repeat: is \"20\", expected a mapping with times?, for?, until?"),
    Wrong("repeat: {}", "5:9: repeat: says not how often, expected times: 20 or for: 30 min"),
    Wrong("repeat: {until: fail}", "5:9: repeat: says not how often, expected times: 20 or for: 30 min"),
    Wrong(
      "repeat: {times: 0}", "5:17: repeat.times: 0 is out of range, expected a whole number from 1 to 10000"),
    Wrong("repeat: {times: 2, for: 1 min}", "5:25: repeat.for: stands beside times, expected one of times, for"),
    Wrong("repeat: {times: 2, until: pass}", "5:27: repeat.until: \"pass\" is not an end, expected fail"),
    Wrong("repeat: {for: 0 s}", "5:15: repeat.for: \"0 s\" is no time at all, expected more than 0 s"),
    Wrong(
      "quarantine: {bug: B, owner: o}", "5:13: quarantine.until: is missing, expected a date, such as 2027-01-31"),
    Wrong(
      "quarantine: {bug: B, owner: o, until: 2027-02-29}",
      "5:39: quarantine.until: \"2027-02-29\" is not a date, expected a date, such as 2027-01-31"),
    Wrong(
      "quarantine: {bug: B, owner: o, until: 31.1.2027}",
      "5:39: quarantine.until: \"31.1.2027\" is not a date, expected a date, such as 2027-01-31"),
  ])
  func whatIsWrongIsSaidWithItsPlace(_ wrong: Wrong) {
    #expect(Sample.errors(wrong.text + "\n") == ["p.yaml:" + wrong.error])
  }

  @Test func datesOfTheCalendar() {
    #expect(CalendarDate("2028-02-29") != nil)
    #expect(CalendarDate("2100-02-29") == nil)
    for text in ["", "2027-1-31", "2027-13-01", "2027-00-01", "2027-01-00", "2027-04-31", "+027-01-01", "２０２７-01-31"] {
      #expect(CalendarDate(text) == nil, "\(text)")
    }
    #expect("\(CalendarDate(daysSince1970: 0))" == "1970-01-01")
    #expect("\(CalendarDate(nanosecondsSince1970: -1))" == "1969-12-31")
    #expect("\(CalendarDate(nanosecondsSince1970: 1_796_016_268_125_000_000))" == "2026-11-30")
    for day in stride(from: Int64(-1_000_000), through: 1_000_000, by: 997) {
      let date = CalendarDate(daysSince1970: day)
      if (0...9999).contains(date.year) { #expect(CalendarDate("\(date)") == date) }
      #expect(date < CalendarDate(daysSince1970: day + 1))
    }
    _ = (CalendarDate(daysSince1970: .min), CalendarDate(daysSince1970: .max))
  }
}
