import RigModel
import RigPlan

enum SchemaCommand: Command {
  static let name = "schema"
  static let summary = "Print the JSON Schema of plans, for editors."
  static let usage = ""
  static let options: [Option] = []

  static func run(_ arguments: Arguments) throws -> Int32 {
    Output.print(PlanSchema.json(Catalogs.vocabulary).text)
    return 0
  }
}
