import RigModel
import RigBytes
import RigWire

/// Items of a stream that was pushed in pieces of `size` bytes, or whole.
func items(_ stream: [UInt8], pieces size: Int? = nil) -> [RTSPParser.Item] {
  var parser = RTSPParser()
  var items: [RTSPParser.Item] = []
  var rest = stream[...]
  while !rest.isEmpty {
    let piece = rest.prefix(size ?? rest.count)
    rest = rest.dropFirst(piece.count)
    parser.push(piece)
    while let item = parser.next() { items.append(item) }
  }
  parser.finish()
  while let item = parser.next() { items.append(item) }
  return items
}

/// Bytes of hexadecimal digits; blanks and bars are left out.
func hex(_ text: String) -> [UInt8] {
  ASCII.bytes(hex: text.filter { $0 != " " && $0 != "|" && $0 != "\n" }) ?? []
}

extension RTSPParser.Item {
  var message: RTSPMessage? { if case .message(let message, _, _) = self { message } else { nil } }
  var kinds: Set<RTSPDeviation.Kind> {
    if case .message(_, _, let deviations) = self { Set(deviations.map(\.kind)) } else { [] }
  }
  var frame: (channel: UInt8, payload: [UInt8])? {
    if case .interleaved(let channel, let payload, _) = self { (channel, payload) } else { nil }
  }
  var damage: RTSPParser.DamagedFrame? { if case .damagedFrame(let frame) = self { frame } else { nil } }
  var garbageCount: Int? { if case .garbage(_, let count, _) = self { count } else { nil } }
}

/// Flips, removes, inserts and repeats bytes.
func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
  var out = bytes
  for _ in 0..<Int.random(in: 1...6, using: &random) where !out.isEmpty {
    let place = Int.random(in: 0..<out.count, using: &random)
    let length = min(Int.random(in: 1...12, using: &random), out.count - place)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: out[place] = UInt8.random(in: 0...255, using: &random)
    case 1: out[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: out.removeSubrange(place..<(place + length))
    case 3: out.insert(contentsOf: out[place..<(place + length)], at: Int.random(in: 0...out.count, using: &random))
    case 4: out.insert(contentsOf: [0x24, 0, 0, UInt8.random(in: 0...40, using: &random)], at: place)
    default: out.insert([0x0A, 0x0D, 0x20, 0x3A, 0xFF].randomElement(using: &random) ?? 0, at: place)
    }
  }
  return out
}
