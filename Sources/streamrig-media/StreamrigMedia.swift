import CAV
import Glibc

/// The helper executable that alone is linked with libav: it probes one stream, makes test clips and checks them.
///
/// Standard output carries JSON lines only (`--help` and `--version` apart). Exit status: 0 the command did what was
/// asked, 1 the media or the machine failed it (the last lines say why), 2 wrong usage.
@main
enum StreamrigMedia {
  static let version = "0.1.0"

  static let usage = """
    usage: streamrig-media probe
           streamrig-media encode --out FILE [--width 640] [--height 360] [--fps 30] [--bitrate 1000000]
                                  [--gop 30] [--seconds 4] [--audio] [--seed 1] [--quality Q]
                                  [--inband-parameter-sets] [--scene moving]
           streamrig-media check FILE
           streamrig-media decode --codec h264|h265
           streamrig-media --version | --help

    probe    reads commands from standard input, one JSON object a line, and reports what arrives:
               {"cmd":"open","url":"rtsp://…","transport":"tcp"|"udp","timeout-ms":5000,"counter":true}
               {"cmd":"close"}      (the end of input and SIGTERM close as well)
             also in "open": "idle-timeout-ms" (default: timeout-ms; 0 = none), "connect-timeout-ms" (default:
             timeout-ms), "gap-ms" (default 2000), "counter-modulus" (frames of the clip, where the counter starts again)
    encode   makes a clip of a moving test picture with a frame counter in it; --bitrate in bit/s,
             --gop frames from key frame to key frame, --quality 0…41 takes the bits each picture needs
             (0 = best) instead of the bit rate; --scene still or black shows the same in every picture
    check    decodes a clip and prints the same summary as probe
    decode   decodes coded pictures from standard input, each behind its length (4 bytes) and time (8 bytes, ns)
    exit     0 done, 1 the media failed, 2 wrong usage

    """

  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  static func run(_ arguments: [String]) -> Int32 {
    cav_catch_stop_signals()
    do throws(UsageError) {
      guard let command = arguments.first else { throw UsageError("a command is missing") }
      let rest = Array(arguments.dropFirst())
      switch command {
      case "probe":
        guard rest.isEmpty else { throw UsageError("probe takes no arguments: its commands come on standard input") }
        return ProbeCommand().run()
      case "encode": return EncodeCommand(settings: try ClipSettings(arguments: rest)).run()
      case "check": return CheckCommand(path: try CheckCommand.path(in: rest)).run()
      case "decode": return DecodeCommand(codec: try DecodeCommand.codec(in: rest)).run()
      case "--help", "-h":
        FileDescriptorWriter(descriptor: 1).write(usage)
        return 0
      case "--version":
        FileDescriptorWriter(descriptor: 1).write("streamrig-media \(version) (\(String(cString: cav_version())))\n")
        return 0
      default: throw UsageError("unknown command \(command)")
      }
    } catch {
      FileDescriptorWriter(descriptor: 2).write("streamrig-media: \(error.problem)\n\(usage)")
      return 2
    }
  }
}

/// What is wrong with a command line.
struct UsageError: Error {
  let problem: String
  init(_ problem: String) { self.problem = problem }
}
