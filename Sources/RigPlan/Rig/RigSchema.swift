public import RigModel

/// The JSON Schema (draft 2020-12) of rig files, made from the table that also validates them.
public enum RigSchema {
  public static func json(_ vocabulary: PlanVocabulary) -> JSONValue {
    let scope = PlanScope(vocabulary: vocabulary, flow: nil)
    let root: JSONValue = [
      "$schema": .string(PlanSchema.dialect),
      "title": "Streamrig rig",
      "description": "The devices of a bench, how each is reached, and how each is brought back.",
    ]
    return .object((root.members ?? []) + (PlanSchema.object(RigFields.rig, scope).members ?? []))
  }
}
