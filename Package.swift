// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A Swift module of one layer; the list of imports is its whole freedom (`ci/check` compares).
func module(_ name: String, _ imports: [String] = [], extra: [SwiftSetting] = []) -> Target {
  .target(name: name, dependencies: imports.map { .init(stringLiteral: $0) }, swiftSettings: strict + extra)
}

func tests(_ name: String, _ imports: [String], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name, dependencies: imports.map { .init(stringLiteral: $0) }, resources: resources, swiftSettings: strict)
}

let package = Package(
  name: "streamrig",
  targets: [
    module("RigModel"),
    tests("RigModelTests", ["RigModel"]),
  ],
  swiftLanguageModes: [.v6]
)
