import RigModel
import RigPlan

enum SchemaCommand: Command {
  static let name = "schema"
  static let summary = "Print the JSON Schema of plans or of rig files, for editors."
  static let usage = "[--fragment | --rig]"
  static let options = [
    Option.flag("--fragment", "of the files that plans extend, instead of plans"),
    Option.flag("--rig", "of rig files"),
  ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let vocabulary = Catalogs.vocabulary
    let schema =
      arguments.has("--rig")
      ? RigSchema.json(vocabulary) : PlanSchema.json(vocabulary, fragment: arguments.has("--fragment"))
    Output.print(schema.text)
    return 0
  }
}
