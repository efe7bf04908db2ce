import RigDevice
import RigLinks
import RigLoop

/// A link whose station is a radio of this machine.
protocol RadioLink: Link {
  /// Where a capture sees what a phone would see.
  var interface: String { get }
  /// The beginning of a case: on no hotspot, nothing impaired.
  func restart() async
  /// Gives the radio back.
  func close() async
  /// Runs `body` where the station is: sockets and processes that it makes belong there.
  nonisolated func inStation<R>(_ body: () throws -> R) throws -> R
}

extension WiFiLink: RadioLink {
  nonisolated func inStation<R>(_ body: () throws -> R) throws -> R { try station.run(body) }
}

extension ManagedLink: RadioLink {
  nonisolated func inStation<R>(_ body: () throws -> R) throws -> R { try body() }
}

extension RadioLink {
  /// Starts programs where the radio is.
  nonisolated func start(
    _ loop: EpollLoop
  ) -> @Sendable (_ program: String, _ arguments: [String], _ stderr: Int32?) throws -> ChildProcess {
    { program, arguments, stderr in
      try inStation { try ChildProcess(loop, program: program, arguments: arguments, stderr: stderr) }
    }
  }
}

extension RadioChoice {
  func take(_ loop: EpollLoop) async throws -> any RadioLink {
    if isManaged { return try await ManagedLink.open(loop, radio: name, key: key) }
    return try await WiFiLink.open(loop, radio: name, country: country, key: key)
  }
}
