import CMockUSB
import Glibc
import RigLoop

/// The bench of the USB tests: an emulated bus with emulated devices, and, in a process of its own that knows nothing of
/// that, the driver.
///
/// `usb-bench SCENARIO` plays one scenario and prints what was seen; the tests hold what must be seen. `usb-bench serve
/// -- COMMAND` runs any program with an emulated device on its USB.
@main
enum USBBench {
  /// Exit status where the bench cannot be had here.
  static let unavailable: Int32 = 77
  /// Seconds after which whatever was asked for is given up, by SIGALRM: many times what the longest of them takes.
  private static let patience: UInt32 = 240
  private static let preload = "libumockdev-preload.so.0"

  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    signal(SIGPIPE, SIG_IGN)
    do { exit(try run(words)) } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws -> Int32 {
    guard let first = words.first else {
      Say.line(
        "usage: usb-bench SCENARIO | faults [--deaf | --under-test] CELL… | soak N | serve [--emulator PROGRAM] -- COMMAND…"
      )
      for name in Scenario.all.map(\.name) { Say.line("  \(name)") }
      return 2
    }
    if first == "driver" { return try DriverRole.run(isOrdinary: words.contains("--ordinary")) }
    guard mock_usb_is_available() != 0 else {
      Say.line("this was built without libumockdev: install libumockdev-dev and umockdev, and build again")
      return unavailable
    }
    if let again = preloaded() { return again }
    // On a host with much else to do, a request in umockdev's preloaded library has been seen to wait for ever: the end
    // of this process ends that. A soak takes as long as it takes.
    if first != "soak" { alarm(USBBench.patience) }
    guard let bus = MockBus() else { return unavailable }
    defer { bus.close() }
    let loop = try EpollLoop()
    if first == "faults" { return try FaultsRole.run(loop, bus, Array(words.dropFirst())) }
    if first == "soak" { return try SoakRole.run(loop, bus, Array(words.dropFirst())) }
    if first == "serve" { return try ServeRole.run(loop, bus, Array(words.dropFirst())) }
    guard let scenario = Scenario.all.first(where: { $0.name == first }) else {
      Say.line("no scenario \(first)")
      return 2
    }
    let bench = Bench(loop, bus)
    try loop.run {
      do { try await scenario.play(bench) } catch { bench.say("error: \(error)") }
      await bench.end()
    }
    return 0
  }

  /// Starts this program again with the library that redirects /sys, /dev and ioctls, unless it runs with it.
  /// - Returns: an exit status; `nil`: go on.
  private static func preloaded() -> Int32? {
    if let present = getenv("LD_PRELOAD"), String(cString: present).contains("libumockdev-preload") { return nil }
    guard getenv("USB_BENCH_PRELOADS") == nil else { return unavailable }
    setenv("LD_PRELOAD", preload, 1)
    setenv("USB_BENCH_PRELOADS", "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
    return unavailable
  }
}

/// Lines on standard output, whole and at once.
enum Say {
  static func line(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }
}
