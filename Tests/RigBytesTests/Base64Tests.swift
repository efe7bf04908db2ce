import RigBytes
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func roundTrip(plain: String, coded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == coded)
    #expect(Base64.decode(coded) == Array(plain.utf8))
  }

  @Test(arguments: ["Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zm9*"])
  func refuses(_ text: String) { #expect(Base64.decode(text) == nil) }

  @Test func allBytes() {
    let bytes = (0...255).map { UInt8($0) }
    for length in 0...256 { #expect(Base64.decode(Base64.encode(bytes.prefix(length))) == Array(bytes.prefix(length))) }
  }
}
