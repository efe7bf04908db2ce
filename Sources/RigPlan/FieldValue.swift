import RigModel

/// The value of a field once its kind is known.
enum FieldValue: Hashable, Sendable {
  /// The word `default` of `FieldKind.defaultOr`.
  case fallback
  case text(String)
  case integer(Int64)
  case flag(Bool)
  case duration(Duration)
  case bitRate(BitRate)
  case percent(Percent)
  case list([ReadValue])
  /// Mappings and objects, in the order of the file. A value that was refused is missing.
  case members([Member])
  case fault(FaultRequest, layer: String)
  case stop(Moment)
  case measure(MeasureLimit)
  case date(CalendarDate)

  struct Member: Hashable, Sendable {
    let key: String
    let value: ReadValue
  }
}

/// A value with its place in the file.
struct ReadValue: Hashable, Sendable {
  let value: FieldValue
  /// A scalar as it was written, made uniform: `2.0s` is `2 s`.
  let text: String
  let position: SourcePosition

  subscript(key: String) -> ReadValue? {
    guard case .members(let members) = value else { return nil }
    return members.first { $0.key == key }?.value
  }

  var items: [ReadValue] { if case .list(let items) = value { items } else { [] } }
  var members: [FieldValue.Member] { if case .members(let members) = value { members } else { [] } }
  var duration: Duration? { if case .duration(let duration) = value { duration } else { nil } }
  var flag: Bool? { if case .flag(let flag) = value { flag } else { nil } }
  var integer: Int64? { if case .integer(let integer) = value { integer } else { nil } }
  var bitRate: BitRate? { if case .bitRate(let rate) = value { rate } else { nil } }
  var date: CalendarDate? { if case .date(let date) = value { date } else { nil } }
  var word: String? { if case .text(let text) = value { text } else { nil } }
}
