import Glibc
import RigFuzz

/// libFuzzer owns `main` and calls this with each input. `STREAMRIG_FUZZ_TARGET` names the target.
private let target: FuzzTarget = {
  let name = getenv("STREAMRIG_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTargets.named(name) else {
    complain("STREAMRIG_FUZZ_TARGET must be one of: \(FuzzTargets.all.map(\.name).joined(separator: " "))")
    exit(2)
  }
  return target
}()

private func complain(_ text: String) {
  let line = Array("\(text)\n".utf8)
  _ = write(2, line, line.count)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try target.check(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    complain("VIOLATION \(target.name): \(error)")
    abort()
  }
  return 0
}

/// `STREAMRIG_FUZZ_TARGET=list` prints each target with its longest input, for scripts.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?
) -> CInt {
  guard getenv("STREAMRIG_FUZZ_TARGET").map({ String(cString: $0) }) == "list" else { return 0 }
  for target in FuzzTargets.all { print(target.name, target.maximumLength) }
  exit(0)
}
