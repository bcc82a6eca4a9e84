import { HasuraError, within } from '../hasura-error.ts'
import { maxSelectedFields } from '../plan/collect-fields.ts'
import { type PlanScope, relatedTable } from '../plan/plan-scope.ts'
import { tableSource, largestInlinedLimit } from '../plan/plan-rows.ts'
import type { RowCount, RowField, RowsPlan, SelectPlan } from '../plan/tree.ts'
import { type Predicate, allOf, always } from '../schema/predicate.ts'
import type { SelectAccess } from '../schema/table-access.ts'
import type { ColumnPair, RelationshipModel, TableModel } from '../schema/source-model.ts'
import type { RowCommand, RowOrder, RowQuery, SelectedColumn } from './row-command.ts'
import { rowFilter } from './row-filter.ts'
import { planRowOrder } from './plan-row-order.ts'
import { relatedAccess, requireAccess, requireTable, selectedColumn } from './row-scope.ts'

/** The scope of planning a query: tables, the role's access to them, and the remaining number of fields. */
interface QueryScope extends PlanScope {
  readonly budget: { fields: number }
}

/** Plans `select`: rows as a JSON array. Throws HasuraError. */
export function planRowSelect(
  { table: name, query }: Extract<RowCommand, { kind: 'select' }>,
  planScope: PlanScope,
): SelectPlan {
  const table = within('.table', () => requireTable(name, planScope))
  const select = requireAccess('select', table, planScope)
  const scope = { ...planScope, budget: { fields: maxSelectedFields } }
  return { kind: 'rows', ...planQuery(query, table, select, [], scope) }
}

/** Plans `count`: the number of rows, or of distinct values of some columns. Throws HasuraError. */
export function planRowCount(
  { table: name, distinct, where }: Extract<RowCommand, { kind: 'count' }>,
  scope: PlanScope,
): SelectPlan {
  const table = requireTable(name, scope)
  const why = '; "count" is only allowed if the role has "select" permissions on the table'
  const select = requireAccess('select', table, scope, why)
  const distinctOn = within('.distinct', () =>
    distinct.map((column, index) =>
      within(
        `[${index}]`,
        () =>
          selectedColumn(column, table, select, scope, `Relationships can't be used in "distinct".`).operand,
      ),
    ),
  )
  const filter = allOf([select.filter, within('.where', () => rowFilter(where, table, scope))])
  const rows = { ...allRows(table), filter, distinctOn }
  return { kind: 'aggregate', rows, fields: [{ key: 'count', kind: 'count' }], nodeLimit: undefined }
}

const allRows = (table: TableModel): RowsPlan => ({
  from: tableSource(table),
  join: [],
  filter: always,
  distinctOn: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
})

function planQuery(
  query: RowQuery,
  table: TableModel,
  select: SelectAccess,
  join: readonly ColumnPair[],
  scope: QueryScope,
): { readonly rows: RowsPlan; readonly fields: readonly RowField[] } {
  const where = within('.where', () => planWhere(query, table, scope))
  const fields = within('.columns', () => planColumns(query.columns, table, select, scope))
  const orderBy = within('.order_by', () => planOrders(query.orderBy ?? [], table, select, scope))
  const requested = within('.limit', () => notNegative(query.limit))
  const offset = within('.offset', () => notNegative(query.offset))
  const limit = smaller(requested, select.limit)
  const filter = allOf([select.filter, where])
  return {
    fields,
    rows: { ...allRows(table), join, filter, orderBy, limit: rowCount(limit), offset: rowCount(offset) },
  }
}

const planWhere = ({ where }: RowQuery, table: TableModel, scope: PlanScope): Predicate =>
  where === undefined ? always : rowFilter(where, table, scope)

const planOrders = (
  orders: readonly RowOrder[],
  table: TableModel,
  select: SelectAccess,
  scope: PlanScope,
): RowsPlan['orderBy'] =>
  orders.map((order, index) => within(`[${index}]`, () => planRowOrder(order, table, select, scope)))

function notNegative(count: number | undefined): number | undefined {
  if (count !== undefined && count < 0) throw new HasuraError('not-supported', 'unexpected negative value')
  return count
}

const smaller = (requested: number | undefined, allowed: number | undefined): number | undefined =>
  requested === undefined || allowed === undefined ? (requested ?? allowed) : Math.min(requested, allowed)

function rowCount(value: number | undefined): RowCount | undefined {
  if (value === undefined) return undefined
  return value <= largestInlinedLimit
    ? { kind: 'constant', value }
    : { kind: 'parameter', source: { kind: 'literal', text: String(value) } }
}

/** Named columns come first, then those that a wildcard adds. */
function planColumns(
  columns: readonly SelectedColumn[],
  table: TableModel,
  select: SelectAccess,
  scope: QueryScope,
): readonly RowField[] {
  const depths = columns.flatMap((column) => (column.kind === 'wildcard' ? [column.depth] : []))
  const named = columns.flatMap((column) => (column.kind === 'wildcard' ? [] : [column]))
  const mentioned = new Set(named.map(({ name }) => name))
  const rest =
    depths.length === 0
      ? []
      : expandWildcard(Math.max(...depths), table, select, scope).filter(({ name }) => !mentioned.has(name))
  // Each key occurs once in an answer.
  const fields = new Map<string, RowField>()
  for (const [index, column] of [...named, ...rest].entries())
    within(`[${index}]`, () => {
      const field = planColumn(column, table, select, scope)
      fields.set(field.key, field)
    })
  scope.budget.fields -= fields.size
  if (scope.budget.fields < 0)
    throw new HasuraError('bad-request', `the query selects more than ${maxSelectedFields} fields`)
  return [...fields.values()]
}

type NamedColumn = Exclude<SelectedColumn, { kind: 'wildcard' }>

/** All columns that the role may read; for each `.*` also the relationships to tables that it may read. */
function expandWildcard(
  depth: number,
  table: TableModel,
  select: SelectAccess,
  { access, source }: PlanScope,
): readonly NamedColumn[] {
  const columns = [...table.columnsByName.keys()]
    .filter((name) => select.columns.has(name))
    .map((name) => ({ kind: 'column' as const, name }))
  if (depth === 0) return columns
  const relationships = [...table.relationships.values()].filter(({ target }) => {
    const other = source.tables.get(target)
    return other !== undefined && access.table(other).select !== undefined
  })
  const query: RowQuery = {
    columns: [{ kind: 'wildcard', depth: depth - 1 }],
    where: undefined,
    orderBy: undefined,
    limit: undefined,
    offset: undefined,
  }
  return [
    ...columns,
    ...relationships.map(({ name }) => ({ kind: 'relationship' as const, name, alias: undefined, query })),
  ]
}

function planColumn(
  column: NamedColumn,
  table: TableModel,
  select: SelectAccess,
  scope: QueryScope,
): RowField {
  const { name } = column
  if (column.kind === 'column') {
    const use = 'relationships have to be expanded'
    const { column: model, operand } = selectedColumn(name, table, select, scope, use)
    return { key: name, value: { kind: 'operand', operand, type: model.type, jsonPath: undefined } }
  }
  const relationship = within('.name', () => relationshipNamed(name, table))
  const target = relatedTable(scope, relationship.target)
  const { query, alias } = column
  const { mapping, kind } = relationship
  const planned = planQuery(query, target, relatedAccess(name, target, scope), mapping, scope)
  if (kind === 'object' && isCut(query))
    throw new HasuraError(
      'unexpected-payload',
      "when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset'  can't be used",
    )
  const selected: SelectPlan =
    kind === 'array'
      ? { kind: 'rows', ...planned }
      : // An object relationship is one row by its definition: a permission's limit has nothing to cut.
        { kind: 'row', ...planned, rows: { ...planned.rows, limit: undefined } }
  return { key: alias ?? name, value: { kind: 'select', select: selected } }
}

const isCut = ({ where, orderBy, limit, offset }: RowQuery): boolean =>
  [where, orderBy, limit, offset].some((part) => part !== undefined)

function relationshipNamed(name: string, table: TableModel): RelationshipModel {
  const found = table.relationships.get(name)
  if (found !== undefined) return found
  throw table.columnsByName.has(name) || table.computedFields.has(name)
    ? new HasuraError(
        'unexpected-payload',
        `expecting a relationship; but, "${name}" is a postgres column; only relationships can be expanded`,
      )
    : new HasuraError('not-exists', `relationship "${name}" does not exist`)
}
