import type { CatalogType } from '../catalog/types.ts'
import { callArguments } from '../schema/computed-call.ts'
import { type AggregateFunction, aggregateFunctions } from '../schema/aggregate-function.ts'
import type { Predicate } from '../schema/predicate.ts'
import type {
  ColumnModel,
  ColumnPair,
  ComputedFieldModel,
  RelationshipModel,
  TableModel,
} from '../schema/source-model.ts'
import type { InputValue, ObjectValue } from './input-value.ts'
import { columnNamed } from './plan-filter.ts'
import { type PlanScope, relatedTable, visibleRows } from './plan-scope.ts'
import { itemsOf, objectOf } from './plan-value.ts'
import { readableColumn, readableComputedField } from './readable.ts'
import { RequestError } from './request-error.ts'
import type { OrderTermPlan, OrderValue, RowSource } from './tree.ts'

/** Plans an `order_by` argument as terms, in the client's order. */
export const planOrder = (
  input: InputValue | undefined,
  table: TableModel,
  scope: PlanScope,
): readonly OrderTermPlan[] =>
  itemsOf(input).flatMap((item) => (item.kind === 'null' ? [] : terms(objectOf(item), table, scope, root)))

/** The path to a value of a related row: how it is selected, and its names in `order_by`. */
interface Through {
  readonly wrap: (value: OrderValue) => OrderValue
  readonly path: readonly string[]
}

const root: Through = { wrap: (value) => value, path: [] }

const terms = (
  input: ObjectValue,
  table: TableModel,
  scope: PlanScope,
  through: Through,
): readonly OrderTermPlan[] =>
  [...input.fields].flatMap(([name, value]) => fieldTerms(name, value, table, scope, through))

function fieldTerms(
  name: string,
  value: InputValue,
  table: TableModel,
  scope: PlanScope,
  through: Through,
): readonly OrderTermPlan[] {
  // A null adds no order.
  if (value.kind === 'null') return []
  const column = table.columns.get(name)
  if (column !== undefined)
    return [
      term(
        through.wrap({ kind: 'operand', operand: readableColumn(column, table, scope) }),
        value,
        [...through.path, column.name],
        column.type,
        // The comparison with a cursor must handle the nulls of masked values, too.
        through.path.length > 0 || isNullable(column, table, scope),
      ),
    ]
  const relationship = table.relationships.get(name)
  if (relationship !== undefined) {
    const target = relatedTable(scope, relationship.target)
    const row = relatedRow(relationship, target, visibleRows(scope, target))
    return terms(objectOf(value), target, scope, {
      wrap: (inner) => through.wrap({ ...row, value: inner }),
      path: [...through.path, name],
    })
  }
  const computed = table.computedFields.get(name)
  if (computed?.returns.kind === 'scalar')
    return [
      term(
        through.wrap({
          kind: 'operand',
          operand: readableComputedField(computed, computedCall(computed), table, scope),
        }),
        value,
        [...through.path, name],
        computed.returns.type,
      ),
    ]
  return aggregateTerms(
    objectOf(value),
    aggregated(name, table, scope),
    { ...through, path: [...through.path, name] },
    scope,
  )
}

/** The row of an object relationship, without the value that is taken of it. */
export function relatedRow(
  { mapping: join }: RelationshipModel,
  { name, catalog: { primaryKey, uniqueConstraints } }: TableModel,
  filter: Predicate,
) {
  const keys = [...(primaryKey === undefined ? [] : [primaryKey]), ...uniqueConstraints]
  const isUnique = keys.some(({ columns }) =>
    columns.every((column) => join.some(({ remote }) => remote === column)),
  )
  return { kind: 'related' as const, table: name, join, isUnique, filter }
}

const isNullable = (column: ColumnModel, table: TableModel, scope: PlanScope): boolean =>
  column.nullable || readableColumn(column, table, scope).kind === 'masked'

interface AggregatedRows {
  readonly target: TableModel
  readonly from: RowSource
  readonly join: readonly ColumnPair[]
  readonly filter: Predicate
}

/** The rows of `articles_aggregate`: those of a relationship, or of a computed field. */
function aggregated(name: string, table: TableModel, scope: PlanScope): AggregatedRows {
  const stem = name.replace(/_aggregate$/, '')
  const relationship = table.relationships.get(stem)
  if (relationship !== undefined) {
    const target = relatedTable(scope, relationship.target)
    const from: RowSource = { kind: 'table', name: target.name }
    return { target, from, join: relationship.mapping, filter: visibleRows(scope, target) }
  }
  const computed = table.computedFields.get(stem)
  if (computed?.returns.kind !== 'table') throw new Error(`${table.typeName}_order_by has no field ${name}`)
  const target = relatedTable(scope, computed.returns.table)
  const from: RowSource = { kind: 'function', name: target.name, call: computedCall(computed) }
  return { target, from, join: [], filter: visibleRows(scope, target) }
}

const computedCall = (computed: ComputedFieldModel) => ({
  function: computed.function.name,
  arguments: callArguments(computed, new Map()),
})

const aggregateTerms = (
  input: ObjectValue,
  { target, from, join, filter }: AggregatedRows,
  through: Through,
  scope: PlanScope,
): readonly OrderTermPlan[] =>
  [...input.fields].flatMap(([name, value]): readonly OrderTermPlan[] => {
    if (value.kind === 'null') return []
    const rows = { kind: 'related-aggregate' as const, from, join, filter }
    const path = [...through.path, name]
    if (name === 'count')
      return [term(through.wrap({ ...rows, aggregate: { function: 'count' } }), value, path, builtin('int8'))]
    const { name: aggregateFunction, keepsType } = functionNamed(name)
    return [...objectOf(value).fields].flatMap(([column, direction]) => {
      if (direction.kind === 'null') return []
      const model = columnNamed(column, target)
      const aggregate = { function: aggregateFunction, operand: readableColumn(model, target, scope) }
      const type = keepsType ? model.type : builtin('numeric')
      return [term(through.wrap({ ...rows, aggregate }), direction, [...path, model.name], type)]
    })
  })

const builtin = (name: string): CatalogType => ({ category: 'base', schema: 'pg_catalog', name })

function functionNamed(name: string): AggregateFunction {
  const found = aggregateFunctions.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`There is no aggregate ${name}`)
  return found
}

/** `asc` puts nulls last and `desc` puts them first, as Postgres does by default. */
function term(
  value: OrderValue,
  input: InputValue,
  path: readonly string[],
  type: CatalogType,
  nullable = true,
): OrderTermPlan {
  const named = { value, path, type, nullable }
  const direction = input.kind === 'enum' ? input.value : undefined
  switch (direction) {
    case 'asc':
    case 'asc_nulls_last':
      return { ...named, direction: 'ASC', nulls: 'LAST' }
    case 'asc_nulls_first':
      return { ...named, direction: 'ASC', nulls: 'FIRST' }
    case 'desc':
    case 'desc_nulls_first':
      return { ...named, direction: 'DESC', nulls: 'FIRST' }
    case 'desc_nulls_last':
      return { ...named, direction: 'DESC', nulls: 'LAST' }
    default:
      throw new RequestError('expected an order', input.path)
  }
}
