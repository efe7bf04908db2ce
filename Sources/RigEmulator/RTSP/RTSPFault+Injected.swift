import RigModel

extension RTSPFaults {
  init(_ faults: [InjectedFault]) {
    self.init()
    for fault in faults {
      guard let own = RTSPFault(injected: fault) else { continue }
      list.append(own)
      if let remaining = fault.remaining { budgets[own] = remaining }
    }
  }
}

extension RTSPFault {
  /// The server's form of an injected fault; `nil` where somebody else carries it out.
  init?(injected fault: InjectedFault) {
    let method = fault.text("method") ?? ""
    let every = fault.number("every", in: 1...1_000_000)
    let after = fault.number("after", in: 0...1_000_000)
    switch fault.fault {
    case "rtsp.status": self = .status(fault.number("code", in: 100...999), at: method)
    case "rtsp.no-reply": self = .noReply(at: method)
    case "rtsp.close": self = .close(at: method)
    case "rtsp.partial-reply": self = .partialReply(at: method)
    case "rtsp.bad-cseq": self = .badCSeq
    case "rtsp.no-session": self = .noSession
    case "rtsp.bad-content-base": self = .badContentBase
    case "rtsp.bad-content-length": self = .badContentLength(by: fault.number("by", in: -65_536...65_536))
    case "rtsp.header-fold": self = .headerFold
    case "rtsp.bare-lf": self = .bareLF
    case "rtsp.extra-bytes": self = .garbageBetweenFrames(every: every, bytes: fault.number("bytes", in: 1...65_536))
    case "rtsp.redirect-loop": self = .redirectLoop
    case "rtsp.digest-auth": self = .digestAuth
    case "rtsp.stale-nonce": self = .staleNonce
    case "rtsp.ignore-teardown": self = .ignoreTeardown
    case "rtsp.short-timeout": self = .shortTimeout(seconds: fault.number("seconds", in: 1...3600))
    case "rtsp.reply-inside-frame": self = .replyInsideFrame(at: method)
    case "sdp.missing-rtpmap": self = .missingRTPMap
    case "sdp.bad-port": self = .badPort
    case "sdp.no-control": self = .noControl
    case "sdp.no-sprop": self = .noSprop
    case "sdp.binary": self = .binarySDP
    case "sdp.no-final-crlf": self = .noFinalCRLF
    case "sdp.huge": self = .hugeSDP(bytes: fault.number("bytes", in: 0...1_048_576))
    case "rtp.drop": self = .dropPackets(every: every)
    case "rtp.duplicate": self = .duplicatePackets(every: every)
    case "rtp.reorder": self = .reorderPackets(every: every)
    case "rtp.seq-jump": self = .seqJump(after: after, by: UInt16(fault.number("by", in: 0...65_535)))
    case "rtp.ssrc-change": self = .ssrcChange(after: after)
    case "rtp.wrong-ssrc": self = .wrongSSRCInTransport
    case "rtp.ts-jump": self = .timestampJump(after: after, by: fault.duration("by") ?? .zero)
    case "rtp.ts-backwards": self = .timestampJump(after: after, by: .zero - (fault.duration("by") ?? .zero))
    case "rtp.empty-payload": self = .emptyPayload(after: after)
    case "rtp.wrong-pt": self = .wrongPayloadType(every: every)
    case "rtp.padding": self = .padding(every: every, bytes: UInt8(fault.number("bytes", in: 1...255)))
    case "rtp.oversize": self = .oversize
    case "rtp.unknown-channel": self = .unknownChannel(every: every)
    case "rtp.no-sr": self = .noSR
    case "rtp.bad-sr-time": self = .badSRTime(offset: fault.duration("by") ?? .zero)
    case "rtp.early-bye": self = .earlyBye(after: fault.duration("after") ?? .zero)
    case "rtp.stall": self = .stall(after: .seconds(1), for: fault.duration("for") ?? .zero)
    case "media.no-key-frame": self = .noKeyFrame
    case "media.no-parameter-sets": self = .noParameterSets
    case "media.annexb-in-fu": self = .annexBInFU
    case "media.marker-per-nal": self = .markerPerNAL
    default: return nil
    }
  }
}
