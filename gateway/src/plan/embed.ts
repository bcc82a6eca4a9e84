import { type Row, newRow, take } from '../shape/shape.ts'
import type { HasuraField } from './hasura-document.ts'
import type { PlanScope } from './plan-scope.ts'

/** Asks for the fields of a row among those of another, and finds them there again. */
export function embed(
  scope: PlanScope,
  fields: readonly HasuraField[],
): { readonly fields: readonly HasuraField[]; readonly extract: (row: Row) => Row } {
  const moves = fields.map(({ alias }) => ({ from: scope.hiddenKey(), to: alias }))
  return {
    fields: fields.map((field, index) => ({ ...field, alias: moves[index]?.from ?? field.alias })),
    extract: (row) => {
      const embedded = newRow()
      for (const { from, to } of moves) embedded[to] = take(row, from)
      return embedded
    },
  }
}
