public import RigModel

/// What must be seen for a fault to count as fired. The device's own claim never suffices.
public enum FaultProof: Hashable, Sendable {
  /// The stage's completion event came with `success: false`, or the start request was refused.
  case refused
  /// The stage timed out without its completion.
  case missingCompletion
  /// The device claimed the fault, and the stage's completion came its `for` after the stage's beginning: not earlier,
  /// and not much later (`FaultProver.slack`). A device that lies, and is that slow by itself, looks the same: `for`
  /// must be longer than the stage takes.
  case lateCompletion
  /// The stage's completion came twice.
  case repeatedCompletion
  /// The stage's completion came after an event that should follow it.
  case reorderedCompletion
  /// The stage's completion came under another run's id.
  case otherRun
  /// A reported success, and a witness that contradicts it.
  case contradictedSuccess
  /// An address was received that breaks this rule.
  case address(AddressKind)
  /// The received address differs from the one before it, or came again.
  case secondAddress
  /// The device says that it is not ready.
  case notReady
  /// Another boot id came after the run began.
  case reboot
  case finish(FinishKind)
  /// A witness saw it.
  case fact(FactKind)
  /// The host's own stack of the control link saw it, in the fault's stage or later.
  case transport(FactKind)
  /// One of these checks found it in the capture, or in what was decoded.
  case finding([String])
  /// The capture saw such a request and answer.
  case exchange(ExchangeKind)
  /// The capture measured it of a stream.
  case stream(StreamKind)
  /// The decoder measured it of the pictures.
  case pictures(PictureKind)
  /// The link, which performs the fault, counted frames, leases or a lost carrier.
  case link
  /// The control link was lost.
  case controlLost
  /// Damaged records were seen.
  case damagedRecord

  public enum AddressKind: String, Sendable { case scheme, noHost, controlBytes, tooLong, wrongHost, deadPort }

  public enum FinishKind: String, Sendable {
    /// `sessionFinish` came before a stop was asked for.
    case interrupted
    /// A stop was asked for, and no `sessionFinish` came inside the limit.
    case missing
    case repeated
    case eventAfter
    /// `userStopped` contradicts who stopped.
    case wrongUserStopped
  }

  public enum ExchangeKind: String, Sendable {
    /// The fault's method was answered with the fault's status.
    case status
    /// The fault's method was never answered, and the server kept the connection.
    case unanswered
    /// The fault's method was not answered, and the server closed the connection.
    case closed
    /// A part of the answer came, and the server closed the connection.
    case cut
    /// A digest challenge, and a later success with credentials.
    case challenge
    /// A digest challenge that calls the nonce stale, and a later success with another.
    case stale
    /// A session with the fault's timeout.
    case timeout
    /// A body of at least the fault's size.
    case body
  }

  public enum StreamKind: String, Sendable {
    /// Packets with padding.
    case padding
    /// A BYE of the source, and the player saw the media end before any stop was asked for.
    case earlyBye
    /// A video stream of no more than one and a half times the fault's bit rate.
    case bitRate
  }

  public enum PictureKind: String, Sendable {
    /// At least nine of ten pictures are black.
    case black
    /// At least nine of ten pictures show what the one before showed.
    case frozen
    /// No more than one and a half times the fault's pictures a second.
    case rate
  }

  /// Only packets show it.
  public var needsCapture: Bool {
    switch self {
    case .finding, .exchange, .stream: true
    default: false
    }
  }

  /// For people: what must be seen.
  public var text: String {
    switch self {
    case .refused: "the completion came with success=false, or the start request was refused"
    case .missingCompletion: "the limit of the stage passed without its completion"
    case .lateCompletion:
      "the device claimed it, and the completion came that long after the stage began, and not much later"
    case .repeatedCompletion: "the completion came twice"
    case .reorderedCompletion: "the completion came after an event that should follow it"
    case .otherRun: "the completion came under another run's id"
    case .contradictedSuccess: "success was reported, and the link could not be proven"
    case .address(.deadPort): "the address was received, and nobody answered there"
    case .address(.wrongHost):
      "the received address names another host than the link reached, and nobody answered there"
    case .address: "an address was received that breaks the rule"
    case .secondAddress: "a second address was received"
    case .notReady: "the device's state says so when it is asked"
    case .reboot: "another boot id came"
    case .finish(.interrupted): "sessionFinish came before any stop was asked for"
    case .finish(.missing): "a stop was asked for, and its limit passed without sessionFinish"
    case .finish(.repeated): "sessionFinish came twice"
    case .finish(.eventAfter): "an event of the run came after its sessionFinish"
    case .finish(.wrongUserStopped): "sessionFinish contradicts that a stop was asked for"
    case .fact(let kind): "a witness saw \(kind.rawValue)"
    case .transport(let kind): "this machine's own USB stack saw \(kind.rawValue), in the fault's stage or later"
    case .finding(let checks): "one of these checks found it in the capture: \(checks.joined(separator: ", "))"
    case .exchange(.status): "the capture shows that answer to that request"
    case .exchange(.unanswered): "the capture shows the request, and no answer to it"
    case .exchange(.closed): "the capture shows the request, and that the server closed the connection"
    case .exchange(.cut): "the capture shows a part of the answer, and that the server closed the connection"
    case .exchange(.challenge): "the capture shows a digest challenge, and then a success with credentials"
    case .exchange(.stale): "the capture shows a challenge with stale=true, and then a success with the new nonce"
    case .exchange(.timeout): "the capture shows a session with that timeout"
    case .exchange(.body): "the capture shows a body of at least that size"
    case .stream(.padding): "the capture counted packets with padding"
    case .stream(.earlyBye): "the capture shows a BYE, and the media ended before any stop was asked for"
    case .stream(.bitRate): "the capture measured no more than one and a half times that bit rate"
    case .pictures(.black): "at least nine of ten decoded pictures are black"
    case .pictures(.frozen): "at least nine of ten decoded pictures show what the one before showed"
    case .pictures(.rate): "the decoder measured no more than one and a half times that rate"
    case .link: "the link, which performs it, counted what it did to frames, leases or the carrier"
    case .controlLost: "the control link was lost"
    case .damagedRecord: "a damaged record was counted on the control link"
    }
  }
}
