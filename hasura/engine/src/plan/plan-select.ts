import type { GraphQLObjectType } from 'graphql'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import type { TableModel } from '../schema/source-model.ts'
import { readArguments } from './arguments.ts'
import { type CollectedField, collectFields } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { parseJsonPath } from './json-path.ts'
import { planConnection } from './plan-connection.ts'
import { planRemoteJoin } from './plan-remote.ts'
import { member } from './plan-value.ts'
import { readableColumn, readableComputedField } from './readable.ts'
import type { RowFieldValue, RowSource } from './tree.ts'
import type { PlanRowFields, SelectScope } from './select-scope.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import { planAggregate } from './plan-aggregate.ts'
import { planRows, tableRows } from './plan-rows.ts'
import { computedCall } from './function-call.ts'

/** Plans the selection of a row. */
export const planRowFields: PlanRowFields = (type, selections, table, scope, path) =>
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
  // Arguments of a remote schema are read against the remote schema's types.
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
      const rows = planRows({ from, table: target, join: [], given }, scope)
      const fields = planRowFields(objectTypeOf(field.type), collected.selections, target, scope, path)
      return { kind: 'select', select: { kind: computed.function.returnsSet ? 'rows' : 'row', rows, fields } }
    }
    case 'related-row':
    case 'related-rows': {
      const { relationship, table: target } = meaning
      const rows = planRows(tableRows(target, given, relationship.mapping), scope)
      const fields = planRowFields(objectTypeOf(field.type), collected.selections, target, scope, path)
      const kind = meaning.kind === 'related-row' ? 'row' : 'rows'
      // An object relationship has one row, so a permission's limit has no effect.
      const single = kind === 'row' ? { ...rows, limit: undefined } : rows
      return { kind: 'select', select: { kind, rows: single, fields } }
    }
    case 'related-aggregate': {
      const { relationship, table: target } = meaning
      const request = tableRows(target, given, relationship.mapping)
      const select = planAggregate(request, objectTypeOf(field.type), collected, scope)
      return { kind: 'select', select }
    }
    case 'related-connection': {
      const { relationship, table: target } = meaning
      const request = tableRows(target, given, relationship.mapping)
      const select = planConnection(request, objectTypeOf(field.type), collected, scope)
      return { kind: 'select', select }
    }
    default:
      throw new Error(
        `${type.name}.${collected.name} is no field of a row, but ${meaning.kind} on ${table.key}`,
      )
  }
}

const noArguments: ObjectValue = { kind: 'object', fields: new Map(), path: '$' }

function jsonPathOf(given: ObjectValue): readonly string[] | undefined {
  const path = member(given, 'path')
  return path?.kind === 'leaf' && typeof path.value === 'string'
    ? parseJsonPath(path.value, path.path)
    : undefined
}
