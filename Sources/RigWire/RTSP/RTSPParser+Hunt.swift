import RigBytes

extension RTSPParser {
  /// Looks for a place where an item surely begins.
  mutating func stepHunting(_ start: Hunt) -> Step {
    var hunt = start
    while hunt.position < end {
      let position = hunt.position
      if let frame = hunt.frame, position >= frame.end {
        if !frame.wasDelivered { return abandon(frame, hunt) }
        hunt.frame = nil
        // The boundary itself was tried already.
        hunt.position = max(position, hunt.garbageStart + 1)
        continue
      }
      if hunt.frame == nil, position - hunt.garbageStart >= Self.garbagePiece {
        let item = garbage(hunt.garbageStart, position)
        hunt.garbageStart = position
        mode = .hunting(hunt)
        return .item(item)
      }
      switch isSureStart(position) {
      case .unknown:
        mode = .hunting(hunt)
        return .needMore
      case .yes: return takeUp(at: position, hunt)
      case .no: hunt.position = position + 1
      }
    }
    guard isFinished else {
      mode = .hunting(hunt)
      return .needMore
    }
    if let frame = hunt.frame, !frame.wasDelivered { return abandon(frame, hunt) }
    mode = .boundary
    cursor = end
    return hunt.garbageStart < end ? .item(garbage(hunt.garbageStart, end)) : .again
  }

  /// No other item stands in a frame that the end of the stream cut off.
  private mutating func abandon(_ frame: Frame, _ hunt: Hunt) -> Step {
    mode = .boundary
    cursor = frame.end
    return .item(.damagedFrame(damage(frame, found: frame.end - frame.start - 4, .endOfStream)))
  }

  private mutating func takeUp(at position: Int, _ hunt: Hunt) -> Step {
    mode = .boundary
    cursor = position
    if let frame = hunt.frame {
      return .item(.damagedFrame(damage(frame, found: position - frame.start - 4, .short)))
    }
    return hunt.garbageStart < position ? .item(garbage(hunt.garbageStart, position)) : .again
  }

  private func garbage(_ from: Int, _ to: Int) -> Item {
    .garbage(offset: Int64(from), count: to - from, first: [UInt8](slice(from..<min(to, from + 32))))
  }

  /// Stricter than at a boundary: `$`, known channel, a length, RTP version 2, and the channel's SSRC or a successor;
  /// or a whole start line.
  private mutating func isSureStart(_ position: Int) -> Likeness {
    let byte = at(position)
    if byte == 0x24 {
      guard end - position >= 5 else { return isFinished ? .no : .unknown }
      let channel = at(position + 1)
      let announced = Int(at(position + 2)) << 8 | Int(at(position + 3))
      guard hasSeenChannel ? channelSeen[Int(channel)] : channel < 32, announced >= 8, at(position + 4) >> 6 == 2
      else { return .no }
      if let known = channelSource[Int(channel)] {
        guard end - position >= 16 || isFinished else { return .unknown }
        if source(position, before: position + 4 + announced) == known { return .yes }
      }
      return isItemStart(position + 4 + announced)
    }
    // First letters of RTSP and of the methods.
    switch byte {
    case 0x41, 0x44, 0x47, 0x4F, 0x50, 0x52, 0x53, 0x54: break
    default: return .no
    }
    let likeness = isMessageStart(position, statusOnly: false)
    guard likeness == .yes else { return likeness }
    switch lineBreak(from: position) {
    case .none: return .unknown
    case .control: return .no
    case .lineFeed(let feed): return StartLine(parsing: slice(position..<feed)) == nil ? .no : .yes
    }
  }
}
