// swift-tools-version: 6.2
import PackageDescription

/// `STREAMRIG_FUZZ=1`: everything is built with libFuzzer's instrumentation, and the fuzzer is a product (`ci/fuzz`).
let isFuzzing = Context.environment["STREAMRIG_FUZZ"] == "1"

let strict: [SwiftSetting] =
  [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
  ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"])] : [])

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
    .target(name: "CRigShims"),
    .target(name: "CStageLinkAgent"),
    .executableTarget(name: "agent-demo", dependencies: ["CStageLinkAgent"], path: "Tests/agent-demo"),
    .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
    .systemLibrary(name: "CUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(
      name: "CAV",
      linkerSettings: [.linkedLibrary("avformat"), .linkedLibrary("avcodec"), .linkedLibrary("avutil")]),

    module("RigBytes", extra: [.enableExperimentalFeature("Lifetimes")]),
    module("RigModel"),

    module("RigWire", ["RigBytes", "RigModel"]),
    module("RigPlan", ["RigModel"]),
    module("RigFlow", ["RigModel"]),
    module("RigChecks", ["RigBytes", "RigModel", "RigWire", "RigFlow"]),
    module("RigReport", ["RigModel"]),
    module("RigRandom", ["RigModel", "RigFlow", "RigChecks"]),

    module("RigLoop", ["CRigShims", "RigModel"]),
    module("RigDevice", ["RigModel", "RigWire", "RigFlow", "RigLoop", "CRigShims"]),

    module("RigYAML", ["RigModel", "RigPlan", "CYAML"]),
    module("RigCapture", ["RigModel", "RigWire", "RigLoop", "RigDevice", "CPcap"]),
    module("RigDrivers", ["RigModel", "RigWire", "RigLoop", "RigDevice", "CRigShims"]),
    module("RigUSB", ["RigModel", "RigLoop", "RigDevice", "CUSB"]),
    module("RigLinks", ["RigModel", "RigWire", "RigLoop", "RigDevice", "CRigShims"]),
    module("RigMedia", ["RigModel", "RigLoop", "RigDevice"]),
    module("StageLinkAgent"),
    module("RigEmulator", ["RigBytes", "RigModel", "RigWire", "RigFlow", "RigLoop", "RigDevice"]),

    module(
      "RigRunner",
      ["RigModel", "RigWire", "RigLoop", "RigPlan", "RigFlow", "RigDevice", "RigChecks", "RigReport"]),
    .executableTarget(
      name: "streamrig",
      dependencies: [
        "RigModel", "RigWire", "RigPlan", "RigFlow", "RigChecks", "RigReport", "RigLoop", "RigDevice", "RigYAML",
        "RigCapture", "RigDrivers", "RigUSB", "RigLinks", "RigMedia", "RigEmulator", "RigRunner", "RigRandom",
        "CRigShims",
      ],
      swiftSettings: strict),
    module("RigTestSupport", ["RigModel", "RigWire", "RigLoop", "RigDevice", "RigDrivers"]),
    .executableTarget(name: "streamrig-media", dependencies: ["RigModel", "CAV"], swiftSettings: strict),

    module(
      "RigFuzz",
      ["RigBytes", "RigModel", "RigWire", "RigPlan", "RigFlow", "RigChecks", "RigReport", "RigYAML", "RigEmulator"]),
    tests("FuzzReplayTests", ["RigFuzz"]),
    tests("RigBytesTests", ["RigBytes"]),
    tests("RigModelTests", ["RigModel"]),
    tests("RigWireTests", ["RigBytes", "RigModel", "RigWire"]),
    tests("RigPlanTests", ["RigModel", "RigPlan", "RigYAML"]),
    tests("RigFlowTests", ["RigModel", "RigFlow", "RigChecks"], resources: [.copy("Fixtures")]),
    tests(
      "RigChecksTests", ["RigBytes", "RigModel", "RigWire", "RigFlow", "RigChecks"], resources: [.copy("Fixtures")]),
    tests("RigRandomTests", ["RigModel", "RigFlow", "RigRandom", "RigPlan", "RigYAML", "RigChecks"]),
    tests("RigReportTests", ["RigReport", "RigModel"], resources: [.copy("Golden")]),
    tests("RigLoopTests", ["RigLoop", "RigModel"]),
    tests("RigDeviceTests", ["RigModel", "RigWire", "RigLoop", "RigDevice"]),
    tests("RigYAMLTests", ["RigModel", "RigPlan", "RigYAML"]),
    tests(
      "RigDriversTests",
      [
        "RigModel", "RigWire", "RigFlow", "RigLoop", "RigDevice", "RigDrivers", "RigEmulator", "RigTestSupport",
        "CRigShims",
      ]),
    tests(
      "StageLinkAgentTests",
      [
        "RigModel", "RigWire", "RigLoop", "RigDevice", "RigDrivers", "RigTestSupport", "StageLinkAgent",
        "CStageLinkAgent",
      ]),
    tests("RigMediaTests", ["RigModel"]),
    tests(
      "RigEmulatorTests",
      [
        "RigBytes", "RigModel", "RigWire", "RigFlow", "RigLoop", "RigDevice", "RigDrivers", "RigEmulator",
        "RigTestSupport",
      ]),
    tests(
      "RigRunnerTests",
      [
        "RigModel", "RigWire", "RigPlan", "RigFlow", "RigChecks", "RigReport", "RigLoop", "RigDevice", "RigDrivers",
        "RigEmulator", "RigRunner", "RigTestSupport",
      ]),
    tests("RigLinksTests", ["RigLinks", "RigModel", "RigWire", "RigLoop", "RigDevice", "RigTestSupport"]),
    tests("streamrigTests", ["CRigShims"]),

    .systemLibrary(
      name: "CUMockdev", path: "Tests/CUMockdev", pkgConfig: "umockdev-1.0", providers: [.apt(["libumockdev-dev"])]),
    .target(name: "CMockUSB", dependencies: ["CUMockdev"], path: "Tests/CMockUSB"),
    .executableTarget(
      name: "usb-bench",
      dependencies: [
        "CMockUSB", "RigModel", "RigWire", "RigFlow", "RigLoop", "RigDevice", "RigDrivers", "RigUSB", "RigLinks",
        "RigEmulator", "RigRunner", "RigTestSupport",
      ],
      path: "Tests/USBBench", swiftSettings: strict),
    tests("RigUSBTests", ["RigFlow", "RigModel", "RigTestSupport"]),
  ]
    + (isFuzzing
      ? [
        .executableTarget(
          name: "RigFuzzer", dependencies: ["RigFuzz"], swiftSettings: strict,
          linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])])
      ] : []),
  swiftLanguageModes: [.v6]
)
