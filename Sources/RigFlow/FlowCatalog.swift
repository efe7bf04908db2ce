public import RigModel

/// Every flow, in one list: a new flow is one file and one line here.
public enum FlowCatalog {
  public static let all: [Flow] = [.rtspHotspot, .hlsRoom, .livestreamCall]

  public static func flow(_ id: FlowID) -> Flow {
    switch id {
    case .rtspHotspot: .rtspHotspot
    case .hlsRoom: .hlsRoom
    case .livestreamCall: .livestreamCall
    }
  }
}
