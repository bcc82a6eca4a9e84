import type { Catalog } from '../catalog/types.ts'
import { isAsynchronous } from '../metadata/action.ts'
import type { Action, CustomTypes } from '../metadata/types.ts'
import { type KnownTypes, baseType, knownTypes } from './known-types.ts'
import { type Checked, actionObject, checkEach } from './metadata-object.ts'

/** An action's argument and output types must be defined. The messages are Hasura's. */
export function checkActions(
  actions: readonly Action[] | undefined,
  types: CustomTypes | undefined,
  catalog: Catalog,
): Checked<Action> {
  const known = knownTypes(types, catalog)
  const seen = new Set<string>()
  return checkEach(
    actions,
    (action) => {
      if (seen.has(action.name)) return `multiple definitions of action "${action.name}"`
      seen.add(action.name)
      const problem = actionProblem(action, known) ?? relationshipProblem(action, types)
      return problem === undefined ? undefined : `in action "${action.name}"; ${problem}`
    },
    actionObject,
  )
}

function actionProblem({ definition }: Action, known: KnownTypes): string | undefined {
  for (const argument of definition.arguments ?? []) {
    const type = baseType(argument.type)
    if (!known.scalars(type) && !known.enums.has(type) && !known.inputs.has(type))
      return `the type: "${type}" is not defined in custom types or it is not a scalar/enum/input_object`
  }
  const output = definition.output_type
  if (output === undefined) return 'output_type is missing'
  const type = baseType(output)
  return known.objects.has(type) || known.scalars(type) || known.enums.has(type)
    ? undefined
    : `the type: "${type}" is not an object or scalar type defined in custom types`
}

/** A relationship must start from a scalar field of the answer, not from an object. */
function relationshipProblem(action: Action, types: CustomTypes | undefined): string | undefined {
  const output = baseType(action.definition.output_type ?? '')
  const object = types?.objects?.find(({ name }) => name === output)
  if (object === undefined || isAsynchronous(action)) return undefined
  const objects = new Set(types?.objects?.map(({ name }) => name))
  const nested = new Set(
    object.fields.filter(({ type }) => objects.has(baseType(type))).map(({ name }) => name),
  )
  const wrong = (object.relationships ?? []).filter(({ field_mapping }) =>
    Object.keys(field_mapping).some((field) => nested.has(field)),
  )
  return wrong.length === 0
    ? undefined
    : `Relationships cannot be defined with nested object fields: ${wrong.map(({ name }) => `"${name}"`).join(', ')}`
}
