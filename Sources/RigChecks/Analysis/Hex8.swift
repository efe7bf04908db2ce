/// A 32-bit number as eight hexadecimal digits, as Wireshark prints an SSRC.
struct Hex8: CustomStringConvertible {
  let value: UInt32
  init(_ value: UInt32) { self.value = value }
  var description: String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
