import Glibc

/// A system call that failed: which one, on what, and the kernel's reason.
public struct SystemError: Error, Hashable, CustomStringConvertible {
  public let call: String
  public let code: Int32
  public let subject: String

  /// Takes `errno` of the calling thread unless `code` is given.
  public init(_ call: String, code: Int32? = nil, on subject: String = "") {
    self.code = code ?? errno
    self.call = call
    self.subject = subject
  }

  public var reason: String { String(cString: strerror(code)) }
  public var description: String { subject.isEmpty ? "\(call): \(reason)" : "\(subject): \(reason) (\(call))" }
}
