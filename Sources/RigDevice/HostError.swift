import Glibc
public import RigLoop

/// An error that may lie with this machine and not with the device: whoever would reset the device for it asks first.
public protocol HostError: Error {
  /// What keeps this machine from the device: a right, another program, a program that is missing. No reset of the
  /// device changes that.
  var isOfHost: Bool { get }
}

extension SystemError: HostError {
  public var isOfHost: Bool {
    switch code {
    case EACCES, EPERM, EBUSY, EWOULDBLOCK, EMFILE, ENFILE, ENOMEM: true
    // A path that is gone may be the device's, which is unplugged or boots; a program is this machine's.
    case ENOENT, ENOEXEC: call == "posix_spawn"
    default: false
    }
  }
}
