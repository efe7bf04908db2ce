public import RigModel

/// Every fault, one line each. A verb may stand here more than once, in other layers and with other stages.
public enum FaultCatalog {
  public static let all: [FaultDefinition] = [
    // flow
    .flowRefuse,
    .flowBusy,
    .flowHang,
    .flowDrop,
    .flowDelay,
    .flowLate,
    .flowDuplicate,
    .flowReorder,
    .flowLie,
    .flowOtherRun,
    .flowReboot,
    .flowNotReady,
    // address
    .addressBadScheme,
    .addressNoHost,
    .addressControlBytes,
    .addressTooLong,
    .addressWrongHost,
    .addressDeadPort,
    .addressTwice,
    .addressChanged,
    // hotspot
    .hotspotNeverOpens,
    .hotspotSlowOpen,
    // link
    .linkLoss,
    .linkDelay,
    .linkJitter,
    .linkReorderPackets,
    .linkDuplicatePackets,
    .linkCorruptPackets,
    .linkRate,
    .linkBlackout,
    .linkDropLink,
    .linkWrongKey,
    .linkNoLease,
    .linkSubnetClash,
    // rtsp
    .rtspStatus,
    .rtspNoReply,
    .rtspClose,
    .rtspPartialReply,
    .rtspBadCSeq,
    .rtspNoSession,
    .rtspBadContentBase,
    .rtspBadContentLength,
    .rtspHeaderFold,
    .rtspBareLF,
    .rtspExtraBytes,
    .rtspRedirectLoop,
    .rtspDigestAuth,
    .rtspStaleNonce,
    .rtspIgnoreTeardown,
    .rtspShortTimeout,
    .rtspReplyInsideFrame,
    // sdp
    .sdpMissingRTPMap,
    .sdpBadPort,
    .sdpNoControl,
    .sdpNoSprop,
    .sdpBinary,
    .sdpNoFinalCRLF,
    .sdpHuge,
    // rtp
    .rtpDrop,
    .rtpDuplicate,
    .rtpReorder,
    .rtpSeqJump,
    .rtpSSRCChange,
    .rtpWrongSSRC,
    .rtpTSJump,
    .rtpTSBackwards,
    .rtpEmptyPayload,
    .rtpWrongPT,
    .rtpPadding,
    .rtpOversize,
    .rtpUnknownChannel,
    .rtpNoSR,
    .rtpBadSRTime,
    .rtpEarlyBye,
    .rtpStall,
    // media
    .mediaNoKeyFrame,
    .mediaNoParameterSets,
    .mediaAnnexBInFU,
    .mediaMarkerPerNAL,
    .mediaBlack,
    .mediaFrozen,
    .mediaLowRate,
    .mediaLowBitRate,
    // finish
    .finishInterrupt,
    .finishIgnoreStop,
    .finishNoFinish,
    .finishFinishTwice,
    .finishEventsAfterFinish,
    .finishWrongUserStopped,
    .finishLeakPort,
    .finishLeakHotspot,
    .finishStaysBusy,
    // control-link
    .controlHeartbeatLost,
    .controlDamagedRecord,
    .controlUnplug,
    .controlUSBTimeout,
    .controlUSBStall,
    .controlShortPacket,
    .controlStaleData,
  ]

  public static func definition(_ verb: String, at stage: StageID, in flow: FlowID) -> FaultDefinition? {
    all.first { $0.verb == verb && $0.isLegal(at: stage, in: flow) }
  }

  public static func definition(of request: FaultRequest, in flow: FlowID) -> FaultDefinition? {
    definition(request.verb, at: request.stage, in: flow)
  }

  /// What `name` may mean: an id (`rtp.drop`, or `rtp drop`), or a verb of one or several layers.
  public static func named(_ name: String) -> [FaultDefinition] {
    let id = name.split(separator: " ").joined(separator: ".")
    let exact = all.filter { $0.id == id }
    return exact.isEmpty ? all.filter { $0.verb == name } : exact
  }
}
