import RigLoop
import RigModel

/// `usb-bench soak N`: N whole sessions over the emulated bus, each over a channel of its own. Prints what the driver's
/// process holds after each fifth of them, and by how much that grew since the first fifth.
enum SoakRole {
  static func run(_ loop: EpollLoop, _ bus: MockBus, _ words: [String]) throws -> Int32 {
    guard let count = words.first.flatMap({ Int($0) }), 10...1_000_000 ~= count else {
      Say.line("usage: usb-bench soak N, with N of at least 10")
      return 2
    }
    let isWell = try loop.run {
      let bench = Bench(loop, bus)
      var isWell = false
      do {
        let camera = try EmulatedCamera(bench)
        try await camera.plug()
        let driver = try bench.driver()
        _ = try await driver.ask("limit quiet 1")
        let began = loop.now
        let end = try await bench.sessions(driver, count) { bench.say($0) }.last ?? ""
        let numbers = end.split(separator: ",").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        bench.say("grew since the first fifth: \(end); \(count) sessions in \((loop.now - began).text)")
        // A thread that has just ended may still be counted, and the allocator keeps some pages.
        isWell = numbers.count == 3 && numbers[0] <= 1 && numbers[1] <= 2 && numbers[2] <= 512
        camera.end()
      } catch { bench.say("error: \(error)") }
      await bench.end()
      return isWell
    }
    return isWell ? 0 : 1
  }
}
