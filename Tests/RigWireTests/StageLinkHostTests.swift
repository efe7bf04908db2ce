import RigModel
import RigWire
import Testing

private typealias Script = StageLinkScript

/// `text` must be exactly what happens, line by line.
private func expectConversation(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
  let wanted = StageLinkTranscript.lines(text)
  let real = StageLinkTranscript.play(text)
  #expect(real == wanted, sourceLocation: sourceLocation)
}

@Suite struct StageLinkHostTests {
  @Test func handshake() { expectConversation(Script.handshake()) }

  @Test func whatCameBeforeOurNonceIsStale() {
    expectConversation(
      """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      1 ~ d":7}} *00000000⏎
      1 = log d":7}} *00000000
      1 ~ ␞{"half":1} *00000000⏎
      1 < \(Script.event(41, boot: "b0"))
      1 < {"id":1,"result":\(Script.hello(nonce: "n0", boot: "b0"))}
      1 < {"id":7,"result":{"accepted":true}}
      2 < {"id":1,"result":\(Script.hello(nonce: "n1", boot: "b1"))}
      2 > {"id":2,"method":"state","params":{}}
      """)
  }

  @Test func handshakeThatIsNotAnswered() {
    expectConversation(
      """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      4999 wait
      5000 = link lost: no reply to hello in 5 s; nothing at all was received
      5001 < {"id":1,"result":\(Script.hello(nonce: "n1", boot: "b1"))}
      60000 wait
      """)
  }

  @Test(arguments: [
    (
      #"{"id":1,"result":{"v":2,"nonce":"n1","boot":"b1","device":{"model":"cam"}}}"#,
      "the device speaks stage-link/2, this harness 1"
    ),
    (
      #"{"id":1,"result":{"v":1,"nonce":"n1","device":{"model":"cam"}}}"#,
      "hello reply: boot is missing or not a string"
    ),
    (
      #"{"id":1,"result":{"v":1,"nonce":"n1","boot":7,"device":{"model":"cam"}}}"#,
      "hello reply: boot is missing or not a string"
    ),
    (#"{"id":1,"result":{"v":1,"nonce":"n1","boot":"b1"}}"#, "hello reply: device.model is missing or not a string"),
    (#"{"id":1,"result":{"nonce":"n1","boot":"b1"}}"#, "hello reply: v is missing"),
    (
      #"{"id":1,"result":{"v":1,"nonce":"n1","boot":"b1","device":{"model":"cam"},"params":{"bitrate":[8,1]}}}"#,
      "hello reply: params.bitrate is not [min, max]"
    ),
  ])
  func greetingsThatWillNotDo(_ reply: String, _ reason: String) {
    expectConversation(
      """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      2 < \(reply)
      2 = link lost: \(reason)
      """)
  }

  /// An error carries no nonce: the first may be the reply to what a harness asked that is gone.
  @Test func aStaleRefusalIsNotTheGreetings() {
    let begin = """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      1 < {"id":7,"method":"who","params":{}}
      1 < {"id":1,"error":{"code":-32002,"message":"stale"}}
      1 > {"id":2,"method":"hello","params":{"v":[1],"nonce":"n1"}}

      """
    expectConversation(
      begin + """
        2 < {"id":2,"result":\(Script.hello(nonce: "n1", boot: "b1"))}
        2 > {"id":3,"method":"state","params":{}}
        """)
    expectConversation(
      begin + """
        2 < {"id":2,"error":{"code":-32010,"message":"","data":{"v":[2]}}}
        2 = link lost: hello was refused: version (-32010):  {"v":[2]}
        """)
  }

  @Test func aDeviceMayClaimAnyNumberOfLostEvents() {
    var host = StageLinkHost(guarded: false)
    func feed(_ text: String) -> [StageLinkHost.Action] {
      host.receive(Array("{\"jsonrpc\":\"2.0\",".utf8) + Array(text.dropFirst().utf8) + [0x0A], at: .zero + .seconds(1))
    }
    for line in StageLinkTranscript.lines(Script.handshake()) {
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      if parts[1] == "connect" { _ = host.connected(nonce: parts[2], at: .zero) }
      if parts[1] == "<" { _ = feed(parts[2]) }
    }
    _ = feed(Script.event(1 << 52))
    var told: Int64 = 0
    for id in 11..<3000 {
      let last = Int64(id) * 10
      let reply =
        "{\"id\":\(id),\"result\":{\"events\":[\(Script.eventParams(Int(last)))],\"more\":true,\"lost\":9007199254740992}}"
      for case .eventsLost(let count) in feed(reply) { told += count }
    }
    #expect(told == host.lostCount && told > 1 << 39)
  }

  // MARK: Events

  @Test func eventsComeInOrderOnceEach() {
    expectConversation(
      """
      \(Script.handshake())
      30 < \(Script.event(1, "a"))
      30 = event 1 a run r1 {}
      31 < \(Script.event(1, "a"))
      32 < {"method":"event","params":{"seq":2,"boot":"b1","t":9,"name":"b","src":"sdk","success":false,"new":[1]}}
      32 = event 2 b run - {"success":false,"new":[1]}
      34 < {"method":"event","params":{"seq":"3","boot":"b1","t":9,"name":"malformed"}}
      """)
  }

  @Test func anEventMayBeQuickerThanTheStateBeforeIt() {
    expectConversation(
      """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      1 < {"id":1,"result":\(Script.hello(nonce: "n1", boot: "b1"))}
      1 > {"id":2,"method":"state","params":{}}
      2 < \(Script.event(4, "a"))
      2 = event 4 a run r1 {}
      3 < {"id":2,"result":{"state":"idle","seq":3}}
      3 > {"id":3,"method":"ping","params":{"h0":3000}}
      4 < \(Script.event(4, "a"))
      """)
  }

  @Test func aGapIsAskedForInPages() {
    expectConversation(
      """
      \(Script.handshake(seq: 10))
      30 < \(Script.event(14, "d"))
      30 > {"id":11,"method":"events","params":{"since":10}}
      31 < \(Script.event(15, "e"))
      32 < {"id":11,"result":{"events":[\(Script.eventParams(11, "a")),\(Script.eventParams(12, "b"))],"next":12,"more":true,"lost":0}}
      32 = event 11 a run r1 {}
      32 = event 12 b run r1 {}
      32 > {"id":12,"method":"events","params":{"since":12}}
      34 < {"id":12,"result":{"events":[\(Script.eventParams(13, "c")),\(Script.eventParams(14, "d"))],"next":14,"more":false,"lost":0}}
      34 = event 13 c run r1 {}
      34 = event 14 d run r1 {}
      34 = event 15 e run r1 {}
      """)
  }

  @Test func whatTheDeviceNoLongerHasIsLost() {
    expectConversation(
      """
      \(Script.handshake(seq: 10))
      30 < \(Script.event(90))
      30 > {"id":11,"method":"events","params":{"since":10}}
      32 < {"id":11,"result":{"events":[\(Script.eventParams(89, "y"))],"next":89,"more":true,"lost":78}}
      32 = 78 events lost
      32 = event 89 y run r1 {}
      32 = event 90 e run r1 {}
      32 > {"id":12,"method":"events","params":{"since":90}}
      33 < {"id":12,"result":{"events":[],"next":90,"more":false,"lost":0}}
      """)
  }

  /// A device that brings later events and says that none are lost: they are lost all the same, and nobody asks forever.
  @Test func aReplayWithAHoleIsALoss() {
    expectConversation(
      """
      \(Script.handshake(seq: 10))
      30 < \(Script.event(15))
      30 > {"id":11,"method":"events","params":{"since":10}}
      32 < {"id":11,"result":{"events":[\(Script.eventParams(13, "c")),\(Script.eventParams(14, "d"))],"next":14,"more":false,"lost":0}}
      32 = 2 events lost
      32 = event 13 c run r1 {}
      32 = event 14 d run r1 {}
      32 = event 15 e run r1 {}
      """)
  }

  @Test func anEmptyReplayOfAGapIsALoss() {
    expectConversation(
      """
      \(Script.handshake(seq: 10))
      30 < \(Script.event(13))
      30 > {"id":11,"method":"events","params":{"since":10}}
      32 < {"id":11,"result":{"events":[],"next":10,"more":false,"lost":0}}
      32 = 2 events lost
      32 = event 13 e run r1 {}
      """)
  }

  @Test func aReplayThatIsNotAnsweredIsAskedForAgain() {
    expectConversation(
      """
      \(Script.handshake())
      30 < \(Script.event(2))
      30 > {"id":11,"method":"events","params":{"since":0}}
      31 < \(Script.event(3))
      2040 < \(Script.heartbeat(seq: 3))
      2040 = heartbeat idle run -
      2040 > {"id":12,"method":"events","params":{"since":0}}
      """)
  }

  @Test func aHeartbeatShowsALoss() {
    expectConversation(
      """
      \(Script.handshake(seq: 4))
      1000 < \(Script.heartbeat(seq: 4))
      1000 = heartbeat idle run -
      2000 < \(Script.heartbeat(seq: 5))
      2000 = heartbeat idle run -
      2000 > {"id":11,"method":"events","params":{"since":4}}
      2002 < {"id":11,"result":{"events":[\(Script.eventParams(5))],"next":5,"more":false,"lost":0}}
      2002 = event 5 e run r1 {}
      """)
  }

  @Test func damageAndLogAreTold() {
    expectConversation(
      """
      \(Script.handshake())
      30 ~ [1] wifi up⏎␞{"method":"event"} *00000000⏎
      30 = log [1] wifi up
      30 = damaged: bad checksum
      40 ~ ␞{"method":
      1500 < \(Script.heartbeat(seq: 0))
      1500 = damaged: no line feed for 1 s
      1500 = heartbeat idle run -
      """)
  }

  // MARK: Requests

  @Test func callsAreAnsweredRefusedAndTimedOut() {
    expectConversation(
      """
      5 call state {}
      5 = not up
      \(Script.handshake())
      100 call start {"run":"r1"}
      100 > {"id":11,"method":"start","params":{"run":"r1"}}
      101 call stop {"run":"r1"}
      101 > {"id":12,"method":"stop","params":{"run":"r1"}}
      102 < {"id":12,"error":{"code":-32001,"message":"in use","data":{"owner":"r7"}}}
      102 = refused 12 busy (-32001): in use {"owner":"r7"}
      103 < {"id":11,"result":{"accepted":true}}
      103 = reply 11 {"accepted":true}
      104 < {"id":11,"result":{"accepted":false}}
      200 call state {}
      200 > {"id":13,"method":"state","params":{}}
      1000 < \(Script.heartbeat(seq: 0))
      1000 = heartbeat idle run -
      1200 = refused 13 timeout (-32007): no reply
      1300 < {"id":13,"result":{"state":"idle"}}
      """.replacing("5 call state {}\n5 = not up\n", with: ""))
    #expect(StageLinkTranscript.play("5 call state {}") == ["5 call state {}", "5 = not up"])
  }

  @Test(arguments: StageLinkError.Code.allCases) func everyErrorCodeIsUnderstood(_ code: StageLinkError.Code) throws {
    let sent = StageLinkError(code, "why", data: ["owner": "r1"])
    let bytes = StageLinkMessage.failure(id: 5, sent).encoded(RecordFraming(guarded: true))
    guard case .record(let json)? = RecordDecoder.items(bytes, guarded: true).first else {
      Issue.record("no record")
      return
    }
    #expect(json["error"]?["code"]?.integer == code.rawValue)
    #expect(StageLinkMessage(json) == .failure(id: 5, sent))
    #expect(StageLinkError(json: sent.json).known == code)
  }

  @Test func codesOfTheSpecification() {
    let numbers = StageLinkError.Code.allCases.map(\.rawValue).sorted()
    #expect(numbers == [-32700, -32603, -32602, -32601, -32600] + Array(-32010 ... -32001))
    #expect(StageLinkError(json: ["code": -31999, "message": "odd"]).known == nil)
    #expect("\(StageLinkError(json: ["code": -31999, "message": "odd"]))" == "error (-31999): odd")
    #expect("\(StageLinkError(json: "nonsense"))" == "error (0): ")
  }

  @Test func whatIsUnknownIsIgnored() {
    expectConversation(
      """
      \(Script.handshake())
      30 < {"method":"x.gps","params":{"lat":1}}
      31 < {"method":"progress","params":{}}
      32 < {"id":99,"result":{}}
      33 < {"id":99,"error":{"code":1,"message":"whose?"}}
      34 < {"error":{"code":-32700,"message":"parse error"}}
      35 < {"hello":"world"}
      36 < {"id":4,"method":"whoAreYou","params":{}}
      36 > {"id":4,"error":{"code":-32601,"message":"the harness answers no whoAreYou"}}
      37 < {"method":"hb"}
      37 = heartbeat  run -
      """)
  }

  @Test func aRequestBeyondTheDevicesRecordLimitIsNotSent() {
    let long = String(repeating: "a", count: 600)
    expectConversation(
      """
      \(Script.handshake(limits: #""limits":{"record":512},"#))
      100 call x {"a":"\(long)"}
      100 = refused 11 too large (-32009): the request exceeds the device's record limit {"most":512}
      101 call x {"a":"short"}
      101 > {"id":12,"method":"x","params":{"a":"short"}}
      """)
    let fits = Script.handshake() + "\n100 call x {\"a\":\"\(long)\"}"
    #expect(StageLinkTranscript.play(fits).last?.hasPrefix("100 > {\"id\":11") == true)
  }

  // MARK: The link

  @Test func threeMissedHeartbeats() {
    expectConversation(
      """
      \(Script.handshake())
      1000 < \(Script.heartbeat(seq: 0))
      1000 = heartbeat idle run -
      4400 call state {}
      4400 > {"id":11,"method":"state","params":{}}
      4499 wait
      4500 = link lost: 3 heartbeats missed
      4500 = refused 11 timeout (-32007): the control link was lost
      4600 < \(Script.heartbeat(seq: 0))
      4600 call state {}
      4600 = not up
      """)
  }

  @Test func pingsGoOnEveryFiveSeconds() {
    let beats = (1...11).map { second in
      let beat = "\(second * 1000) < \(Script.heartbeat(seq: 0))\n\(second * 1000) = heartbeat idle run -"
      switch second {
      case 6: return "5020 > {\"id\":11,\"method\":\"ping\",\"params\":{\"h0\":5020000}}\n" + beat
      case 11: return "10020 > {\"id\":12,\"method\":\"ping\",\"params\":{\"h0\":10020000}}\n" + beat
      default: return beat
      }
    }
    expectConversation(([Script.handshake()] + beats).joined(separator: "\n"))
  }

  @Test func theSameBootReplaysWhatWasMissed() {
    expectConversation(
      """
      \(Script.handshake(seq: 7))
      30 < \(Script.event(8))
      30 = event 8 e run r1 {}
      40 call stop {}
      40 > {"id":11,"method":"stop","params":{}}
      50 disconnect
      50 = refused 11 timeout (-32007): the control link was lost
      1000 connect n2
      1000 > {"id":12,"method":"hello","params":{"v":[1],"nonce":"n2"}}
      1002 < {"id":12,"result":\(Script.hello(nonce: "n2", boot: "b1"))}
      \(Script.pings(from: 1002, firstID: 13))
      1018 > {"id":21,"method":"events","params":{"since":8}}
      1019 < \(Script.event(11, "c"))
      1020 < {"id":21,"result":{"events":[\(Script.eventParams(9, "a")),\(Script.eventParams(10, "b"))],"next":10,"more":false,"lost":0}}
      1020 = event 9 a run r1 {}
      1020 = event 10 b run r1 {}
      1020 = event 11 c run r1 {}
      1020 = ready cam boot b1
      """)
  }

  @Test func aReconnectReplaysEvenWhenNothingHadHappenedBefore() {
    expectConversation(
      """
      \(Script.handshake(seq: 0))
      50 disconnect
      1000 connect n2
      1000 > {"id":11,"method":"hello","params":{"v":[1],"nonce":"n2"}}
      1002 < {"id":11,"result":\(Script.hello(nonce: "n2", boot: "b1"))}
      \(Script.pings(from: 1002, firstID: 12))
      1018 > {"id":20,"method":"events","params":{"since":0}}
      1020 < {"id":20,"result":{"events":[\(Script.eventParams(1))],"next":1,"more":false,"lost":0}}
      1020 = event 1 e run r1 {}
      1020 = ready cam boot b1
      """)
  }

  @Test func anotherBootIsAReboot() {
    expectConversation(
      """
      \(Script.handshake(seq: 7))
      30 < \(Script.event(9))
      30 > {"id":11,"method":"events","params":{"since":7}}
      50 disconnect
      1000 connect n2
      1000 > {"id":12,"method":"hello","params":{"v":[1],"nonce":"n2"}}
      1002 < {"id":12,"result":\(Script.hello(nonce: "n2", boot: "b2"))}
      1002 = rebooted b1 to b2
      1002 > {"id":13,"method":"state","params":{}}
      1004 < {"id":13,"result":{"state":"idle","seq":0}}
      \(Script.pings(from: 1004, firstID: 14))
      1020 = ready cam boot b2
      1030 < \(Script.event(1, boot: "b2"))
      1030 = event 1 e run r1 {}
      """)
  }

  /// A serial line stays open while the device behind it boots.
  @Test func anEventOfAnotherBootEndsTheConnection() {
    expectConversation(
      """
      \(Script.handshake(seq: 7))
      40 call stop {}
      40 > {"id":11,"method":"stop","params":{}}
      50 < \(Script.event(1, boot: "b2"))
      50 = link lost: an event carries another boot id than hello: the device rebooted
      50 = refused 11 timeout (-32007): the control link was lost
      """)
  }

  @Test func aClockThatGoesBackIsGreetedAnewOncePerBoot() {
    func beats(_ seconds: ClosedRange<Int>) -> String {
      seconds.map { "\($0 * 1000) < \(Script.heartbeat(seq: 0))\n\($0 * 1000) = heartbeat idle run -" }
        .joined(separator: "\n")
    }
    expectConversation(
      """
      \(Script.handshake())
      \(beats(1...5))
      5020 > {"id":11,"method":"ping","params":{"h0":5020000}}
      5022 < {"id":11,"result":{"d1":2000,"d2":2000}}
      5022 = link lost: the device's clock went back from 5019000 to 2000 µs: it rebooted, or its time is not monotonic
      6000 connect n2
      6000 > {"id":12,"method":"hello","params":{"v":[1],"nonce":"n2"}}
      6002 < {"id":12,"result":\(Script.hello(nonce: "n2", boot: "b1"))}
      \(Script.pings(from: 6002, firstID: 13))
      6018 > {"id":21,"method":"events","params":{"since":0}}
      6019 < {"id":21,"result":{"events":[],"next":0,"more":false,"lost":0}}
      6019 = ready cam boot b1
      \(beats(7...11))
      11019 > {"id":22,"method":"ping","params":{"h0":11019000}}
      11020 < {"id":22,"result":{"d1":2000,"d2":2000}}
      11021 call x {}
      11021 > {"id":23,"method":"x","params":{}}
      """)
  }

  @Test func theNextHelloMayBeLongerThanTheLastOneAllowed() {
    let caps = (0..<40).map { "\"capability-\($0)\"" }.joined(separator: ",")
    let hello = Script.hello(nonce: "n2", boot: "b2").dropLast() + ",\"x.notes\":[\(caps)]}"
    let text = """
      \(Script.handshake(limits: #""limits":{"record":512},"#))
      50 disconnect
      1000 connect n2
      1000 > {"id":11,"method":"hello","params":{"v":[1],"nonce":"n2"}}
      1002 < {"id":11,"result":\(hello)}
      1002 = rebooted b1 to b2
      1002 > {"id":12,"method":"state","params":{}}
      """
    expectConversation(text)
  }

  @Test func aDeviceWithoutClockOrStateStillBecomesReady() {
    var text = """
      0 connect n1
      0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
      2 < {"id":1,"result":\(Script.hello(nonce: "n1", boot: "b1"))}
      2 > {"id":2,"method":"state","params":{}}
      4 < {"id":2,"error":{"code":-32601,"message":"state"}}

      """
    for id in 3...10 {
      text += "4 > {\"id\":\(id),\"method\":\"ping\",\"params\":{\"h0\":4000}}\n"
      text += "4 < {\"id\":\(id),\"error\":{\"code\":-32601,\"message\":\"ping\"}}\n"
    }
    text += """
      4 = ready cam boot b1
      30 < \(Script.event(12))
      30 = event 12 e run r1 {}
      """
    expectConversation(text)
  }

  @Test func deviceTimesAreTranslated() {
    var host = StageLinkHost(guarded: true)
    for line in StageLinkTranscript.lines(Script.handshake()) {
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      let now = HostTime.zero + .milliseconds(Int64(parts[0]) ?? 0)
      if parts[1] == "connect" { _ = host.connected(nonce: parts[2], at: now) }
      if parts[1] == "<" { _ = host.receive(framed(parts[2]), at: now) }
    }
    #expect(host.isUp)
    #expect(host.clockError == .nanoseconds(1_001_000))
    let json = #"{"method":"event","params":{"seq":1,"boot":"b1","t":5100000,"name":"e","src":"sdk"}}"#
    guard case .event(let event)? = host.receive(framed(json), at: .zero + .milliseconds(130)).first else {
      Issue.record("no event")
      return
    }
    #expect(event.received == .zero + .milliseconds(130))
    #expect(event.occurred == .zero + .milliseconds(100))
    let error = event.timeError ?? .zero
    #expect(error >= .milliseconds(1) && error < .milliseconds(2))
  }

  /// Whatever a device sends, the host neither traps nor asks without end.
  @Test func mutatedConversationsNeverTrap() {
    var random = SplitMix64(seed: 11)
    let device = StageLinkTranscript.lines(
      Script.handshake(seq: 3) + """

        30 < \(Script.event(5))
        31 < {"id":11,"result":{"events":[\(Script.eventParams(4))],"next":4,"more":true,"lost":9007199254740992}}
        31 < \(Script.heartbeat(seq: 9_007_199_254_740_992))
        32 < {"id":12,"result":{"events":[\(Script.eventParams(9_007_199_254_740_992))],"next":4,"more":true,"lost":-5}}
        """
    ).compactMap { line -> [UInt8]? in
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      return parts[1] == "<" ? Array(parts[2].utf8) + [0x0A] : nil
    }
    var ready = 0
    for _ in 0..<4000 {
      var host = StageLinkHost(guarded: false)
      var sends = 0
      var events = 0
      func count(_ actions: [StageLinkHost.Action]) {
        for action in actions {
          switch action {
          case .send: sends += 1
          case .event: events += 1
          case .ready: ready += 1
          default: break
          }
        }
      }
      count(host.connected(nonce: "n1", at: .zero))
      var now = HostTime.zero
      for line in device {
        now = now + .milliseconds(1)
        let bytes = Int.random(in: 0..<8, using: &random) == 0 ? mutated(line, &random) : line
        count(host.receive(bytes, at: now))
        if let next = host.nextDeadline, Int.random(in: 0..<20, using: &random) == 0 { count(host.tick(at: next)) }
      }
      count(host.tick(at: now + .seconds(100)))
      if sends > 60 || events > 60 { Issue.record("\(sends) records sent, \(events) events") }
    }
    #expect(ready > 500)
  }
}
