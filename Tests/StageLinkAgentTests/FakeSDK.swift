import Foundation
import RigLoop
import RigModel
import StageLinkAgent

/// An SDK whose sessions only wait, in the loop's time.
// Unchecked: touched only on the loop's thread.
final class FakeSDK: RTSPLiveStreaming, @unchecked Sendable {
  struct NotPossible: Error, LocalizedError { var errorDescription: String? }

  private let loop: Loop
  /// The completion that fails, with this error.
  var refuses: String?
  var error = NSError(domain: "camera", code: 17, userInfo: [NSLocalizedDescriptionKey: "closed \"by\" system"])
  var address = "rtsp://192.168.42.1:554/live"
  /// Why no start is taken.
  var throwsAtStart: String?
  var notReadyReasons: [String] = []
  var supportsRTSPLiveStreaming = true
  private(set) var parameters: LiveStreamingParameters?
  private var steps: Task<Void, any Error>?
  private var handlers: LiveStreamingHandlers?

  init(_ loop: Loop) { self.loop = loop }

  func startRTSPLiveStreaming(parameters: LiveStreamingParameters?, handlers: LiveStreamingHandlers) throws {
    if let throwsAtStart { throw NotPossible(errorDescription: throwsAtStart) }
    self.parameters = parameters
    self.handlers = handlers
    steps = loop.spawn { try await self.session(handlers) }
  }

  func stopRTSPLiveStreaming() {
    steps?.cancel()
    guard let handlers else { return }
    self.handlers = nil
    loop.spawn {
      try await self.loop.sleep(for: .milliseconds(30))
      handlers.sessionFinishHandler(true, nil)
    }
  }

  private nonisolated(nonsending) func session(_ h: LiveStreamingHandlers) async throws {
    h.configureHotspotStartingHandler()
    guard try await complete("hotspotConfigureCompletion", h.hotspotConfigureCompletionHandler) else { return }
    h.enterLiveStreamingModeStartingHandler()
    guard try await complete("enterLiveStreamingModeCompleted", h.enterLiveStreamingModeCompletedHandler) else {
      return
    }
    h.waitingForHotspotOpenHandler()
    try await loop.sleep(for: .milliseconds(40))
    h.connectDeviceHotspotStartingHandler("Gläser-\u{1F453}")
    guard try await complete("deviceHotspotConnectCompletion", h.deviceHotspotConnectCompletionHandler) else { return }
    h.rtspAddressReceivedHandler(address)
    _ = try await complete("sessionStartCompletion", h.sessionStartCompletionHandler)
  }

  private nonisolated(nonsending) func complete(
    _ name: String, _ handler: LiveStreamingHandlers.Completion
  ) async throws -> Bool {
    try await loop.sleep(for: .milliseconds(40))
    guard refuses == name else {
      handler(true, nil)
      return true
    }
    handler(false, error)
    handlers?.sessionFinishHandler(false, error)
    handlers = nil
    return false
  }
}
