public import RigModel

/// One line of the journal: a `RunEvent` as JSON, exact enough to rebuild every report from it.
///
/// Times are whole nanoseconds on the run's monotonic clock. An integer beyond ±2^53 stands as a decimal string, since
/// JSON readers would round it. What a reader does not know (another `kind`, more members) it skips.
public enum JournalLine {
  /// Counts the changes of shape that an older reader would misread.
  public static let version: Int64 = 1

  /// What a line turned out to hold.
  public enum Reading: Sendable {
    case event(RunEvent)
    /// Well-formed, of a kind or with a word that this version does not know.
    case unknown(String)
    /// Cut short, or not what was written.
    case damaged(String)
  }

  /// The line, without a line end. It holds no raw control bytes.
  public static func encode(_ event: RunEvent, redactor: Redactor = Redactor()) -> String {
    JournalFields.value(redactor.redact(event)).text
  }

  /// Reads one line; white space around it is ignored.
  public static func decode(_ line: ArraySlice<UInt8>) -> Reading {
    let value: JSONValue
    do {
      // Device data may itself be 64 deep, and stands a few levels down.
      value = try JSONParser.parse(line, maximumDepth: 80)
    } catch {
      return .damaged(error.description)
    }
    do throws(JournalProblem) {
      return .event(try JournalFields(value).event())
    } catch {
      switch error {
      case .unknown(let what): return .unknown(what)
      case .missing(let what): return .damaged("no usable member \(what)")
      }
    }
  }

  public static func decode(_ line: String) -> Reading { decode(Array(line.utf8)[...]) }
}

enum JournalProblem: Error {
  case missing(String)
  case unknown(String)
}
