import RigModel
import RigPlan

enum SchemaCommand: Command {
  static let name = "schema"
  static let summary = "Print the JSON Schema of plans, for editors."
  static let usage = "[--fragment]"
  static let options = [Option.flag("--fragment", "of the files that plans extend, instead of plans")]

  static func run(_ arguments: Arguments) throws -> Int32 {
    Output.print(PlanSchema.json(Catalogs.vocabulary, fragment: arguments.has("--fragment")).text)
    return 0
  }
}
