import type { GraphQLField } from 'graphql'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import type { ColumnModel } from '../schema/source-model.ts'
import { readArguments } from './arguments.ts'
import type { CollectedField } from './collect-fields.ts'
import { type SelectScope, objectTypeOf, planRowFields, planRows, tableSource } from './plan-select.ts'
import type { SelectPlan } from './tree.ts'

/** Rows of a table that belong to values from elsewhere: an action's answer, or a remote schema's. */
export interface ValueJoin {
  readonly select: SelectPlan
  /** The values, by the names under which the statement finds them, and the columns that they equal. */
  readonly columns: readonly { readonly name: string; readonly field: string; readonly column: ColumnModel }[]
}

/** Plans such rows. Names of values begin with a prefix, so that several joins can share one list. Throws RequestError. */
export function planValueJoin(
  { table, list, mapping }: Extract<FieldMeaning, { kind: 'answer-relationship' | 'source-join' }>,
  field: GraphQLField<unknown, unknown>,
  collected: CollectedField,
  prefix: string,
  scope: SelectScope,
): ValueJoin {
  const given = readArguments(collected, field.args, scope)
  const columns = mapping.map((entry) => ({ ...entry, name: `${prefix}_${entry.field}` }))
  const join = columns.map(({ name, column }) => ({ local: name, remote: column.name }))
  const rows = planRows(tableSource(table), join, given, table, scope)
  const row = objectTypeOf(field.type)
  const fields = planRowFields(row, collected.selections, table, scope, collected.path)
  return {
    columns,
    select: list
      ? { kind: 'rows', rows, fields }
      : { kind: 'row', rows: { ...rows, limit: undefined }, fields },
  }
}
