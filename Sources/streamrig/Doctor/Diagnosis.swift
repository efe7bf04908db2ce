import RigModel

/// One thing that the doctor looked at.
struct Diagnosis: Sendable {
  enum State: String, Sendable {
    case ok
    /// Something works less well, or not at all, that not every lab needs.
    case warning
    /// Runs on emulated devices are not possible.
    case problem
  }

  let name: String
  let state: State
  /// What was seen.
  let finding: String
  /// What a person can do about it; empty where all is well.
  let fix: String

  private init(_ name: String, _ state: State, _ finding: String, _ fix: String) {
    self.name = name
    self.state = state
    self.finding = finding
    self.fix = fix
  }

  static func ok(_ name: String, _ finding: String) -> Diagnosis { Diagnosis(name, .ok, finding, "") }
  static func warning(_ name: String, _ finding: String, fix: String) -> Diagnosis {
    Diagnosis(name, .warning, finding, fix)
  }
  static func problem(_ name: String, _ finding: String, fix: String) -> Diagnosis {
    Diagnosis(name, .problem, finding, fix)
  }

  var json: JSONValue {
    [
      "name": .string(name), "state": .string(state.rawValue), "finding": .string(finding),
      "fix": fix.isEmpty ? nil : .string(fix),
    ]
  }
}
