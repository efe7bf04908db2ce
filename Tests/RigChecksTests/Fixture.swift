import Foundation
import Testing

enum Fixture {
  static func bytes(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: "pcap"))
    return Array(try Data(contentsOf: url))
  }
}
