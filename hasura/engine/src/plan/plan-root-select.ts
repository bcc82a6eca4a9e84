import { type GraphQLOutputType, isObjectType } from 'graphql'
import { qualifiedKey } from '../metadata/types.ts'
import { sessionObject } from '../schema/computed-call.ts'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { NativeQueryModel, FunctionModel } from '../schema/source-model.ts'
import { type CallArgument, type ComputedCall, type Value, allOf } from '../schema/predicate.ts'
import type { CollectedField } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { nodeCondition, readNodeId } from './node-id.ts'
import { planConnection } from './plan-connection.ts'
import { planKey } from './plan-mutation.ts'
import { planRowFields } from './plan-select.ts'
import { givenArguments } from './function-call.ts'
import { tableRows, planRows } from './plan-rows.ts'
import { planAggregate } from './plan-aggregate.ts'
import { objectTypeOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import { member, objectOf, valueOf } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { NativeSqlPart, RowSource, SelectPlan } from './tree.ts'

type RootSelectMeaning = Extract<
  FieldMeaning,
  {
    kind:
      | 'node'
      | 'rows'
      | 'row-by-key'
      | 'rows-aggregate'
      | 'connection'
      | 'function'
      | 'function-connection'
      | 'native-query'
  }
>

/**
 * Plans what a root field reads: rows of a table, function or native query, or one row by key or id. Throws
 * RequestError.
 */
export function planRootSelect(
  meaning: RootSelectMeaning,
  given: ObjectValue,
  output: GraphQLOutputType,
  collected: CollectedField,
  scope: SelectScope,
): SelectPlan {
  if (meaning.kind === 'node') return planNode(given, collected, scope)
  const type = objectTypeOf(output)
  const { selections, path } = collected
  switch (meaning.kind) {
    case 'rows': {
      const rows = planRows(tableRows(meaning.table, given), scope)
      return { kind: 'rows', rows, fields: planRowFields(type, selections, meaning.table, scope, path) }
    }
    case 'row-by-key': {
      const { table } = meaning
      const rows = planRows(tableRows(table, { ...given, fields: new Map() }), scope)
      const filter = { kind: 'and' as const, operands: [rows.filter, planKey(given, table, scope)] }
      const fields = planRowFields(type, selections, table, scope, path)
      return { kind: 'row', rows: { ...rows, filter, limit: undefined }, fields }
    }
    case 'rows-aggregate':
      return planAggregate(tableRows(meaning.table, given), type, collected, scope)
    case 'connection':
      return planConnection(tableRows(meaning.table, given), type, collected, scope)
    case 'function-connection': {
      const { function: model, table } = meaning
      const from: RowSource = { kind: 'function', name: table.name, call: functionCall(model, given) }
      return planConnection({ from, table, join: [], given }, type, collected, scope)
    }
    case 'function': {
      const { function: model, table } = meaning
      const from: RowSource = { kind: 'function', name: table.name, call: functionCall(model, given) }
      const request = { from, table, join: [], given }
      if (meaning.aggregate) return planAggregate(request, type, collected, scope)
      const rows = planRows(request, scope)
      const fields = planRowFields(type, selections, table, scope, path)
      return { kind: model.catalog.returnsSet ? 'rows' : 'row', rows, fields }
    }
    case 'native-query': {
      const { query } = meaning
      const rows = planRows({ from: nativeSource(query, given), table: query.table, join: [], given }, scope)
      return { kind: 'rows', rows, fields: planRowFields(type, selections, query.table, scope, path) }
    }
    default:
      return meaning satisfies never
  }
}

/** `node(id)`: the id's row, if the role may see it, with the type of its table. */
function planNode(given: ObjectValue, { selections, path }: CollectedField, scope: SelectScope): SelectPlan {
  const input = member(given, 'id')
  const text = input?.kind === 'leaf' && typeof input.value === 'string' ? input.value : ''
  const id = readNodeId(text, `${path}.args.id`)
  const table = scope.source.tables.get(qualifiedKey({ schema: id.schema, name: id.table }))
  const type = table === undefined ? undefined : scope.schema.getType(table.typeName)
  if (table === undefined || !isObjectType(type) || type.getInterfaces().length === 0)
    throw new RequestError(`the node id is invalid: table "${id.table}" has no nodes`, path)
  const rows = planRows(tableRows(table, { ...given, fields: new Map() }), scope)
  const filter = allOf([rows.filter, nodeCondition(id, table, path)])
  const fields = planRowFields(type, selections, table, scope, path)
  return { kind: 'row', rows: { ...rows, filter, limit: undefined }, fields }
}

/** A call of a tracked function: arguments by position up to the first one left out, by name after it. */
function functionCall(model: FunctionModel, given: ObjectValue): ComputedCall {
  const input = member(given, 'args')
  const values = givenArguments(model.arguments, input)
  const path = `${given.path}.args`
  let omitted = false
  const args = model.catalog.arguments.flatMap(({ name }, index): CallArgument[] => {
    const own = model.arguments.find((argument) => argument.index === index)
    const value = own === undefined ? sessionObject : values.get(own.graphqlName)
    if (value === undefined) {
      if (own?.hasDefault !== true)
        throw new RequestError('Non default arguments cannot be omitted', path, 'not-supported')
      omitted = true
      return []
    }
    if (omitted && name === undefined)
      throw new RequestError('Only last set of positional arguments can be omitted', path, 'not-supported')
    return [{ name: omitted ? name : undefined, value }]
  })
  return { function: model.catalog.name, arguments: args }
}

/** A native query's SQL with its arguments. An absent argument is null. */
function nativeSource({ code, arguments: known }: NativeQueryModel, given: ObjectValue): RowSource {
  const input = member(given, 'args')
  const values = new Map(
    known.map(({ name, type }): [string, Value] => {
      const value = input === undefined ? undefined : objectOf(input).fields.get(name)
      return [name, valueOf(value ?? { kind: 'null', path: given.path }, type)]
    }),
  )
  const parts = code.flatMap((part): readonly NativeSqlPart[] => {
    if (part.kind === 'sql') return [part]
    const value = values.get(part.name)
    return value === undefined ? [] : [{ kind: 'value', value }]
  })
  return { kind: 'native-query', code: parts }
}
