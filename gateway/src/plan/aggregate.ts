import type { Condition } from '../projection/condition.ts'
import type { Aggregate } from '../projection/types.ts'
import type { HasuraField } from './hasura-document.ts'

/** Asks for an aggregate over the rows of `name`, which is Hasura's `…_aggregate` field. */
export function aggregateField(
  alias: string,
  name: string,
  aggregate: Aggregate,
  where: Condition | undefined,
): HasuraField {
  const inner: HasuraField =
    aggregate.function === 'count'
      ? { alias: 'count', name: 'count' }
      : {
          alias: aggregate.function,
          name: aggregate.function,
          selection: [{ alias: 'value', name: aggregate.column }],
        }
  const selection = [{ alias: 'aggregate', name: 'aggregate', selection: [inner] }]
  return { alias, name, args: { where }, selection }
}

/** The aggregate's value in what Hasura answers for `aggregateField`. */
export function readAggregate(raw: unknown, aggregate: Aggregate): unknown {
  const answer = (raw as { aggregate: Record<string, unknown> | null }).aggregate
  if (aggregate.function === 'count') return answer?.['count']
  return (answer?.[aggregate.function] as { value: unknown } | null | undefined)?.value ?? aggregate.empty
}
