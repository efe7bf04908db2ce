import RigModel
import RigWire

/// What faults do to answers.
extension RTSPServer {
  /// The challenge to a request without good credentials (RFC 7616 3.3); `nil`: it may pass.
  func unauthorized(_ request: RTSPMessage, _ method: String) -> RTSPReply? {
    guard method != "OPTIONS", gate != nil else { return nil }
    let challenge = gate?.challenge(to: request, method, random: &random)
    guard let challenge else { return nil }
    acted(faults.contains(.staleNonce) ? .staleNonce : .digestAuth, "\(method) was asked for credentials")
    return RTSPReply(401, ["WWW-Authenticate": challenge])
  }

  /// An answer that takes the place of performing the request.
  func replacedByFault(_ method: String, _ url: String) -> RTSPReply? {
    for fault in faults.list {
      switch fault {
      case .status(let status, at: method):
        acted(fault, "\(method) answered \(status)")
        return RTSPReply(status)
      case .redirectLoop where method == "DESCRIBE":
        acted(fault, "\(url) redirected to itself")
        return RTSPReply(302, ["Location": url])
      default: continue
      }
    }
    return nil
  }

  /// Changes headers and body before they are written.
  func deform(_ reply: inout RTSPReply, _ method: String) {
    for fault in faults.list {
      switch fault {
      case .noSession where method == "SETUP" && reply.headers["Session"] != nil:
        reply.headers["Session"] = nil
      case .badContentBase where reply.headers["Content-Base"] != nil:
        reply.headers["Content-Base"] = "\(mount)/"
      case .badContentLength(let by) where !reply.body.isEmpty:
        reply.headers["Content-Length"] = "\(max(0, reply.body.count + by))"
      default: continue
      }
      acted(fault, method)
    }
  }

  /// The bytes of an answer, and whether the connection is to be closed after them.
  func wire(_ message: RTSPMessage, _ method: String) -> (bytes: [UInt8], closes: Bool) {
    var bytes = message.bytes
    var closes = false
    for fault in faults.list {
      switch fault {
      case .headerFold: bytes = folded(bytes, bodyCount: message.body.count)
      case .bareLF: bytes = unixLines(bytes, bodyCount: message.body.count)
      case .replyInsideFrame(at: method):
        // The frame announces twice the answer: a receiver that believes it swallows what follows.
        bytes =
          [0x24, 0, UInt8(truncatingIfNeeded: bytes.count * 2 >> 8), UInt8(truncatingIfNeeded: bytes.count * 2)] + bytes
      case .partialReply(at: method):
        bytes = Array(bytes.prefix(bytes.count / 2))
        closes = true
      default: continue
      }
      acted(fault, method)
    }
    return (bytes, closes)
  }

  /// Breaks every header line after the first blank of its value.
  private func folded(_ bytes: [UInt8], bodyCount: Int) -> [UInt8] {
    var out: [UInt8] = []
    var isStartLine = true
    var isBroken = false
    for byte in bytes.dropLast(bodyCount) {
      out.append(byte)
      if byte == 0x0A {
        isStartLine = false
        isBroken = false
      } else if byte == 0x20, !isStartLine, !isBroken {
        out += [0x0D, 0x0A, 0x20]
        isBroken = true
      }
    }
    return out + bytes.suffix(bodyCount)
  }

  private func unixLines(_ bytes: [UInt8], bodyCount: Int) -> [UInt8] {
    bytes.dropLast(bodyCount).filter { $0 != 0x0D } + bytes.suffix(bodyCount)
  }

  /// The SDP as the faults in force want it.
  func describe(_ description: StreamDescription) -> [UInt8] {
    var sdp = description.sdp
    for fault in faults.list {
      switch fault {
      case .missingRTPMap:
        for index in sdp.media.indices { sdp.media[index].attributes.removeAll { $0.name == "rtpmap" } }
      case .noControl:
        for index in sdp.media.indices { sdp.media[index].attributes.removeAll { $0.name == "control" } }
      case .noSprop:
        for index in sdp.media.indices {
          sdp.media[index].attributes = sdp.media[index].attributes.map { StreamDescription.withoutSprop($0) }
        }
      case .hugeSDP(let count):
        let line = SDPSession.Attribute("x-filler", String(repeating: "x", count: 60))
        sdp.attributes += Array(repeating: line, count: max(0, min(count, 1 << 20)) / 73 + 1)
      default: continue
      }
      acted(fault, "DESCRIBE")
    }
    var bytes = sdp.bytes
    for fault in faults.list {
      switch fault {
      case .badPort: bytes = replaced(bytes, "m=video 0 ", with: Array("m=video none ".utf8))
      case .binarySDP: bytes = replaced(bytes, "s=Live", with: [0x73, 0x3D, 0xFF, 0xFE, 0x01, 0x80])
      case .noFinalCRLF: bytes.removeLast(min(2, bytes.count))
      default: continue
      }
      acted(fault, "DESCRIBE")
    }
    return bytes
  }

  private func replaced(_ bytes: [UInt8], _ text: String, with other: [UInt8]) -> [UInt8] {
    let pattern = Array(text.utf8)
    guard bytes.count >= pattern.count,
      let place = (0...(bytes.count - pattern.count)).first(where: { bytes[$0...].starts(with: pattern) })
    else { return bytes }
    return bytes[..<place] + other + bytes[(place + pattern.count)...]
  }
}
