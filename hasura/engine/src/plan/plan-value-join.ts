import type { GraphQLField } from 'graphql'
import type { FieldMeaning } from '../schema/field-meaning.ts'
import { readArguments } from './arguments.ts'
import type { CollectedField } from './collect-fields.ts'
import { tableRows, planRows } from './plan-rows.ts'
import { objectTypeOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import type { ValueJoin } from './remote-joins.ts'

/** Plans such rows. The values' names get a prefix, so that several joins can share one list. Throws RequestError. */
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
  const rows = planRows(tableRows(table, given, join), scope)
  const row = objectTypeOf(field.type)
  const fields = scope.planRowFields(row, collected.selections, table, scope, collected.path)
  return {
    columns,
    select: list
      ? { kind: 'rows', rows, fields }
      : { kind: 'row', rows: { ...rows, limit: undefined }, fields },
  }
}
