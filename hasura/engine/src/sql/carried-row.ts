import { isDeepStrictEqual } from 'node:util'
import type { OrderValue, RowField, SelectPlan } from '../plan/tree.ts'
import type { Operand } from '../schema/predicate.ts'
import type { Expression, Projection, Select } from './ast.ts'
import { and, column, select, where } from './build.ts'
import { longestName } from './longest-name.ts'

/** The row of an object relationship by which rows are sorted. */
export type RelatedRow = Omit<Extract<OrderValue, { kind: 'related' }>, 'kind' | 'value'>

/** A joined row whose columns the sorted rows carry, so that their selection needn't find it a second time. */
export interface CarriedRow {
  readonly row: RelatedRow
  readonly alias: string
  readonly columns: readonly string[]
}

/** The joined row, with the columns that the sorted rows' selection reads of it; none if it can't be read from them. */
export function carriedRows(
  row: RelatedRow,
  alias: string,
  fields: readonly RowField[],
): readonly CarriedRow[] {
  if (row.join.length === 0) return []
  const selections = fields.flatMap(({ value }) =>
    value.kind === 'select' && isSelectionOf(value.select, row) ? [columnsRead(value.select.fields)] : [],
  )
  const read = selections.every((each) => each !== undefined) ? selections.flat() : []
  if (read.length === 0) return []
  const columns = [...new Set([...row.join.map(({ remote }) => remote), ...read])]
  const fits = columns.every((name) => Buffer.byteLength(carriedName(alias, name)) <= longestName)
  return fits ? [{ row, alias, columns }] : []
}

type RowsOf = Pick<RelatedRow, 'table' | 'join' | 'filter'>

export const isSameRow = (one: RowsOf, other: RowsOf): boolean =>
  isDeepStrictEqual([one.table, one.join, one.filter], [other.table, other.join, other.filter])

type RowPlan = Extract<SelectPlan, { kind: 'row' }>

function isSelectionOf(plan: SelectPlan, row: RelatedRow): plan is RowPlan {
  if (plan.kind !== 'row' || plan.rows.from.kind !== 'table') return false
  const { from, join, filter } = plan.rows
  return isSameRow({ table: from.name, join, filter }, row)
}

/** The columns that a selection reads of its row; undefined if a function takes the row as a whole. */
function columnsRead(fields: readonly RowField[]): readonly string[] | undefined {
  const read: string[] = []
  for (const { value } of fields)
    switch (value.kind) {
      case 'text':
        break
      case 'node-id':
        read.push(...value.key)
        break
      case 'join-key':
        read.push(...value.columns.map(({ name }) => name))
        break
      case 'operand': {
        const name = columnOf(value.operand)
        if (name === undefined) return undefined
        read.push(name)
        break
      }
      case 'select':
        if (value.select.rows.from.kind === 'function') return undefined
        read.push(...value.select.rows.join.map(({ local }) => local))
        break
      default:
        value satisfies never
    }
  return read
}

const columnOf = (operand: Operand): string | undefined =>
  operand.kind === 'column' ? operand.name : operand.kind === 'cast' ? columnOf(operand.operand) : undefined

/** The colon keeps it apart from columns of the sorted table. */
const carriedName = (alias: string, name: string): string => `${alias}:${name}`

export const carriedColumns = (rows: readonly CarriedRow[]): readonly Projection[] =>
  rows.flatMap(({ alias, columns }) =>
    columns.map((name) => ({ value: column(alias, name), alias: carriedName(alias, name) })),
  )

/** `FROM` and `WHERE` of a carried row, out of the columns of the sorted row; no row if there is none. */
export function carriedFrom(
  { row, alias, columns }: CarriedRow,
  sorted: string,
): Pick<Select, 'from' | 'where'> {
  const values = columns.map((name) => ({ value: column(sorted, carriedName(alias, name)), alias: name }))
  const found = row.join.map(({ remote }): Expression => ({
    kind: 'is-null',
    operand: column(alias, remote),
    negated: true,
  }))
  return { from: { kind: 'derived', select: select(values), alias }, ...where(and(found)) }
}

/** A selection of a related row that its parent carries. */
export interface CarriedSelection {
  readonly row: CarriedRow
  readonly plan: RowPlan
}

/** The carried row that a field selects, if there is one. */
export function carriedFor(plan: SelectPlan, carried: readonly CarriedRow[]): CarriedSelection | undefined {
  for (const row of carried) if (isSelectionOf(plan, row.row)) return { row, plan }
  return undefined
}
