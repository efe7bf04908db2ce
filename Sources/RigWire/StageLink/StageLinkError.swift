public import RigModel

/// An error reply of stage-link/1.
public struct StageLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Int64, CaseIterable, Sendable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    case busy = -32001
    case badState = -32002
    case unsupported = -32003
    case badParam = -32004
    case unknownFault = -32005
    case notReady = -32006
    case timeout = -32007
    case hardware = -32008
    case tooLarge = -32009
    case version = -32010

    public var word: String {
      switch self {
      case .parseError: "parse error"
      case .invalidRequest: "invalid request"
      case .methodNotFound: "unknown method"
      case .invalidParams: "invalid params"
      case .internalError: "internal error"
      case .busy: "busy"
      case .badState: "bad state"
      case .unsupported: "unsupported"
      case .badParam: "bad parameter"
      case .unknownFault: "unknown fault"
      case .notReady: "not ready"
      case .timeout: "timeout"
      case .hardware: "hardware"
      case .tooLarge: "too large"
      case .version: "version"
      }
    }
  }

  /// As sent; may be a number that this version does not know.
  public var code: Int64
  public var message: String
  /// `{owner}`, `{reasons}`, `{range}`, …
  public var data: JSONValue

  public init(_ code: Code, _ message: String = "", data: JSONValue = .null) {
    self.code = code.rawValue
    self.message = message.isEmpty ? code.word : message
    self.data = data
  }

  public init(json: JSONValue) {
    code = json["code"]?.integer ?? 0
    message = json["message"]?.string ?? ""
    data = json["data"] ?? .null
  }

  public var known: Code? { Code(rawValue: code) }

  public var json: JSONValue {
    ["code": .integer(code), "message": .string(message), "data": data.isNull ? nil : data]
  }

  public var description: String {
    let word = known?.word ?? "error"
    let detail = data.isNull ? "" : " \(data.text)"
    return word == message ? "\(word) (\(code))\(detail)" : "\(word) (\(code)): \(message)\(detail)"
  }
}
