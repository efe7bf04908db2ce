public import RigModel

/// The checks on captured packets, one line each. A new check is a new file and a line here.
public enum CheckCatalog {
  public static let wire: [any WireCheck.Type] = [
    LineEndCheck.self,
    HeaderFoldCheck.self,
    CSeqPresentCheck.self,
    CSeqEchoCheck.self,
    SingleResponseCheck.self,
    ContentLengthCheck.self,
    ContentBaseCheck.self,
    PublicMethodsCheck.self,
    MandatoryLinesCheck.self,
    DynamicPayloadCheck.self,
    FormatTypeCheck.self,
    ControlCheck.self,
    H264ParameterSetsCheck.self,
    AACParametersCheck.self,
    TransportPresentCheck.self,
    TransportSSRCCheck.self,
    TransportEchoCheck.self,
    ChannelAssignedCheck.self,
    FramingIntactCheck.self,
    SessionIDCheck.self,
    SessionExpiryCheck.self,
    TeardownCheck.self,
    RTPInfoCheck.self,
    RTPHeaderCheck.self,
    PayloadTypeCheck.self,
    SSRCStableCheck.self,
    SequenceCheck.self,
    EmptyPayloadCheck.self,
    RTPSizeCheck.self,
    SenderReportCheck.self,
    SenderReportMappingCheck.self,
    RTCPLengthCheck.self,
    RTCPCompoundCheck.self,
    ByeCheck.self,
    H264MarkerCheck.self,
    H264FragmentCheck.self,
    H264AggregateCheck.self,
    H264StartCodeCheck.self,
    AUHeadersCheck.self,
    MonotonicCheck.self,
    DecodableCheck.self,
    GOPCheck.self,
    GapCheck.self,
    BitRateCheck.self,
  ]

  /// What reports and plans may name.
  public static var wireInfos: [CheckInfo] { wire.map { $0.info } }
}
