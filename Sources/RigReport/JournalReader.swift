/// Splits a journal into lines as it arrives in chunks, and reads each. Memory is bounded by one line.
///
/// A line that was cut by a kill, and then followed by a resumed run, spoils only itself if the writer begins with a
/// line end; empty lines are skipped.
public struct JournalReader {
  /// A longer line is damaged: no writer makes one.
  public static let longestLine = 64 << 20

  private var rest: [UInt8] = []
  private var overlong = false

  public init() {}

  /// Reads what is complete in the bytes so far; `each` gets one reading a line, in order.
  public mutating func read(_ chunk: ArraySlice<UInt8>, _ each: (JournalLine.Reading) -> Void) {
    var left = chunk
    while let end = left.firstIndex(of: 0x0A) {
      line(left[..<end], each)
      left = left[(end + 1)...]
    }
    keep(left)
  }

  /// The end of the file: a last line without a line end is read if it is whole, and counted as damaged if not.
  public mutating func finish(_ each: (JournalLine.Reading) -> Void) {
    line([], each)
  }

  private mutating func line(_ end: ArraySlice<UInt8>, _ each: (JournalLine.Reading) -> Void) {
    keep(end)
    defer {
      rest = []
      overlong = false
    }
    if overlong { return each(.damaged("a line longer than \(Self.longestLine) bytes")) }
    if rest.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    each(JournalLine.decode(rest[...]))
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    if overlong || rest.count + bytes.count > Self.longestLine {
      overlong = true
      rest = []
    } else {
      rest += bytes
    }
  }
}
