import type { ComputedFieldModel } from './source-model.ts'
import type { CallArgument, Value } from './predicate.ts'

/** All session variables as one JSON object. */
export const sessionObject: Value = {
  kind: 'parameter',
  source: { kind: 'session-object' },
  type: { schema: 'pg_catalog', name: 'json' },
}

/**
 * The arguments of a computed field's function, in the order of its signature: the row, the session, and the client's
 * values (by GraphQL name). After the first one left out, they are passed by name.
 */
export function callArguments(
  field: ComputedFieldModel,
  given: ReadonlyMap<string, Value>,
): readonly CallArgument[] {
  const values = field.function.arguments.map(({ name }, index): CallArgument['value'] | undefined => {
    if (index === field.tableIndex) return { kind: 'current-row' }
    if (name !== undefined && name === field.sessionArgument) return sessionObject
    const argument = field.arguments.find((candidate) => candidate.index === index)
    return argument === undefined ? undefined : given.get(argument.graphqlName)
  })
  const positional = values.includes(undefined) ? values.indexOf(undefined) : values.length
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    return [{ name: index < positional ? undefined : field.function.arguments[index]?.name, value }]
  })
}
