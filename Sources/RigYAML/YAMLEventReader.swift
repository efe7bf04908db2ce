internal import CYAML

/// One event of libyaml, copied out of C.
struct YAMLEvent {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case scalar(text: String, quoted: Bool)
    case alias
    case sequenceStart, sequenceEnd, mappingStart, mappingEnd
  }
  var kind: Kind
  /// Where the event begins, 1-based, in lines and code points.
  var line: Int
  var column: Int
  var hasAnchor = false
  var hasTag = false
}

/// What libyaml says of text that is not YAML.
struct YAMLSyntaxError: Error {
  var line: Int
  var column: Int
  var problem: String
  /// `while parsing a flow sequence`, with the place where that began.
  var context: (text: String, line: Int, column: Int)?
}

/// Pulls events out of libyaml. The parser and its input stand at fixed addresses, because C keeps pointers to both.
struct YAMLEventReader: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>

  /// `nil`: no memory.
  init?(_ bytes: [UInt8]) {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    _ = input.initialize(from: bytes)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
    self.parser = parser
    self.input = input
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// After an error, or the end of the stream, not to be called again.
  func next() throws(YAMLSyntaxError) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    let mark = event.start_mark
    var copy = YAMLEvent(kind: .streamEnd, line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    switch event.type {
    case YAML_STREAM_START_EVENT: copy.kind = .streamStart
    case YAML_DOCUMENT_START_EVENT: copy.kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: copy.kind = .documentEnd
    case YAML_ALIAS_EVENT: copy.kind = .alias
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      copy.kind = .scalar(text: String(decoding: bytes, as: UTF8.self), quoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
      copy.hasAnchor = scalar.anchor != nil
      copy.hasTag = scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT:
      copy.kind = .sequenceStart
      copy.hasAnchor = event.data.sequence_start.anchor != nil
      copy.hasTag = event.data.sequence_start.tag != nil
    case YAML_SEQUENCE_END_EVENT: copy.kind = .sequenceEnd
    case YAML_MAPPING_START_EVENT:
      copy.kind = .mappingStart
      copy.hasAnchor = event.data.mapping_start.anchor != nil
      copy.hasTag = event.data.mapping_start.tag != nil
    case YAML_MAPPING_END_EVENT: copy.kind = .mappingEnd
    default: copy.kind = .streamEnd
    }
    return copy
  }

  private func syntaxError() -> YAMLSyntaxError {
    let state = parser.pointee
    let problem = state.problem.map { String(cString: $0) } ?? "no memory"
    if state.error == YAML_READER_ERROR {
      // The reader knows no lines, only the byte at which it stopped.
      let (line, column) = place(ofByte: Int(clamping: state.problem_offset))
      return YAMLSyntaxError(line: line, column: column, problem: problem)
    }
    var error = YAMLSyntaxError(
      line: Int(clamping: state.problem_mark.line) + 1, column: Int(clamping: state.problem_mark.column) + 1,
      problem: problem)
    if let context = state.context {
      error.context = (
        String(cString: context), Int(clamping: state.context_mark.line) + 1,
        Int(clamping: state.context_mark.column) + 1
      )
    }
    return error
  }

  private func place(ofByte offset: Int) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for byte in input.prefix(max(0, offset)) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return (line, column)
  }
}
