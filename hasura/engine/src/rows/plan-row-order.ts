import { HasuraError } from '../hasura-error.ts'
import { relatedRow } from '../plan/plan-order.ts'
import { type PlanScope, relatedTable } from '../plan/plan-scope.ts'
import { readableColumn } from '../plan/readable.ts'
import type { OrderTermPlan, OrderValue } from '../plan/tree.ts'
import type { SelectAccess } from '../schema/table-access.ts'
import type { ColumnModel, TableModel } from '../schema/source-model.ts'
import type { RowOrder } from './row-command.ts'
import { kindOf, relatedAccess, requireColumn } from './row-scope.ts'

/** An item of a command's `order_by`. As in Postgres, `asc` puts nulls last and `desc` first. Throws HasuraError. */
export function planRowOrder(
  { column: names, direction, nulls }: RowOrder,
  table: TableModel,
  select: SelectAccess,
  scope: PlanScope,
): OrderTermPlan {
  const { column, value } = orderValue(names, table, select, scope)
  return {
    value,
    direction: direction === 'asc' ? 'ASC' : 'DESC',
    nulls: (nulls ?? (direction === 'asc' ? 'last' : 'first')) === 'first' ? 'FIRST' : 'LAST',
    path: names,
    type: column.type,
    nullable: true,
  }
}

function orderValue(
  [name = '', ...further]: readonly string[],
  table: TableModel,
  select: SelectAccess,
  scope: PlanScope,
): { readonly column: ColumnModel; readonly value: OrderValue } {
  const column = table.columnsByName.get(name)
  const relationship = table.relationships.get(name)
  if (kindOf(name, table) === 'computed field')
    throw refusal(`"${name}" is a computed field and can't be used in 'order_by'`)
  if (further.length === 0) {
    if (relationship !== undefined) throw refusal(`"${name}" is a relationship and should be expanded`)
    if (column === undefined) throw new HasuraError('not-exists', `"${name}" does not exist`)
    requireColumn('select', name, select.columns, scope)
    return { column, value: { kind: 'operand', operand: readableColumn(column, table, scope) } }
  }
  if (column !== undefined) throw refusal(`"${name}" is a Postgres column and cannot be chained further`)
  if (relationship === undefined) throw new HasuraError('not-exists', `"${name}" does not exist`)
  if (relationship.kind === 'array')
    throw refusal(`"${name}" is an array relationship and can't be used in 'order_by'`)
  const target = relatedTable(scope, relationship.target)
  const access = relatedAccess(name, target, scope)
  const inner = orderValue(further, target, access, scope)
  const row = relatedRow(relationship, target, access.filter)
  return { column: inner.column, value: { ...row, value: inner.value } }
}

const refusal = (message: string): HasuraError => new HasuraError('unexpected-payload', message)
