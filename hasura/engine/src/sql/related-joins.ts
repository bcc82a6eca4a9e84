import { isDeepStrictEqual } from 'node:util'
import type { OrderTermPlan, OrderValue, RowField, SelectPlan } from '../plan/tree.ts'
import type { Operand } from '../schema/predicate.ts'
import type { Expression, FromItem, OrderTerm, Projection, Select } from './ast.ts'
import { and, boolean, column, integer, select, where } from './build.ts'
import { longestName } from './longest-name.ts'
import { orderValue } from './order-value.ts'
import { filterExpression, joinConditions, operandExpression, rowScope } from './predicate-expression.ts'
import type { Translation } from './translation.ts'

type RelatedRow = Omit<Extract<OrderValue, { kind: 'related' }>, 'kind' | 'value'>

interface RelatedJoin {
  readonly row: RelatedRow
  /** The alias of the row that it is related to. */
  readonly parent: string
  readonly alias: string
}

/** A joined row whose columns the sorted rows carry, so that their selection needn't find it a second time. */
export interface CarriedRow {
  readonly row: RelatedRow
  readonly alias: string
  readonly columns: readonly string[]
}

/**
 * The related rows by whose values rows are sorted. Each is joined once, however many terms of the order, and whichever
 * part of the selection, read it.
 */
export class RelatedJoins {
  readonly #joins: RelatedJoin[] = []
  readonly #sorted: string
  readonly #translation: Translation

  constructor(sorted: string, translation: Translation) {
    this.#sorted = sorted
    this.#translation = translation
  }

  orderTerm = ({ value, direction, nulls }: OrderTermPlan): OrderTerm => ({
    value: this.#value(value, this.#sorted),
    direction,
    nulls,
  })

  #value(value: OrderValue, row: string): Expression {
    switch (value.kind) {
      case 'operand':
        return operandExpression(value.operand, rowScope(row), this.#translation)
      case 'related':
        return isNullWithoutRow(value.value)
          ? this.#value(value.value, this.#aliasOf(value, row))
          : orderValue(value, rowScope(row), this.#translation)
      case 'related-aggregate':
        return orderValue(value, rowScope(row), this.#translation)
      default:
        return value satisfies never
    }
  }

  #aliasOf(row: RelatedRow, parent: string): string {
    const known = this.#joins.find((join) => join.parent === parent && isSameRow(join.row, row))
    if (known !== undefined) return known.alias
    const alias = this.#translation.aliases.next()
    this.#joins.push({ row, parent, alias })
    return alias
  }

  /** The sorted rows with the related rows beside them. */
  from(rows: FromItem): FromItem {
    return this.#joins.reduce<FromItem>((left, join) => this.#joined(left, join), rows)
  }

  #joined(left: FromItem, { row: { table, join, filter, isUnique }, parent, alias }: RelatedJoin): FromItem {
    const right: FromItem = { kind: 'table', name: table, alias }
    const condition = and([
      ...joinConditions(join, parent, alias),
      filterExpression(filter, alias, this.#translation),
    ])
    if (isUnique) return { kind: 'left-join', left, right, on: condition }
    // Metadata may declare an object relationship wrongly, and a second row would repeat the sorted one.
    const first = select([], { star: alias, from: right, ...where(condition), limit: integer(1) })
    return { kind: 'left-join', left, right: { kind: 'derived', select: first, alias }, on: boolean(true) }
  }

  /** The related rows that the selection of the sorted rows reads as well. */
  carried(fields: readonly RowField[]): readonly CarriedRow[] {
    return this.#joins.flatMap(({ row, parent, alias }) => {
      if (parent !== this.#sorted || row.join.length === 0) return []
      const selections = fields.flatMap(({ value }) =>
        value.kind === 'select' && isSelectionOf(value.select, row) ? [columnsRead(value.select.fields)] : [],
      )
      const read = selections.every((each) => each !== undefined) ? selections.flat() : []
      if (read.length === 0) return []
      const columns = [...new Set([...row.join.map(({ remote }) => remote), ...read])]
      const fits = columns.every((name) => Buffer.byteLength(carriedName(alias, name)) <= longestName)
      return fits ? [{ row, alias, columns }] : []
    })
  }
}

/** Whether a value of a row that is not there is null, as its sub-select would be. A count of such a row is 0. */
function isNullWithoutRow(value: OrderValue): boolean {
  switch (value.kind) {
    case 'operand':
      return isOfColumn(value.operand)
    case 'related':
      return isNullWithoutRow(value.value)
    case 'related-aggregate':
      return false
    default:
      return value satisfies never
  }
}

const isOfColumn = (operand: Operand): boolean =>
  operand.kind === 'column' ||
  ((operand.kind === 'cast' || operand.kind === 'masked') && isOfColumn(operand.operand))

type RowsOf = Pick<RelatedRow, 'table' | 'join' | 'filter'>

const isSameRow = (one: RowsOf, other: RowsOf): boolean =>
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
