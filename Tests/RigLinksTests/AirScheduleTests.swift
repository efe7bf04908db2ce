import RigModel
import Testing

@testable import RigLinks

@Suite struct AirScheduleTests {
  @Test func anEffectHoldsFromItsBeginningToBeforeItsEnd() {
    var schedule = AirSchedule()
    schedule.add(.init(.blackout, [.down], from: .ms(100), until: .ms(300)))
    #expect(!schedule.impairment(.down, at: .ms(99)).isBlackedOut)
    #expect(schedule.impairment(.down, at: .ms(100)).isBlackedOut)
    #expect(schedule.impairment(.down, at: .ms(299)).isBlackedOut)
    #expect(!schedule.impairment(.down, at: .ms(300)).isBlackedOut)
    #expect(!schedule.impairment(.up, at: .ms(200)).isBlackedOut)
  }

  @Test func anEffectLiesOverWhatHoldsOtherwise() {
    var schedule = AirSchedule()
    schedule.standing[.down] = Impairment(loss: .of(1), delay: .milliseconds(5))
    schedule.add(.init(.loss(.of(50)), [.down, .up], from: .ms(10), until: .ms(20)))
    schedule.add(.init(.loss(.of(80)), [.down], from: .ms(15), until: .ms(18)))
    #expect(schedule.impairment(.down, at: .ms(12)) == Impairment(loss: .of(50), delay: .milliseconds(5)))
    #expect(schedule.impairment(.down, at: .ms(16)).loss == .of(80))
    #expect(schedule.impairment(.down, at: .ms(19)).loss == .of(50))
    #expect(schedule.impairment(.down, at: .ms(20)).loss == .of(1))
    #expect(schedule.impairment(.up, at: .ms(16)) == Impairment(loss: .of(50)))
  }

  @Test func changesComeInTheOrderOfTime() {
    var schedule = AirSchedule()
    schedule.add(.init(.delay(.milliseconds(1)), [.up], from: .ms(50), until: .ms(60)))
    schedule.add(.init(.noCarrier, [.up], from: .ms(20)))
    var times: [HostTime] = []
    var now = HostTime.zero
    while let next = schedule.nextChange(after: now) {
      times.append(next)
      now = next
    }
    #expect(times == [.ms(20), .ms(50), .ms(60)])
  }

  @Test func theCarrierIsTheLinksAndNotADirections() {
    var schedule = AirSchedule()
    schedule.add(.init(.noCarrier, [.down], from: .ms(1), until: .ms(2)))
    #expect(schedule.hasCarrier(at: .zero))
    #expect(!schedule.hasCarrier(at: .ms(1)))
    #expect(schedule.hasCarrier(at: .ms(2)))
    #expect(schedule.impairment(.down, at: .ms(1)) == .none)
  }

  @Test func aWindowCountsWhatHappenedInItsTimeAlone() {
    var window = AirWindow(.init(.loss(.of(50)), [.down], from: .ms(10), until: .ms(20)))
    var down = AirCounters()
    down.seen = 100
    down.lost = 3
    window.note(down, AirCounters(), at: .ms(5))
    #expect(window.began == nil && !window.hasActed)
    window.note(down, AirCounters(), at: .ms(10))
    #expect(!window.hasActed)
    down.seen = 150
    down.lost = 28
    #expect(window.seen(down, AirCounters(), at: .ms(15)).hasActed)
    window.note(down, AirCounters(), at: .ms(20.3))
    down.lost = 99
    let final = window.seen(down, AirCounters(), at: .ms(90))
    #expect(final.down.seen == 50 && final.down.lost == 25)
    #expect(final.ended == .ms(20.3))
    #expect(final.summary == "loss 50 %: 25 of 50 frames down")
  }

  @Test func framesOfTheOtherDirectionProveNothing() {
    var window = AirWindow(.init(.blackout, [.up], from: .zero))
    window.note(AirCounters(), AirCounters(), at: .zero)
    var down = AirCounters()
    down.blackedOut = 4
    #expect(!window.seen(down, AirCounters(), at: .ms(1)).hasActed)
  }
}
