import { allOf, type Operand, isSameColumn } from '../schema/predicate.ts'
import type { ColumnPair, TableModel } from '../schema/source-model.ts'
import type { SelectAccess } from '../schema/table-access.ts'
import type { ObjectValue } from './input-value.ts'
import { planFilter, readableColumns } from './plan-filter.ts'
import { planOrder } from './plan-order.ts'
import { member, enumValues } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { PlanScope } from './plan-scope.ts'
import type { RowSource, RowsPlan, OrderTermPlan, RowCount } from './tree.ts'
import { withoutImplied } from './without-implied.ts'

/** The rows that a field selects. */
export interface RowsRequest {
  readonly from: RowSource
  /** The table, or a model with the same columns and permissions (a native query). */
  readonly table: TableModel
  /** The columns that join them to the row with the field; empty for a root field. */
  readonly join: readonly ColumnPair[]
  /** The field's arguments. */
  readonly given: ObjectValue
}

/** The rows of a table that the arguments select. */
export const tableRows = (
  table: TableModel,
  given: ObjectValue,
  join: readonly ColumnPair[] = [],
): RowsRequest => ({ from: tableSource(table), table, join, given })

export const tableSource = ({ name }: TableModel): RowSource => ({ kind: 'table', name })

/** Plans rows by the usual arguments, with the role's filter and limit. */
export function planRows(request: RowsRequest, scope: PlanScope): RowsPlan {
  const rows = planAllRows(request, scope)
  return { ...rows, limit: smallerLimit(rows.limit, selectAccess(request.table, scope).limit) }
}

/** Plans rows by the usual arguments, with the role's filter but without its limit. */
export function planAllRows({ from, table, join, given }: RowsRequest, scope: PlanScope): RowsPlan {
  const asked = planFilter(member(given, 'where'), table, scope)
  const filter = allOf([withoutImplied(selectAccess(table, scope).filter, asked), asked])
  const distinctOn = readableColumns(enumValues(member(given, 'distinct_on')), table, scope)
  const orderBy = planOrder(member(given, 'order_by'), table, scope)
  if (!startsWith(orderBy, distinctOn))
    throw new RequestError('"distinct_on" columns must match initial "order_by" columns', given.path)
  const limit = readCount(given, 'limit')
  return { from, join, filter, distinctOn, orderBy, limit, offset: readCount(given, 'offset') }
}

export function selectAccess(table: TableModel, { access }: PlanScope): SelectAccess {
  const select = access.table(table).select
  if (select === undefined)
    throw new Error(`${access.role} may not read ${table.key}, but its schema says so`)
  return select
}

/**
 * Postgres requires the columns of DISTINCT ON to be the first of the order, in any sequence. Hasura requires all of
 * them there, unless there is no order.
 */
function startsWith(orderBy: readonly OrderTermPlan[], distinctOn: readonly Operand[]): boolean {
  const first = orderBy.slice(0, distinctOn.length)
  return (
    orderBy.length === 0 ||
    (first.length === distinctOn.length &&
      first.every(({ value }) => value.kind === 'operand') &&
      distinctOn.every((operand) =>
        first.some(({ value }) => value.kind === 'operand' && isSameColumn(value.operand, operand)),
      ))
  )
}

/** Limits up to this are literals in the statement: then Postgres plans for few rows, not for a tenth of all. */
export const largestInlinedLimit = 1000

export function readCount(
  given: ObjectValue,
  name: 'limit' | 'offset' | 'first' | 'last',
): RowCount | undefined {
  const value = member(given, name)
  if (value?.kind !== 'leaf') return undefined
  if (name === 'offset') return { kind: 'parameter', source: value.source }
  if (typeof value.value === 'string')
    throw new RequestError('expected a 32-bit integer for type "Int", but found a string', value.path)
  if (typeof value.value === 'number' && value.value < 0)
    throw new RequestError('unexpected negative value', value.path, 'not-supported')
  return typeof value.value === 'number' && value.value <= largestInlinedLimit
    ? { kind: 'constant', value: value.value }
    : { kind: 'parameter', source: value.source }
}

export function smallerLimit(
  requested: RowCount | undefined,
  allowed: number | undefined,
): RowCount | undefined {
  if (allowed === undefined) return requested
  if (requested === undefined) return { kind: 'constant', value: allowed }
  if (requested.kind === 'constant') return { kind: 'constant', value: Math.min(requested.value, allowed) }
  return { kind: 'least', source: requested.source, allowed }
}
