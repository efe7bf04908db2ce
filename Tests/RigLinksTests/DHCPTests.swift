import RigModel
import RigTestSupport
import Testing

@testable import RigLinks

@Suite struct DHCPTests {
  private let hardware: [UInt8] = [2, 1, 2, 3, 4, 5]
  private let server = IPv4(192, 168, 42, 1)
  private func pool() -> DHCPPool { DHCPPool(server: server, prefix: 24, leaseSeconds: 120) }

  /// Lets both sides talk until the client is done; `air` decides what arrives.
  private func lease(
    _ pool: inout DHCPPool, patience: Duration = .seconds(4), air: (Int) -> Bool = { _ in true }
  ) -> (outcome: DHCPClient.Outcome?, messages: Int, at: HostTime) {
    var client = DHCPClient(hardware: hardware, transaction: 77, at: .zero, patience: patience)
    var now = HostTime.zero
    var messages = 0
    while client.outcome == nil {
      now = max(now, client.wakeAt)
      var out = client.next(at: now)
      while let message = out {
        messages += 1
        guard air(messages), let parsed = DHCPMessage(message.encoded()), let answer = pool.answer(parsed) else {
          break
        }
        messages += 1
        guard air(messages), let back = DHCPMessage(answer.encoded()) else { break }
        out = client.receive(back, at: now)
      }
    }
    return (client.outcome, messages, now)
  }

  @Test func aLeaseTakesFourMessages() {
    var pool = pool()
    let (outcome, messages, at) = lease(&pool)
    #expect(
      outcome
        == .lease(Lease(address: IPv4(192, 168, 42, 10), prefix: 24, server: server, seconds: 120, since: .zero)))
    #expect(messages == 4)
    #expect(at == .zero)
    #expect(pool.counters.discovers == 1 && pool.counters.leases == 1)
  }

  @Test func theSameStationGetsTheSameAddressAndAnotherOneAnother() {
    var pool = pool()
    _ = lease(&pool)
    let again = lease(&pool).outcome
    let other = pool.answer(DHCPMessage(isReply: false, .discover, transaction: 1, hardware: [9, 9, 9, 9, 9, 9]))
    guard case .lease(let lease) = again else {
      Issue.record("no lease: \(String(describing: again))")
      return
    }
    #expect(lease.address == IPv4(192, 168, 42, 10))
    #expect(other?.yours == IPv4(192, 168, 42, 11))
  }

  @Test func lostMessagesAreSentAgain() {
    var pool = pool()
    let (outcome, _, at) = lease(&pool) { $0 != 1 && $0 != 3 }
    guard case .lease = outcome else {
      Issue.record("no lease: \(String(describing: outcome))")
      return
    }
    #expect(at > .zero && at < .ms(4000))
  }

  @Test func aSilentServerMeansNoLeaseAndItsCountersProveIt() {
    var pool = pool()
    pool.manner = .silent
    let (outcome, messages, at) = lease(&pool)
    #expect(outcome == .nobody)
    #expect(at == .ms(4000))
    #expect(messages == 4)
    #expect(pool.counters.discovers == 4 && pool.counters.offers == 0)
  }

  @Test func aRefusingServerIsNamed() {
    var pool = pool()
    pool.manner = .refuses
    #expect(lease(&pool).outcome == .refused(by: server))
    #expect(pool.counters.refusals > 0 && pool.counters.leases == 0)
  }

  /// A fault that withholds leases counts where one was asked for and withheld.
  @Test func whatAServerWithheldIsCounted() {
    for manner in [DHCPPool.Manner.silent, .refuses] {
      var pool = pool()
      _ = lease(&pool)
      let before = pool.counters
      pool.manner = manner
      #expect(DHCPPool.withheld(manner, since: before, pool.counters) == nil)
      // The request is lost on the air: an offer is no refusal.
      _ = lease(&pool) { $0 % 4 != 3 && $0 < 3 }
      #expect((DHCPPool.withheld(manner, since: before, pool.counters) == nil) == (manner == .refuses))
      _ = lease(&pool)
      #expect(DHCPPool.withheld(manner, since: before, pool.counters) != nil)
      pool.manner = .leases
      _ = lease(&pool)
      #expect(DHCPPool.withheld(manner, since: before, pool.counters) == nil)
    }
  }

  /// A station that does not listen misses only what is offered to it.
  @Test func aDeafStationIsOneThatWasOfferedSomething() {
    func deafness(_ messages: [DHCPMessage]) -> String? {
      var client = DHCPClient(hardware: hardware, transaction: 5, at: .zero, patience: .seconds(4), isDeaf: true)
      _ = client.next(at: .zero)
      for message in messages { #expect(client.receive(message, at: .zero) == nil) }
      #expect(client.outcome == nil)
      return WiFiFault.deafness((asked: 1, ignored: client.ignored))
    }
    var offer = DHCPMessage(isReply: true, .offer, transaction: 5, hardware: hardware)
    offer.server = server
    #expect(deafness([]) == nil, "a dead server")
    #expect(deafness([offer]) == nil, "an offer of no address")
    offer.yours = IPv4(192, 168, 42, 10)
    var other = offer
    other.transaction = 6
    #expect(deafness([other]) == nil, "another client's")
    let proof = "the station asked 1 times for an address, took none of 2 offers, and got no lease"
    #expect(deafness([offer, other, offer]) == proof)
  }

  @Test func anotherNetworkClashesWhereTheWayLeadsThroughIt() {
    let other = IPv4(192, 168, 42, 77)
    func proof(_ used: IPv4?) -> String? { SubnetClash.proof("home0", other, towards: server, used: used) }
    #expect(proof(other) == "the way from the station to 192.168.42.1 is by its other network: home0, 192.168.42.77")
    #expect(proof(IPv4(192, 168, 42, 10)) == nil && proof(nil) == nil)
  }

  @Test func answersToOthersAreNotForUs() {
    var client = DHCPClient(hardware: hardware, transaction: 5, at: .zero, patience: .seconds(4))
    _ = client.next(at: .zero)
    var offer = DHCPMessage(isReply: true, .offer, transaction: 6, hardware: hardware)
    offer.yours = IPv4(10, 0, 0, 1)
    offer.server = server
    #expect(client.receive(offer, at: .zero) == nil)
    offer.transaction = 5
    offer.hardware = [0, 0, 0, 0, 0, 1]
    #expect(client.receive(offer, at: .zero) == nil)
    offer.hardware = hardware
    #expect(client.receive(offer, at: .zero)?.kind == .request)
  }

  @Test func aRequestForAnotherServerIsNotAnswered() {
    var pool = pool()
    var request = DHCPMessage(isReply: false, .request, transaction: 1, hardware: hardware)
    request.server = IPv4(192, 168, 42, 2)
    request.requested = IPv4(192, 168, 42, 10)
    #expect(pool.answer(request) == nil)
  }

  @Test func thePoolIsFinite() {
    var pool = pool()
    for i in 0..<60 {
      let answer = pool.answer(
        DHCPMessage(isReply: false, .discover, transaction: 1, hardware: [0, 0, 0, 0, 1, UInt8(i)]))
      #expect((answer == nil) == (i >= 41))
    }
  }

  /// RFC 2131 figure 1 and RFC 2132: op 1, htype 1, hlen 6; broadcast flag; cookie; 53 = 1; 55 asks for 1, 3, 51.
  @Test func aDiscoverHasTheFormOfTheStandard() {
    let bytes = DHCPMessage(isReply: false, .discover, transaction: 0xA1B2_C3D4, hardware: hardware).encoded()
    #expect(bytes.count == 300)
    #expect(Array(bytes[0..<12]) == [1, 1, 6, 0, 0xA1, 0xB2, 0xC3, 0xD4, 0, 0, 0x80, 0])
    #expect(Array(bytes[28..<44]) == hardware + [UInt8](repeating: 0, count: 10))
    #expect(Array(bytes[236..<249]) == [99, 130, 83, 99, 53, 1, 1, 55, 3, 1, 3, 51, 255])
  }

  @Test func whatIsWrittenIsRead() {
    var message = DHCPMessage(isReply: true, .acknowledge, transaction: 3, hardware: hardware)
    message.yours = IPv4(192, 168, 42, 10)
    message.server = server
    message.mask = IPv4(255, 255, 255, 0)
    message.router = server
    message.leaseSeconds = 4_000_000_000
    #expect(DHCPMessage(message.encoded()) == message)
  }

  @Test func cutAndMutatedMessagesAreSurvived() {
    let whole = DHCPMessage(isReply: true, .offer, transaction: 3, hardware: hardware).encoded()
    // With 243 bytes the message's type is there.
    for length in 0..<243 { #expect(DHCPMessage(Array(whole.prefix(length))) == nil) }
    var random = SplitMix64(seed: 4)
    var pool = pool()
    for _ in 0..<5000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 236..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let message = DHCPMessage(bytes) { _ = pool.answer(message) }
    }
  }

  @Test func masksThatAreNoneAreNoPrefix() {
    #expect(UInt32(0xFFFF_FF00).prefixLength == 24)
    #expect(UInt32(0).prefixLength == 0)
    #expect(UInt32.max.prefixLength == 32)
    #expect(UInt32(0xFF00_FF00).prefixLength == nil)
    #expect(IPv4(text: "192.168.42.1") == server)
    #expect(IPv4(text: "192.168.42") == nil && IPv4(text: "1.2.3.256") == nil && IPv4(text: "1.2.3.4.") == nil)
  }
}
