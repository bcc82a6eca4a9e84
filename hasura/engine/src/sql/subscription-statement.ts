import type { SelectPlan, StreamPlan } from '../plan/tree.ts'
import type { Batch } from './ast.ts'
import { binary, builtinType, call, cast, column, integer, select, subquery } from './build.ts'
import { type JsonEntry, jsonArray, jsonObject } from './json-row.ts'
import { root, rowEntries, rowsFrom, selectJson } from './select-expression.ts'
import type { Translation } from './translation.ts'

/** A live query, for a batch of subscribers: the whole `data` object of each. */
export const liveStatement = (
  fields: readonly { readonly key: string; readonly select: SelectPlan }[],
  translation: Translation,
): Batch => {
  const entries = fields.map((field): JsonEntry => ({
    key: field.key,
    value: subquery(selectJson(field.select, undefined, translation)),
  }))
  return { kind: 'batch', select: select([{ value: jsonObject(entries), alias: root }]) }
}

/** The next rows of a stream, for a batch of subscribers, and as text where the cursor then stands; null without rows. */
export const streamStatement = (key: string, plan: StreamPlan, translation: Translation): Batch => {
  const alias = translation.aliases.next()
  const results = translation.aliases.next()
  const position = call('json_agg', cast(column(alias, plan.column), builtinType('text')))
  const aggregated = select(
    [
      { value: jsonArray(rowEntries(plan.fields, alias, translation)), alias: root },
      { value: binary(position, '->>', integer(-1)), alias: 'cursor' },
    ],
    rowsFrom(plan.rows, alias, undefined, translation),
  )
  return {
    kind: 'batch',
    select: select(
      [
        { value: jsonObject([{ key, value: column(results, root) }]), alias: root },
        { value: column(results, 'cursor') },
      ],
      { from: { kind: 'derived', select: aggregated, alias: results } },
    ),
  }
}
