import RigModel

/// `encode`: makes a clip file and says on one line what it is.
struct EncodeCommand {
  let settings: ClipSettings

  func run() -> Int32 {
    let output = LineOutput()
    _ = LibavLog.install(writingTo: output)
    do {
      let clip = try ClipEncoder(settings: settings).encode()
      let bytes = clip.bytes
      try FileAccess.replace(settings.path, with: bytes)
      output.emit(
        "encoded",
        [
          ("path", .string(settings.path)), ("bytes", .count(bytes.count)),
          ("seconds", .number(settings.duration)), ("header", clip.header),
        ])
      return 0
    } catch let failure as AVFailure {
      return fail(output, failure.message)
    } catch let failure as FileFailure {
      return fail(output, failure.message)
    } catch {
      return fail(output, "\(error)")
    }
  }

  private func fail(_ output: LineOutput, _ message: String) -> Int32 {
    output.emit("failed", [("message", .string(message))])
    FileDescriptorWriter(descriptor: 2).write("streamrig-media: \(message)\n")
    return 1
  }
}
