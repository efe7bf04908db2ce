import Glibc
import RigFuzz

/// `RigFuzzer list` prints each target with its longest input; `RigFuzzer TARGET ARGUMENTS…` hands over to libFuzzer.
///
/// libFuzzer's own `main` cannot be used: the build names this program's entry point itself.
@main
enum Fuzzer {
  static func main() {
    let name = CommandLine.arguments.dropFirst().first ?? ""
    if name == "list" {
      for target in FuzzTargets.all { print(target.name, target.maximumLength) }
      return
    }
    guard FuzzTargets.named(name) != nil else {
      complain("the first argument must be list or one of: \(FuzzTargets.all.map(\.name).joined(separator: " "))")
      exit(2)
    }
    var arguments = CommandLine.unsafeArgv
    var count = CommandLine.argc - 1
    // Without the target's name, behind the program's.
    arguments[1] = arguments[0]
    arguments += 1
    exit(runDriver(&count, &arguments, testOneInput))
  }
}

/// Chosen once; libFuzzer's callback takes no context.
private let target: FuzzTarget? = FuzzTargets.named(CommandLine.arguments.dropFirst().first ?? "")

private func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target?.check(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    complain("VIOLATION: \(error)")
    abort()
  }
  return 0
}

private func complain(_ text: String) {
  let line = Array("\(text)\n".utf8)
  _ = write(2, line, line.count)
}

/// libFuzzer's entry point (FuzzerInterface.h); the runtime has no module. Integers and pointers only: both calling
/// conventions pass them alike.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
