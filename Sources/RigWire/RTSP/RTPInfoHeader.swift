import RigBytes

/// `RTP-Info: url=…;seq=…;rtptime=…, …` (RFC 2326 12.33).
public struct RTPInfoHeader: Hashable, Sendable {
  public struct Stream: Hashable, Sendable {
    public var url: String
    public var sequence: UInt16?
    public var rtpTime: UInt32?
    public init(url: String, sequence: UInt16? = nil, rtpTime: UInt32? = nil) {
      self.url = url
      self.sequence = sequence
      self.rtpTime = rtpTime
    }
  }

  public var streams: [Stream]
  public var deviations: [RTSPDeviation]

  public init(_ streams: [Stream]) {
    self.streams = streams
    self.deviations = []
  }

  /// Entries are split at commas that a `url=` follows, so that a comma inside a URL does no harm.
  public init(parsing value: String) {
    self.init([])
    var current: Stream?
    var chunks: [String] = []
    for piece in ASCII.split(value, on: ",") {
      if chunks.isEmpty || ASCII.hasPrefix(ASCII.trimmed(piece), "url=") {
        chunks.append(piece)
      } else {
        chunks[chunks.count - 1] += "," + piece
      }
    }
    for chunk in chunks {
      for part in ASCII.split(chunk, on: ";").map({ ASCII.trimmed($0) }) {
        let (rawName, rawText) = ASCII.cut(part, at: "=")
        let name = ASCII.lowercased(ASCII.trimmed(rawName))
        let text = ASCII.trimmed(rawText ?? "")
        switch name {
        case "url":
          if let done = current { streams.append(done) }
          current = Stream(url: text)
        case "seq" where current != nil && ASCII.decimal(text, limit: 65535) != nil:
          current?.sequence = ASCII.decimal(text, limit: 65535).map { UInt16($0) }
        case "rtptime" where current != nil && ASCII.decimal(text, limit: UInt64(UInt32.max)) != nil:
          current?.rtpTime = ASCII.decimal(text, limit: UInt64(UInt32.max)).map { UInt32($0) }
        case "": deviations.append(RTSPDeviation(.trailingSeparator, chunk))
        case "ssrc": break
        default: deviations.append(RTSPDeviation(.badElement, part))
        }
      }
    }
    if let done = current { streams.append(done) }
  }

  public var text: String {
    streams.map { stream in
      "url=\(stream.url)" + (stream.sequence.map { ";seq=\($0)" } ?? "")
        + (stream.rtpTime.map { ";rtptime=\($0)" } ?? "")
    }.joined(separator: ",")
  }
}
