import type { GraphQLObjectType } from 'graphql'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import type { TableModel } from '../schema/source-model.ts'
import { type CollectedField, collectFields } from './collect-fields.ts'
import { seekTerms } from './cursor.ts'
import type { ObjectValue } from './input-value.ts'
import { planAllRows, readCount, type RowsRequest, selectAccess, smallerLimit } from './plan-rows.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import { member } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { ConnectionField, ConnectionPlan, EdgeField, OrderTermPlan, PageField } from './tree.ts'

/** Plans a Relay connection: a page of rows in a total order, and whether rows lie before and after it. */
export function planConnection(
  request: RowsRequest,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
): ConnectionPlan {
  const { table, given } = request
  refuseBoth(given, 'first', 'last')
  refuseBoth(given, 'after', 'before')
  const rows = planAllRows(request, scope)
  const orderBy = [...rows.orderBy, ...missingKeyTerms(rows.orderBy, table)]
  const first = readCount(given, 'first')
  const last = readCount(given, 'last')
  const after = seekTerms(given, 'after', orderBy)
  const before = seekTerms(given, 'before', orderBy)
  const seek =
    after !== undefined
      ? { side: 'after' as const, terms: after }
      : before !== undefined
        ? { side: 'before' as const, terms: before }
        : undefined
  return {
    kind: 'connection',
    rows: { ...rows, orderBy },
    count: smallerLimit(first ?? last, selectAccess(table, scope).limit),
    from: last === undefined ? 'start' : 'end',
    seek,
    fields: collectFields(selections, type, scope, `${path}.selectionSet`).map((field) =>
      connectionField(type, field, table, scope),
    ),
  }
}

function refuseBoth(given: ObjectValue, one: string, other: string): void {
  if (member(given, one) !== undefined && member(given, other) !== undefined)
    throw new RequestError(`"${one}" and "${other}" are not allowed at once`, given.path)
}

/**
 * The key's columns that the order lacks. Without them, rows with equal values would have no fixed order and no cursor.
 */
function missingKeyTerms(orderBy: readonly OrderTermPlan[], table: TableModel): readonly OrderTermPlan[] {
  const sorted = new Set(
    orderBy.flatMap(({ value }) =>
      value.kind === 'operand' && value.operand.kind === 'column' ? [value.operand.name] : [],
    ),
  )
  return primaryKeyColumns(table)
    .filter(({ name }) => !sorted.has(name))
    .map(({ name, type }) => ({
      value: { kind: 'operand', operand: { kind: 'column', name } },
      direction: 'ASC',
      nulls: 'LAST',
      path: [name],
      type,
      nullable: false,
    }))
}

function connectionField(
  type: GraphQLObjectType,
  collected: CollectedField,
  table: TableModel,
  scope: SelectScope,
): ConnectionField {
  const { key, name, selections, path } = collected
  if (name === '__typename') return { key, kind: 'text', text: type.name }
  const { field, meaning } = fieldOf(type, collected)
  const inner = objectTypeOf(field.type)
  const fields = collectFields(selections, inner, scope, `${path}.selectionSet`)
  return meaning.kind === 'edges'
    ? { key, kind: 'edges', fields: fields.map((each) => edgeField(inner, each, table, scope)) }
    : { key, kind: 'page', fields: fields.map((each) => pageField(inner, each)) }
}

function edgeField(
  type: GraphQLObjectType,
  collected: CollectedField,
  table: TableModel,
  scope: SelectScope,
): EdgeField {
  const { key, name, selections, path } = collected
  if (name === '__typename') return { key, kind: 'text', text: type.name }
  const { field, meaning } = fieldOf(type, collected)
  return meaning.kind === 'cursor'
    ? { key, kind: 'cursor' }
    : {
        key,
        kind: 'node',
        fields: scope.planRowFields(objectTypeOf(field.type), selections, table, scope, path),
      }
}

function pageField(type: GraphQLObjectType, collected: CollectedField): PageField {
  const { key, name } = collected
  if (name === '__typename') return { key, kind: 'text', text: type.name }
  const { meaning } = fieldOf(type, collected)
  if (meaning.kind !== 'page-info') throw new Error(`${type.name}.${name} is no part of a page`)
  return { key, kind: meaning.part }
}
