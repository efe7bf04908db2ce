import Foundation
import RigBytes
import RigChecks
import RigModel
import RigWire
import Testing

/// A case from the field, as `Fixtures/cases.jsonl` has it, with what this project does about it.
struct FieldCase: Sendable, CustomStringConvertible {
  let id: String
  /// What the case asks of a client, or of an emulated device, and this module has none: playing is the media helper's
  /// part (libav), serving the emulator's. `nil`: all of it is judged here.
  let elsewhere: String?
  let judge: @Sendable (FieldInput) throws -> Void
  var description: String { id }

  init(_ id: String, elsewhere: String? = nil, _ judge: @escaping @Sendable (FieldInput) throws -> Void) {
    self.id = id
    self.elsewhere = elsewhere
    self.judge = judge
  }

  static let all = message + session + transport + framing + description + stream + timing + payload
}

/// The input of a case.
struct FieldInput: Sendable {
  var id: String
  var category: String
  /// Text, or hex, or words.
  var text: String

  /// The parts of a hex input, which bars separate.
  var pieces: [[UInt8]] { text.split(separator: "|").map { ASCII.bytes(hex: $0.filter { $0 != " " }) ?? [] } }
  var bytes: [UInt8] { pieces.flatMap { $0 } }

  static func load() throws -> [FieldInput] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/cases", withExtension: "jsonl"))
    return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
      let value = try JSONParser.parse(String(line))
      return FieldInput(
        id: value["id"]?.string ?? "", category: value["category"]?.string ?? "", text: value["input"]?.string ?? "")
    }
  }
}

@Suite struct FieldCaseTests {
  @Test(arguments: FieldCase.all)
  func isJudgedAsItShould(_ item: FieldCase) throws {
    let input = try #require(try FieldInput.load().first { $0.id == item.id })
    try item.judge(input)
  }

  /// All of them are accounted for: each has its test, and those about clients and devices say what is left to others.
  @Test func allAreAccountedFor() throws {
    let inputs = try FieldInput.load()
    #expect(inputs.count == 81)
    #expect(Set(inputs.map(\.id)).count == inputs.count)
    #expect(FieldCase.all.map(\.id).sorted() == inputs.map(\.id).sorted())
    for input in inputs {
      let item = FieldCase.all.first { $0.id == input.id }
      let isPeerBehaviour = ["client", "emulator-fault"].contains(input.category)
      #expect((item?.elsewhere != nil) == isPeerBehaviour, "\(input.id)")
    }
  }
}

// MARK: what the judges use

/// The items of a byte stream.
func fieldItems(_ bytes: [UInt8]) -> [RTSPParser.Item] {
  var parser = RTSPParser()
  parser.push(bytes)
  parser.finish()
  var items: [RTSPParser.Item] = []
  while let item = parser.next() { items.append(item) }
  return items
}

func fieldMessage(_ text: String) -> (message: RTSPMessage, deviations: Set<RTSPDeviation.Kind>)? {
  guard case .message(let message, _, let deviations)? = fieldItems(Array(text.utf8)).first else { return nil }
  return (message, Set(deviations.map(\.kind)))
}

extension AnalysisResult {
  func severities(_ id: String) -> [Severity] { findings.filter { $0.check == id }.map(\.severity) }
  var errors: [Finding] { findings.filter { $0.severity == .error } }
}

extension ScriptedCamera {
  /// A camera whose description was changed before anything was said.
  static func edited(tcp: Bool = true, audio: Bool = false, _ edit: (String) -> String) -> ScriptedCamera {
    var camera = ScriptedCamera(tcp: tcp, audio: audio)
    camera.sdp = edit(camera.sdp)
    return camera
  }

  /// The findings on a description that DESCRIBE brings.
  static func described(_ sdp: String) -> AnalysisResult {
    var camera = ScriptedCamera()
    camera.sdp = sdp
    camera.describe()
    return camera.script.analyze()
  }

  /// RTP packets as they are, one every 40 ms, after PLAY.
  static func played(
    _ packets: [[UInt8]], audio: Bool = false, tcp: Bool = true, every seconds: Double = 0.04,
    _ edit: (inout ScriptedCamera) -> Void = { _ in }
  ) -> AnalysisResult {
    var camera = ScriptedCamera(tcp: tcp, audio: audio)
    edit(&camera)
    camera.start()
    for packet in packets {
      camera.send(packet, channel: audio ? 2 : 0)
      camera.script.wait(seconds)
    }
    return camera.script.analyze()
  }

  /// Bytes as the server sends them in the RTSP connection, after PLAY and before some good pictures.
  static func streamed(_ bytes: [UInt8], then pictures: Int = 5) -> AnalysisResult {
    var camera = ScriptedCamera()
    camera.start()
    camera.script.segment(bytes, fromServer: true)
    camera.video(pictures, gop: 1000)
    return camera.script.analyze()
  }
}

/// An RTP packet of the video of the cases.
func fieldPacket(
  _ sequence: Int, _ timestamp: Int, marker: Bool = true, ssrc: UInt32 = 0x0a0b_0c0d, _ payload: [UInt8]
) -> [UInt8] {
  ScriptedCamera.Packet(
    payloadType: 96, marker: marker, sequence: UInt16(truncatingIfNeeded: sequence),
    timestamp: UInt32(truncatingIfNeeded: timestamp), ssrc: ssrc, payload: payload
  ).bytes
}
