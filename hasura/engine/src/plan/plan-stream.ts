import type { GraphQLObjectType } from 'graphql'
import { typeNameOf } from '../schema/permission-expression.ts'
import { allOf } from '../schema/predicate.ts'
import type { TableModel } from '../schema/source-model.ts'
import type { CollectedField } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { columnNamed } from './plan-filter.ts'
import { planRowFields } from './plan-select.ts'
import { tableRows, planRows } from './plan-rows.ts'
import type { SelectScope } from './select-scope.ts'
import { itemsOf, member, objectOf, valueOf } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { RowCount, StreamPlan } from './tree.ts'

/**
 * `x_stream(batch_size, cursor, where)`: the next rows after the cursor. As in Hasura, the cursor is one column. It
 * should be unique: of rows with equal values, those cut off at the end of a batch are skipped.
 */
export function planStream(
  given: ObjectValue,
  table: TableModel,
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  scope: SelectScope,
): StreamPlan {
  const { column, ascending, initialValue } = cursorOf(given, table)
  const rows = planRows(tableRows(table, given), scope)
  const after = {
    kind: 'compare' as const,
    left: { kind: 'column' as const, name: column.name },
    operator: ascending ? ('>' as const) : ('<' as const),
    right: { kind: 'parameter' as const, source: { kind: 'cursor' as const }, type: typeNameOf(column.type) },
  }
  const order = {
    value: { kind: 'operand' as const, operand: { kind: 'column' as const, name: column.name } },
    path: [column.name],
    type: column.type,
    nullable: column.nullable,
    ...(ascending
      ? { direction: 'ASC' as const, nulls: 'LAST' as const }
      : { direction: 'DESC' as const, nulls: 'FIRST' as const }),
  }
  return {
    rows: {
      ...rows,
      filter: allOf([rows.filter, after]),
      orderBy: [order],
      limit: batchLimit(given, rows.limit),
    },
    fields: planRowFields(type, selections, table, scope, path),
    column: column.name,
    initialValue,
  }
}

function cursorOf(given: ObjectValue, table: TableModel) {
  // Hasura reports zero or several columns at the arguments, not at the cursor.
  const { path } = given
  const [cursor, ...others] = itemsOf(member(given, 'cursor')).filter(({ kind }) => kind !== 'null')
  if (cursor === undefined) throw new RequestError('one streaming column field is expected', path)
  const values = objectOf(member(objectOf(cursor), 'initial_value') ?? cursor)
  const [first, ...more] = values.fields
  if (first === undefined) throw new RequestError('one streaming column field is expected', path)
  if (others.length + more.length > 0)
    throw new RequestError('multiple column cursors are not supported yet', path)
  const [name, input] = first
  const column = columnNamed(name, table)
  if (input.kind === 'null')
    throw new RequestError(`unexpected null value for the cursor's column "${name}"`, input.path)
  const initial = valueOf(input, column.type)
  const ordering = member(objectOf(cursor), 'ordering')
  return {
    column,
    ascending: ordering?.kind !== 'enum' || ordering.value === 'ASC',
    initialValue:
      initial.kind === 'parameter' || initial.kind === 'constant'
        ? sourceOf(initial)
        : refuseCursor(input.path),
  }
}

const sourceOf = (value: Extract<ReturnType<typeof valueOf>, { kind: 'parameter' | 'constant' }>) =>
  value.kind === 'parameter' ? value.source : { kind: 'literal' as const, text: value.text }

function refuseCursor(path: string): never {
  throw new RequestError('a cursor starts from one value', path)
}

function batchLimit(given: ObjectValue, allowed: RowCount | undefined): RowCount {
  const size = member(given, 'batch_size')
  if (size?.kind !== 'leaf') throw new RequestError('missing required field "batch_size"', given.path)
  if (typeof size.value === 'number' && size.value < 0)
    throw new RequestError('unexpected negative value', size.path, 'not-supported')
  return allowed?.kind === 'constant'
    ? { kind: 'least', source: size.source, allowed: allowed.value }
    : { kind: 'parameter', source: size.source }
}
