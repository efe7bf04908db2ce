// What the example of the guide has beside the agent: an SDK that is bound to no thread and promises nothing, and a
// connection and a timer as Apple's frameworks have them. Only ci/agent compiles it.
import Foundation

nonisolated struct VendorParameters { init(_ parameters: LiveStreamingParameters) {} }

nonisolated final class VendorDevice {
  let isConnected = true, supportsRTSPLiveStreaming = true, model = "m", serial = "s"
  typealias Completion = (Bool, (any Error)?) -> Void
  func startRTSPLiveStreaming(
    parameters: VendorParameters?, configureHotspotStartingHandler: @escaping () -> Void,
    hotspotConfigureCompletionHandler: @escaping Completion,
    enterLiveStreamingModeStartingHandler: @escaping () -> Void,
    enterLiveStreamingModeCompletedHandler: @escaping Completion, waitingForHotspotOpenHandler: @escaping () -> Void,
    connectDeviceHotspotStartingHandler: @escaping (String) -> Void,
    deviceHotspotConnectCompletionHandler: @escaping Completion,
    rtspAddressReceivedHandler: @escaping (String) -> Void, sessionStartCompletionHandler: @escaping Completion,
    sessionFinishHandler: @escaping (Bool, (any Error)?) -> Void
  ) throws {}
  func stopRTSPLiveStreaming() {}
}

nonisolated final class Connection: Sendable {
  enum Completion { case idempotent }
  func send(content: Data?, completion: Completion) {}
  func receive(
    minimumIncompleteLength: Int, maximumLength: Int,
    completion: @escaping @Sendable (Data?, AnyObject?, Bool, (any Error)?) -> Void
  ) {}
}

nonisolated enum Timer {
  @discardableResult
  static func scheduledTimer(
    withTimeInterval: TimeInterval, repeats: Bool, block: @escaping @Sendable (AnyObject) -> Void
  ) -> AnyObject? { nil }
}
