import RigBytes
import RigWire

/// Tells from the first bytes of a connection whether RTSP is hidden in it.
enum HiddenRTSP {
  /// 322 is that of `rtsps`; the others are what devices use for RTSP in general.
  private static let ports: Set<UInt16> = [322, 554, 8322, 8554, 8555, 7441]
  private static let marks: [[UInt8]] = ["x-sessioncookie", "application/x-rtsp-tunnelled"].map { Array($0.utf8) }

  static func kind(_ bytes: RawSpan, key: FlowKey, isFirst: Bool) -> UnjudgedConnection.Kind? {
    guard isFirst, let first = bytes.u8(at: 0) else { return nil }
    // A TLS record of a handshake (RFC 8446 5.1).
    if first == 0x16, bytes.u8(at: 1) == 3, bytes.u8(at: 2).map({ $0 <= 4 }) ?? false {
      return ports.contains(key.destination.port) || ports.contains(key.source.port) ? .tls : nil
    }
    guard first == 0x47 || first == 0x50 else { return nil }
    let head = bytes.clamped(to: 0..<2048).array.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    guard head.starts(with: Array("get ".utf8)) || head.starts(with: Array("post ".utf8)) else { return nil }
    return marks.contains { contains(head, $0) } ? .httpTunnel : nil
  }

  private static func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
    guard bytes.count >= pattern.count else { return false }
    return (0...(bytes.count - pattern.count)).contains { bytes[$0...].starts(with: pattern) }
  }
}
