import type { GraphQLObjectType } from 'graphql'
import type { CatalogType } from '../catalog/types.ts'
import type { Operand } from '../schema/predicate.ts'
import type { TableModel } from '../schema/source-model.ts'
import { readArguments } from './arguments.ts'
import { type CollectedField, collectFields } from './collect-fields.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import { columnNamed, readableColumns } from './plan-filter.ts'
import { computedCall } from './function-call.ts'
import { planAllRows, type RowsRequest, selectAccess, smallerLimit } from './plan-rows.ts'
import { enumValues, member, flag } from './plan-value.ts'
import { readableColumn, readableComputedField } from './readable.ts'
import type { SelectScope } from './select-scope.ts'
import type { SelectPlan, AggregateField, AggregateValue } from './tree.ts'

/** Plans rows with their aggregates. A permission's limit applies only to the nodes. */
export function planAggregate(
  request: RowsRequest,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
): SelectPlan {
  const { table } = request
  const rows = planAllRows(request, scope)
  const fields = collectFields(selections, type, scope, `${path}.selectionSet`).map(
    (collected): AggregateField => {
      const { key, name } = collected
      if (name === '__typename') return { key, kind: 'text', text: type.name }
      const { field, meaning } = fieldOf(type, collected)
      const inner = objectTypeOf(field.type)
      return meaning.kind === 'nodes'
        ? {
            key,
            kind: 'nodes',
            fields: scope.planRowFields(inner, collected.selections, table, scope, collected.path),
          }
        : { key, kind: 'aggregate', values: aggregateValues(inner, collected, table, scope) }
    },
  )
  const { limit } = selectAccess(table, scope)
  return {
    kind: 'aggregate',
    rows,
    fields,
    nodeLimit: limit === undefined ? undefined : smallerLimit(rows.limit, limit),
  }
}

/** The column or computed field that is aggregated. */
function aggregatedValue(
  type: GraphQLObjectType,
  collected: CollectedField,
  table: TableModel,
  scope: SelectScope,
): { readonly operand: Operand; readonly type: CatalogType } {
  const { field, meaning } = fieldOf(type, collected)
  const given = readArguments(collected, field.args, scope)
  if (meaning.kind !== 'computed-scalar') {
    const column = columnNamed(collected.name, table)
    return { operand: readableColumn(column, table, scope), type: column.type }
  }
  const { field: computed } = meaning
  return {
    operand: readableComputedField(computed, computedCall(computed, given), table, scope),
    type: computed.returns.kind === 'scalar' ? computed.returns.type : computed.function.returns,
  }
}

const aggregateValues = (
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  table: TableModel,
  scope: SelectScope,
): readonly AggregateValue[] =>
  collectFields(selections, type, scope, `${path}.selectionSet`).map((collected): AggregateValue => {
    const { key, name } = collected
    if (name === '__typename') return { key, kind: 'text', text: type.name }
    const { field, meaning } = fieldOf(type, collected)
    if (meaning.kind === 'aggregate-function') {
      const inner = objectTypeOf(field.type)
      const columns = collectFields(collected.selections, inner, scope, `${collected.path}.selectionSet`)
      return {
        key,
        kind: 'function',
        function: meaning.function,
        values: columns.map((column) => {
          if (column.name === '__typename') return { key: column.key, kind: 'text', text: inner.name }
          return { key: column.key, kind: 'column', ...aggregatedValue(inner, column, table, scope) }
        }),
      }
    }
    const given = readArguments(collected, field.args, scope)
    return {
      key,
      kind: 'count',
      columns: readableColumns(enumValues(member(given, 'columns')), table, scope),
      distinct: flag(member(given, 'distinct')),
    }
  })
