public import RigDevice

extension USBError: HostError {
  public var isOfHost: Bool {
    switch kind {
    case .noAccess, .busy, .ambiguous, .noUSB: true
    case .unplugged, .stalled, .timedOut, .hangs, .failed, .notFound, .closed: false
    }
  }
}
