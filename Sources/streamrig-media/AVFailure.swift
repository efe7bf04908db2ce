import CAV

/// A failed libav call: its code (negative, `AVERROR`) and what was being done.
struct AVFailure: Error {
  let code: Int32
  let doing: String

  init(_ code: Int32, _ doing: String) {
    self.code = code
    self.doing = doing
  }

  static func outOfMemory(_ doing: String) -> AVFailure { AVFailure(cav_error(ENOMEM), doing) }

  /// libav's own words for the code.
  var reason: String { Self.reason(for: code) }
  var message: String { "\(doing): \(reason)" }

  static func reason(for code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress else { return "error \(code)" }
      buffer.initialize(repeating: 0)
      av_strerror(code, base, buffer.count)
      return String(cString: base)
    }
  }
}

/// Throws unless the call succeeded.
@discardableResult
func check(_ code: Int32, _ doing: @autoclosure () -> String) throws(AVFailure) -> Int32 {
  guard code >= 0 else { throw AVFailure(code, doing()) }
  return code
}
