import type { GraphQLObjectType, SelectionSetNode } from 'graphql'
import type { CatalogType } from '../catalog/types.ts'
import { baseType, isNumeric } from '../schema/postgres-type.ts'
import { type Predicate, allOf } from '../schema/predicate.ts'
import { primaryKeyColumns } from '../schema/schema-context.ts'
import type { UpdateAccess } from '../schema/table-access.ts'
import type { TableModel } from '../schema/source-model.ts'
import { type CollectedField, collectFields } from './collect-fields.ts'
import type { ObjectValue } from './input-value.ts'
import { columnNamed, planFilter } from './plan-filter.ts'
import { planRowFields } from './plan-select.ts'
import { fieldOf, objectTypeOf } from './field-of.ts'
import type { SelectScope } from './select-scope.ts'
import { itemsOf, member, objectOf, valueOf } from './plan-value.ts'
import { readableColumn } from './readable.ts'
import { RequestError } from './request-error.ts'
import type {
  DeletePlan,
  MutationOutput,
  ResponseField,
  TableShape,
  UpdateAssignment,
  UpdatePlan,
} from './tree.ts'

export const tableShape = ({ name, columnsByName }: TableModel): TableShape => ({
  name,
  columns: [...columnsByName.values()].map(({ name: column, type }) => ({ name: column, type })),
})

/** Plans `affected_rows` and `returning` of a mutation of many rows. */
export const planResponse = (
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
  table: TableModel,
  scope: SelectScope,
  path: string,
): MutationOutput => ({
  kind: 'response',
  fields: collectFields(selections, type, scope, `${path}.selectionSet`).map((collected): ResponseField => {
    const { key, name } = collected
    if (name === '__typename') return { key, kind: 'text', text: type.name }
    const { field, meaning } = fieldOf(type, collected)
    if (meaning.kind === 'affected-rows') return { key, kind: 'affected-rows' }
    const row = objectTypeOf(field.type)
    return {
      key,
      kind: 'returning',
      fields: planRowFields(row, collected.selections, table, scope, collected.path),
    }
  }),
})

/** Plans the answer of a mutation by primary key: its row. */
export const planRowOutput = (
  type: GraphQLObjectType,
  { selections, path }: CollectedField,
  table: TableModel,
  scope: SelectScope,
): MutationOutput => ({ kind: 'row', fields: planRowFields(type, selections, table, scope, path) })

/** The condition for one row by its primary key. */
export const planKey = (given: ObjectValue, table: TableModel, scope: SelectScope): Predicate =>
  allOf(
    primaryKeyColumns(table).map((column): Predicate => {
      const value = given.fields.get(column.graphqlName)
      if (value === undefined)
        throw new RequestError(`missing required field "${column.graphqlName}"`, given.path)
      return {
        kind: 'compare',
        left: readableColumn(column, table, scope),
        operator: '=',
        right: valueOf(value, column.type),
      }
    }),
  )

export function planUpdate(
  given: ObjectValue,
  chosen: Predicate,
  table: TableModel,
  output: MutationOutput,
  scope: SelectScope,
): UpdatePlan {
  const access = updateAccess(table, scope)
  return {
    kind: 'update',
    table: tableShape(table),
    set: planAssignments(given, table, access),
    filter: allOf([access.filter, chosen]),
    check: access.check,
    output,
  }
}

/** `update_x_many`: each entry is an update of its own. */
export const planUpdates = (
  given: ObjectValue,
  table: TableModel,
  output: MutationOutput,
  scope: SelectScope,
): readonly UpdatePlan[] =>
  itemsOf(member(given, 'updates')).map((item) => {
    const entry = objectOf(item)
    return planUpdate(entry, planFilter(member(entry, 'where'), table, scope), table, output, scope)
  })

function updateAccess(table: TableModel, { access }: SelectScope): UpdateAccess {
  const update = access.table(table).update
  if (update === undefined)
    throw new Error(`${access.role} may not update ${table.key}, but its schema says so`)
  return update
}

const operators: ReadonlyMap<string, UpdateAssignment['operator']> = new Map([
  ['_set', 'set'],
  ['_inc', 'increment'],
  ['_prepend', 'prepend'],
  ['_append', 'append'],
  ['_delete_key', 'delete-key'],
  ['_delete_elem', 'delete-element'],
  ['_delete_at_path', 'delete-path'],
])

function planAssignments(
  given: ObjectValue,
  table: TableModel,
  { columns, presets }: UpdateAccess,
): readonly UpdateAssignment[] {
  const used = new Map<string, string[]>()
  const assignments: UpdateAssignment[] = presets.map(({ column, value }) => ({
    column,
    operator: 'set',
    value,
  }))
  for (const [name, input] of given.fields) {
    const operator = operators.get(name)
    if (operator === undefined || input.kind === 'null') continue
    for (const [field, value] of objectOf(input).fields) {
      const column = columnNamed(field, table)
      used.set(column.name, [...(used.get(column.name) ?? []), name])
      const type = operandType(operator) ?? column.type
      assignments.push({ column: column.name, operator, value: valueOf(value, type) })
    }
  }
  const repeated = [...used]
    .filter(([, names]) => names.length > 1)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  if (repeated.length > 0) {
    const list = repeated.map(([column, names]) => `"${column}" in ${names.join(', ')}`)
    throw new RequestError(`column found in multiple operators; ${list.join('. ')}`, given.path)
  }
  const isGiven = [...operators.keys()].some((name) => member(given, name) !== undefined)
  if (assignments.length === 0 && !isGiven) {
    const types = [...table.columnsByName.values()].flatMap(({ name, type }) =>
      columns.has(name) ? [type] : [],
    )
    throw new RequestError(`at least any one of ${applicable(types).join(', ')} is expected`, given.path)
  }
  return assignments
}

/** The operators for columns of these types, in Hasura's order. */
const applicable = (types: readonly CatalogType[]): readonly string[] =>
  [...operators.keys()].filter((name) => {
    if (name === '_set') return true
    return types.some((type) => (name === '_inc' ? isNumeric(type) : baseType(type).name === 'jsonb'))
  })

const builtin = (name: string) => ({ category: 'base' as const, schema: 'pg_catalog', name })

/** Types of the operands of jsonb operators, where they are not jsonb. */
function operandType(operator: UpdateAssignment['operator']) {
  switch (operator) {
    case 'delete-key':
      return builtin('text')
    case 'delete-element':
      return builtin('int4')
    case 'delete-path':
      return { category: 'array' as const, schema: 'pg_catalog', name: '_text', element: builtin('text') }
    default:
      return undefined
  }
}

export function planDelete(
  chosen: Predicate,
  table: TableModel,
  output: MutationOutput,
  scope: SelectScope,
): DeletePlan {
  const access = scope.access.table(table).delete
  if (access === undefined) throw new Error(`${scope.access.role} may not delete from ${table.key}`)
  return { kind: 'delete', table: tableShape(table), filter: allOf([access.filter, chosen]), output }
}
