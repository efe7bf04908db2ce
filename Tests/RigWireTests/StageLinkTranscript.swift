import RigModel
import RigWire

/// Plays a written conversation against `StageLinkHost` and writes down what really happened, in the same form.
///
/// Each line begins with milliseconds. Inputs: `connect NONCE`, `disconnect`, `call METHOD PARAMS` (1 s to answer),
/// `wait`, `< {…}` a record from the device, `~ text` raw bytes from it (`␞` is RS, `⏎` LF). Outputs: `> {…}` a record
/// to the device, `= …` what the host tells its owner. The `jsonrpc` member is left out in both directions.
struct StageLinkTranscript {
  private var host: StageLinkHost
  private var now = HostTime.zero
  private var out: [String] = []

  static func play(_ text: String, guarded: Bool = true) -> [String] {
    var transcript = StageLinkTranscript(host: StageLinkHost(guarded: guarded))
    for line in StageLinkTranscript.lines(text) { transcript.perform(line) }
    return transcript.out
  }

  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map(String.init)
  }

  private mutating func perform(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard parts.count >= 2, let ms = Int64(parts[0]) else { return out.append("unreadable: \(line)") }
    guard parts[1] != ">", parts[1] != "=" else { return }
    pass(until: .zero + .milliseconds(ms))
    out.append(line)
    let rest = parts.count > 2 ? parts[2] : ""
    switch parts[1] {
    case "connect": tell(host.connected(nonce: rest, at: now))
    case "disconnect": tell(host.disconnected())
    case "<": tell(host.receive(framed(rest), at: now))
    case "~": tell(host.receive(wire(rest), at: now))
    case "call":
      let words = rest.split(separator: " ", maxSplits: 1).map(String.init)
      let params = (try? JSONParser.parse(words.last ?? "")) ?? .null
      guard let (_, actions) = host.call(words[0], params, timeout: .seconds(1), at: now) else {
        return out.append("\(stamp) = not up")
      }
      tell(actions)
    default: break
    }
  }

  /// Time goes on as a driver lets it: a tick at each deadline.
  private mutating func pass(until next: HostTime) {
    var ticks = 0
    while let deadline = host.nextDeadline, deadline <= next, ticks < 1000 {
      now = max(now, deadline)
      tell(host.tick(at: now))
      ticks += 1
    }
    if ticks == 1000 { out.append("\(stamp) = the host never comes to rest") }
    now = max(now, next)
  }

  private var stamp: String { "\(now.nanoseconds / 1_000_000)" }

  private mutating func tell(_ actions: [StageLinkHost.Action]) {
    for action in actions { out.append("\(stamp) \(StageLinkTranscript.text(action))") }
  }

  private static func text(_ action: StageLinkHost.Action) -> String {
    switch action {
    case .send(let bytes):
      guard case .record(let json)? = RecordDecoder.items(bytes, guarded: true).first, let members = json.members else {
        return "> not a record"
      }
      return "> " + JSONValue.object(members.filter { $0.key != "jsonrpc" }).text
    case .ready(let hello): return "= ready \(hello.model) boot \(hello.boot)"
    case .replied(let call, let result): return "= reply \(call) \(result.text)"
    case .refused(let call, let error): return "= refused \(call) \(error)"
    case .event(let e): return "= event \(e.sequence) \(e.name) run \(e.run ?? "-") \(e.data.text)"
    case .heartbeat(let state, let run): return "= heartbeat \(state) run \(run ?? "-")"
    case .deviceLog(let bytes): return "= log \(String(decoding: bytes, as: UTF8.self))"
    case .rebooted(let from, let to): return "= rebooted \(from) to \(to)"
    case .eventsLost(let n): return "= \(n) events lost"
    case .damaged(let why): return "= damaged: \(why.rawValue)"
    case .lost(let reason): return "= link lost: \(reason)"
    }
  }
}

/// Parts of conversations that tests share. RTT is 2 ms; the device's clock shows 5 s when the host's shows 0.
enum StageLinkScript {
  static func hello(nonce: String, boot: String, limits: String = "") -> String {
    #"{"v":1,"nonce":"\#(nonce)","boot":"\#(boot)","device":{"model":"cam"},"flows":[],"caps":[],\#(limits)"ready":{"ok":true}}"#
  }

  static func pings(from t: Int, firstID: Int) -> String {
    (0..<8).map { i in
      let at = t + 2 * i
      let d = 5_000_000 + at * 1000 + 1000
      return """
        \(at) > {"id":\(firstID + i),"method":"ping","params":{"h0":\(at * 1000)}}
        \(at + 2) < {"id":\(firstID + i),"result":{"d1":\(d),"d2":\(d)}}
        """
    }.joined(separator: "\n")
  }

  /// A first connection: up at 20 ms, the device's last event is `seq`; the next request has id 11.
  static func handshake(seq: Int = 0, limits: String = "") -> String {
    """
    0 connect n1
    0 > {"id":1,"method":"hello","params":{"v":[1],"nonce":"n1"}}
    2 < {"id":1,"result":\(hello(nonce: "n1", boot: "b1", limits: limits))}
    2 > {"id":2,"method":"state","params":{}}
    4 < {"id":2,"result":{"state":"idle","run":null,"seq":\(seq)}}
    \(pings(from: 4, firstID: 3))
    20 = ready cam boot b1
    """
  }

  static func event(_ seq: Int, boot: String = "b1", _ name: String = "e", run: String = "r1") -> String {
    #"{"method":"event","params":\#(eventParams(seq, boot: boot, name, run: run))}"#
  }

  static func eventParams(_ seq: Int, boot: String = "b1", _ name: String = "e", run: String = "r1") -> String {
    #"{"seq":\#(seq),"boot":"\#(boot)","run":"\#(run)","t":\#(5_000_000 + seq),"name":"\#(name)","src":"sdk"}"#
  }

  static func heartbeat(seq: Int) -> String {
    #"{"method":"hb","params":{"t":5000000,"seq":\#(seq),"state":"idle","run":null}}"#
  }
}
