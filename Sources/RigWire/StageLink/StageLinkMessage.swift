public import RigModel

/// One record of stage-link/1, a profile of JSON-RPC 2.0.
public enum StageLinkMessage: Hashable, Sendable {
  case request(id: Int64, method: String, params: JSONValue)
  case reply(id: Int64, result: JSONValue)
  /// `id` is `nil` where the request could not be read.
  case failure(id: Int64?, StageLinkError)
  case notification(method: String, params: JSONValue)

  public init?(_ json: JSONValue) {
    let id = json["id"]?.integer
    if let method = json["method"]?.string {
      let params = json["params"] ?? .object([])
      self =
        id.map { .request(id: $0, method: method, params: params) } ?? .notification(method: method, params: params)
    } else if let error = json["error"] {
      self = .failure(id: id, StageLinkError(json: error))
    } else if let id, let result = json["result"] {
      self = .reply(id: id, result: result)
    } else {
      return nil
    }
  }

  public var json: JSONValue {
    switch self {
    case .request(let id, let method, let params):
      ["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": params]
    case .reply(let id, let result): ["jsonrpc": "2.0", "id": .integer(id), "result": result]
    case .failure(let id, let error): ["jsonrpc": "2.0", "id": id.map { .integer($0) } ?? .null, "error": error.json]
    case .notification(let method, let params): ["jsonrpc": "2.0", "method": .string(method), "params": params]
    }
  }

  /// The record's bytes, framing included.
  public func encoded(_ framing: RecordFraming) -> [UInt8] { framing.encode(Array(json.text.utf8)) }
}
