import { callArguments } from '../schema/computed-call.ts'
import type { Value } from '../schema/predicate.ts'
import type { ComputedFieldModel, FunctionArgumentModel } from '../schema/source-model.ts'
import type { ObjectValue } from './input-value.ts'
import { member, objectOf, valueOf } from './plan-value.ts'

export const computedCall = (computed: ComputedFieldModel, given: ObjectValue) => ({
  function: computed.function.name,
  arguments: callArguments(computed, givenArguments(computed.arguments, member(given, 'args'))),
})

/** The `args` of a function as values, by GraphQL name. */
export function givenArguments(
  known: readonly FunctionArgumentModel[],
  input: ReturnType<typeof member>,
): ReadonlyMap<string, Value> {
  if (input === undefined) return new Map()
  const { fields } = objectOf(input)
  return new Map(
    known.flatMap(({ graphqlName, type }): [string, Value][] => {
      const value = fields.get(graphqlName)
      return value === undefined ? [] : [[graphqlName, valueOf(value, type)]]
    }),
  )
}
