import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
  getNamedType,
  isCompositeType,
  isObjectType,
} from 'graphql'
import type { CatalogType } from '../catalog/types.ts'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import { callArguments } from '../schema/computed-call.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { type Operand, type Predicate, type Value, allOf, isSameColumn } from '../schema/predicate.ts'
import type { SelectAccess } from '../schema/role-access.ts'
import type {
  ColumnPair,
  ComputedFieldModel,
  FunctionArgumentModel,
  TableModel,
} from '../schema/source-model.ts'
import { readArguments } from './arguments.ts'
import { type CollectedField, type DocumentScope, collectFields } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { parseJsonPath } from './json-path.ts'
import { planConnection } from './plan-connection.ts'
import { type PlanScope, columnNamed, planFilter, readableColumns } from './plan-filter.ts'
import { planOrder } from './plan-order.ts'
import { planRemoteJoin } from './plan-remote.ts'
import { enumValues, flag, member, objectOf, valueOf } from './plan-value.ts'
import { readableColumn, readableComputedField } from './readable.ts'
import { RequestError } from './request-error.ts'
import type {
  AggregateField,
  AggregateValue,
  OrderTermPlan,
  RowCount,
  RowField,
  RowFieldValue,
  RowSource,
  RowsPlan,
  SelectPlan,
} from './tree.ts'

/** All that planning a selection needs: the document, the schema's tables and the role's access to them. */
export interface SelectScope extends PlanScope, DocumentScope {}

/** A field of an object type with its meaning; throws if the type has no such field. */
export function fieldOf(
  type: GraphQLObjectType,
  { name, path, selections }: CollectedField,
): { readonly field: GraphQLField<unknown, unknown>; readonly meaning: FieldMeaning } {
  const field = type.getFields()[name]
  const meaning = field?.extensions.meaning
  if (field === undefined || meaning === undefined)
    throw new RequestError(`field "${name}" not found in type: '${type.name}'`, path)
  const composite = isCompositeType(getNamedType(field.type))
  if (composite && selections.length === 0)
    throw new RequestError(
      `missing selection set for "${getNamedType(field.type).name}"`,
      `${path}.selectionSet`,
    )
  if (!composite && selections.length > 0)
    throw new RequestError('unexpected subselection set for non-object field', path)
  return { field, meaning }
}

/** The object type that a field answers with. */
export function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`${named.name} is no object type`)
  return named
}

/** What is selected of a row. */
export const planRowFields = (
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  table: TableModel,
  scope: SelectScope,
  path: string,
): readonly RowField[] =>
  collectFields(selections, type, scope, `${path}.selectionSet`).map((collected) => ({
    key: collected.key,
    value: rowFieldValue(type, collected, table, scope),
  }))

function rowFieldValue(
  type: GraphQLObjectType,
  collected: CollectedField,
  table: TableModel,
  scope: SelectScope,
): RowFieldValue {
  if (collected.name === '__typename') return { kind: 'text', text: type.name }
  const { field, meaning } = fieldOf(type, collected)
  // What a remote schema is asked for is read in its own words.
  const given = meaning.kind === 'remote-join' ? noArguments : readArguments(collected, field.args, scope)
  const { path } = collected
  switch (meaning.kind) {
    case 'column':
      return {
        kind: 'operand',
        operand: readableColumn(meaning.column, table, scope),
        type: meaning.column.type,
        jsonPath: jsonPathOf(given),
      }
    case 'node-id':
      return { kind: 'node-id', table: table.name, key: primaryKeyColumns(table).map(({ name }) => name) }
    case 'computed-scalar':
      return {
        kind: 'operand',
        operand: readableComputedField(meaning.field, computedCall(meaning.field, given), table, scope),
        type:
          meaning.field.returns.kind === 'scalar'
            ? meaning.field.returns.type
            : meaning.field.function.returns,
        jsonPath: jsonPathOf(given),
      }
    case 'remote-join': {
      const marker = planRemoteJoin(type, collected, meaning, scope)
      const columns = meaning.lhs.flatMap(({ name, column }) =>
        column === undefined ? [] : [{ key: name, name: column.name, type: column.type }],
      )
      return { kind: 'join-key', marker, columns }
    }
    case 'computed-rows': {
      const { table: target, field: computed } = meaning
      const call = computedCall(computed, given)
      const from: RowSource = { kind: 'function', name: target.name, call }
      const rows = planRows(from, [], given, target, scope)
      const fields = planRowFields(objectTypeOf(field.type), collected.selections, target, scope, path)
      return { kind: 'select', select: { kind: computed.function.returnsSet ? 'rows' : 'row', rows, fields } }
    }
    case 'related-row':
    case 'related-rows': {
      const { relationship, table: target } = meaning
      const rows = planRows(tableSource(target), relationship.mapping, given, target, scope)
      const fields = planRowFields(objectTypeOf(field.type), collected.selections, target, scope, path)
      const kind = meaning.kind === 'related-row' ? 'row' : 'rows'
      // An object relationship is one row by its definition: a permission's limit has nothing to cut.
      const single = kind === 'row' ? { ...rows, limit: undefined } : rows
      return { kind: 'select', select: { kind, rows: single, fields } }
    }
    case 'related-aggregate': {
      const { relationship, table: target } = meaning
      const select = planAggregate(
        tableSource(target),
        relationship.mapping,
        given,
        target,
        objectTypeOf(field.type),
        collected,
        scope,
      )
      return { kind: 'select', select }
    }
    case 'related-connection': {
      const { relationship, table: target } = meaning
      const select = planConnection(
        tableSource(target),
        relationship.mapping,
        given,
        target,
        objectTypeOf(field.type),
        collected,
        scope,
      )
      return { kind: 'select', select }
    }
    default:
      throw new Error(
        `${type.name}.${collected.name} is no field of a row, but ${meaning.kind} on ${table.key}`,
      )
  }
}

const noArguments: ObjectValue = { kind: 'object', fields: new Map(), path: '$' }

export const tableSource = ({ name }: TableModel): RowSource => ({ kind: 'table', name })

function jsonPathOf(given: ObjectValue): readonly string[] | undefined {
  const path = member(given, 'path')
  return path?.kind === 'leaf' && typeof path.value === 'string'
    ? parseJsonPath(path.value, path.path)
    : undefined
}

const computedCall = (computed: ComputedFieldModel, given: ObjectValue) => ({
  function: computed.function.name,
  arguments: callArguments(computed, givenArguments(computed.arguments, member(given, 'args'))),
})

/** The `args` of a function as values, by GraphQL name. */
export function givenArguments(
  known: readonly FunctionArgumentModel[],
  input: ReturnType<typeof member>,
): ReadonlyMap<string, Value> {
  if (input === undefined) return new Map()
  const { fields } = objectOf(input)
  return new Map(
    known.flatMap(({ graphqlName, type }): [string, Value][] => {
      const value = fields.get(graphqlName)
      return value === undefined ? [] : [[graphqlName, valueOf(value, type)]]
    }),
  )
}

/** Rows by the usual arguments, under the role's filter and limit. */
export function planRows(
  from: RowSource,
  join: readonly ColumnPair[],
  given: ObjectValue,
  table: TableModel,
  scope: SelectScope,
): RowsPlan {
  const rows = planAllRows(from, join, given, table, scope)
  return { ...rows, limit: smallerLimit(rows.limit, selectAccess(table, scope).limit) }
}

/** Rows by the usual arguments, under the role's filter alone. */
export function planAllRows(
  from: RowSource,
  join: readonly ColumnPair[],
  given: ObjectValue,
  table: TableModel,
  scope: SelectScope,
): RowsPlan {
  const filter: Predicate = allOf([
    selectAccess(table, scope).filter,
    planFilter(member(given, 'where'), table, scope),
  ])
  const distinctOn = readableColumns(enumValues(member(given, 'distinct_on')), table, scope)
  const orderBy = planOrder(member(given, 'order_by'), table, scope)
  if (!startsWith(orderBy, distinctOn))
    throw new RequestError('"distinct_on" columns must match initial "order_by" columns', given.path)
  const limit = readCount(given, 'limit')
  return { from, join, filter, distinctOn, orderBy, limit, offset: readCount(given, 'offset') }
}

export function selectAccess(table: TableModel, { access }: SelectScope): SelectAccess {
  const select = access.table(table).select
  if (select === undefined)
    throw new Error(`${access.role} may not read ${table.key}, but its schema says so`)
  return select
}

/**
 * Postgres wants the columns of DISTINCT ON to come first in the order, in any order among themselves. Hasura wants all of them
 * to be there, unless there is no order.
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

/** Limits up to this are written into the statement: Postgres then plans for few rows instead of a tenth of all. */
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

export function smallerLimit(asked: RowCount | undefined, allowed: number | undefined): RowCount | undefined {
  if (allowed === undefined) return asked
  if (asked === undefined) return { kind: 'constant', value: allowed }
  if (asked.kind === 'constant') return { kind: 'constant', value: Math.min(asked.value, allowed) }
  return { kind: 'least', source: asked.source, allowed }
}

/** Rows with their aggregates. A permission's limit cuts the nodes alone. */
export function planAggregate(
  from: RowSource,
  join: readonly ColumnPair[],
  given: ObjectValue,
  table: TableModel,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
): SelectPlan {
  const rows = planAllRows(from, join, given, table, scope)
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
            fields: planRowFields(inner, collected.selections, table, scope, collected.path),
          }
        : { key, kind: 'aggregate', values: aggregateValues(inner, collected, table, scope) }
    },
  )
  return { kind: 'aggregate', rows, fields, nodeLimit: selectAccess(table, scope).limit }
}

/** The column or computed field that an aggregate is of. */
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
