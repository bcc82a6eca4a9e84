import type { SelectPlan, StreamPlan } from '../plan/tree.ts'
import type { Batch, Expression } from './ast.ts'
import { binary, builtinType, call, cast, column, integer, select, subquery } from './build.ts'
import { type JsonEntry, jsonArray, jsonObject, root } from './json-row.ts'
import { rowEntries, selectJson } from './select-expression.ts'
import { rowsFrom } from './rows-from.ts'
import type { Translation } from './translation.ts'

/** A root field of a live query. The fields of one namespace form an object. */
export interface LiveField {
  readonly key: string
  readonly namespace: string | undefined
  readonly select: SelectPlan
}

/** A live query's statement for a batch of subscribers: the whole `data` object of each. */
export function liveStatement(fields: readonly LiveField[], translation: Translation): Batch {
  const entry = (field: LiveField): JsonEntry => ({
    key: field.key,
    value: subquery(selectJson(field.select, undefined, translation)),
  })
  const entries = fields.flatMap((field): readonly JsonEntry[] => {
    const { namespace } = field
    if (namespace === undefined) return [entry(field)]
    const below = fields.filter((other) => other.namespace === namespace)
    return below[0] === field ? [{ key: namespace, value: jsonObject(below.map(entry)) }] : []
  })
  return { kind: 'batch', select: select([{ value: jsonObject(entries), alias: root }]) }
}

/**
 * A stream's statement for a batch of subscribers: the next rows, and the cursor after them as text; null without rows.
 * The rows are at `keys` of the answer.
 */
export function streamStatement(keys: readonly string[], plan: StreamPlan, translation: Translation): Batch {
  const alias = translation.aliases.next()
  const results = translation.aliases.next()
  const position = call('json_agg', cast(column(alias, plan.column), builtinType('text')))
  const aggregated = select(
    [
      { value: jsonArray(rowEntries(plan.fields, alias, translation)), alias: root },
      { value: binary(position, '->>', integer(-1)), alias: 'cursor' },
    ],
    rowsFrom(plan.rows, alias, undefined, translation).clauses,
  )
  const answer = keys.reduceRight<Expression>(
    (value, key) => jsonObject([{ key, value }]),
    column(results, root),
  )
  return {
    kind: 'batch',
    select: select([{ value: answer, alias: root }, { value: column(results, 'cursor') }], {
      from: { kind: 'derived', select: aggregated, alias: results },
    }),
  }
}
