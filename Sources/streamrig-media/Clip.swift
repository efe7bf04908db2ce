import RigModel

/// A test clip: H.264 and perhaps AAC, in whole GOPs, made to be sent in a loop. The frame counter in the picture
/// counts the frames of the clip from 0.
///
/// The file, read without libav by whoever sends it:
/// ```
/// streamrig-clip/1 LF
/// one line of JSON LF
///   {"video":{"codec":"h264","width","height","fps","gop","bitrate","actual-bitrate","quality"?,
///             "sps":base64,"pps":base64,"frames":N},
///    "audio":null or {"codec":"aac","rate":48000,"channels":1,"config":hex,"frames":M,"samples-per-frame":1024},
///    "units":N+M}
/// units in decode order, the tracks interleaved by time; each
///   u8    track      0 video, 1 audio
///   u8    flags      bit 0: key
///   u16   reserved   0
///   u32   size       of the bytes that follow the head, big-endian
///   u64   pts        video in 90 kHz, audio in samples, both from 0, big-endian
///   size bytes       video: one access unit, each NAL unit behind its length (4 bytes, big-endian), no start codes,
///                    parameter sets only where asked for; audio: one raw AAC frame without ADTS
/// ```
/// `fps` and `gop` are whole numbers, rates are bits per second. The clip lasts frames ÷ fps seconds, and just as
/// long in audio frames.
struct Clip {
  static let magic = "streamrig-clip/1\n"
  static let unitHead = 16

  let settings: ClipSettings
  let sequenceParameterSet: [UInt8]
  let pictureParameterSet: [UInt8]
  var video: [EncodedUnit]
  var audioConfig: [UInt8] = []
  var audio: [EncodedUnit] = []

  init(
    settings: ClipSettings, sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8], video: [EncodedUnit]
  ) {
    self.settings = settings
    self.sequenceParameterSet = sequenceParameterSet
    self.pictureParameterSet = pictureParameterSet
    self.video = video
  }

  /// Bits per second of the access units.
  var videoBitRate: Int {
    let bytes = video.reduce(0) { $0 + $1.bytes.count }
    return bytes * 8 * settings.framesPerSecond / max(1, video.count)
  }

  var header: JSONValue {
    let audioHeader: JSONValue =
      audio.isEmpty
      ? .null
      : [
        "codec": "aac", "rate": .count(ClipSettings.audioRate), "channels": 1, "config": .string(Hex.text(audioConfig)),
        "frames": .count(audio.count), "samples-per-frame": .count(ClipSettings.samplesPerAudioFrame),
      ]
    return [
      "video": [
        "codec": "h264", "width": .count(settings.width), "height": .count(settings.height),
        "fps": .count(settings.framesPerSecond), "gop": .count(settings.gop), "bitrate": .count(settings.bitRate),
        "actual-bitrate": .count(videoBitRate), "quality": settings.quality.map(JSONValue.count),
        "sps": .string(Base64.text(sequenceParameterSet)), "pps": .string(Base64.text(pictureParameterSet)),
        "frames": .count(video.count),
      ],
      "audio": audioHeader,
      "units": .count(video.count + audio.count),
    ]
  }

  var bytes: [UInt8] {
    var out = Array(Self.magic.utf8)
    out += Array((header.text + "\n").utf8)
    var nextAudio = audio[...]
    for unit in video {
      // An audio frame goes before the first picture that is later: samples / 48000 < ticks / 90000.
      while let sound = nextAudio.first,
        sound.pts * 90_000 < unit.pts * Int64(ClipSettings.audioRate)
      {
        Self.append(sound, track: 1, to: &out)
        nextAudio.removeFirst()
      }
      Self.append(unit, track: 0, to: &out)
    }
    for sound in nextAudio { Self.append(sound, track: 1, to: &out) }
    return out
  }

  private static func append(_ unit: EncodedUnit, track: UInt8, to out: inout [UInt8]) {
    out.append(track)
    out.append(unit.isKey ? 1 : 0)
    out.append(bigEndian: UInt16(0))
    out.append(bigEndian: UInt32(truncatingIfNeeded: unit.bytes.count))
    out.append(bigEndian: UInt64(bitPattern: unit.pts))
    out += unit.bytes
  }
}
