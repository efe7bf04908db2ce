import CAV
import RigModel

/// A stream as the session description announces it; what it leaves open is `nil`.
struct StreamDescription {
  let json: JSONValue

  init(_ stream: AVStream, _ parameters: AVCodecParameters) {
    let type =
      switch parameters.codec_type {
      case AVMEDIA_TYPE_VIDEO: "video"
      case AVMEDIA_TYPE_AUDIO: "audio"
      case AVMEDIA_TYPE_SUBTITLE: "subtitle"
      default: "data"
      }
    func positive(_ number: Int32) -> JSONValue? { number > 0 ? .integer(Int64(number)) : nil }
    json = [
      "index": .integer(Int64(stream.index)), "type": .string(type),
      "codec": .string(StreamDecoder.name(of: parameters.codec_id)),
      "width": positive(parameters.width), "height": positive(parameters.height),
      "sample-rate": positive(parameters.sample_rate), "channels": positive(parameters.ch_layout.nb_channels),
      "time-base": .string("\(stream.time_base.num)/\(stream.time_base.den)"),
      "fps": stream.avg_frame_rate.quotient.map(JSONValue.number),
    ]
  }
}
