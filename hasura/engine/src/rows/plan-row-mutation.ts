import { HasuraError, within } from '../hasura-error.ts'
import type { JsonObject } from '../metadata/parse.ts'
import { displayName } from '../metadata/qualified-name.ts'
import { insertOf } from '../plan/plan-insert.ts'
import { tableShape } from '../plan/plan-mutation.ts'
import type { PlanScope } from '../plan/plan-scope.ts'
import type {
  DeletePlan,
  InsertPlan,
  MutationOutput,
  OnConflictPlan,
  ResponseField,
  RowField,
  UpdateAssignment,
  UpdatePlan,
} from '../plan/tree.ts'
import { type Value, allOf } from '../schema/predicate.ts'
import type { InsertAccess, Preset, UpdateAccess } from '../schema/table-access.ts'
import type { TableModel } from '../schema/source-model.ts'
import type { RowChanges, RowCommand, RowConflict } from './row-command.ts'
import { rowFilter } from './row-filter.ts'
import { columnNamed, requireAccess, requireColumn, requireTable, selectedColumn } from './row-scope.ts'
import { columnValue } from './row-value.ts'

/** Plans `insert`. Throws HasuraError. */
export function planRowInsert(
  { table: name, objects, onConflict, returning }: Extract<RowCommand, { kind: 'insert' }>,
  scope: PlanScope,
): InsertPlan {
  if (objects.length === 0)
    throw new HasuraError('unexpected-payload', 'objects should not be empty', { path: '$.objects' })
  const table = requireTable(name, scope)
  requireWritable(table, 'insertable')
  const access = requireAccess('insert', table, scope)
  refuseValidated(access)
  const output = planOutput(returning, table, scope, 'returning')
  const rows = within('.objects', () =>
    objects.map((object, index) => within(`[${index}]`, () => rowValues(object, table, access, scope))),
  )
  const given = new Set(objects.flatMap((object) => Object.keys(object)))
  const conflict = within('.on_conflict', () => planConflict(onConflict, given, table, scope))
  return insertOf(rows, conflict, table, access, output)
}

/** Plans `update`. Throws HasuraError. */
export function planRowUpdate(
  { table: name, where, changes, returning }: Extract<RowCommand, { kind: 'update' }>,
  scope: PlanScope,
): UpdatePlan {
  const table = within('.table', () => requireTable(name, scope))
  requireWritable(table, 'updatable')
  const access = requireAccess('update', table, scope)
  refuseValidated(access)
  requireAccess('select', table, scope, needsSelect('update'))
  const set = planChanges(changes, table, access, scope)
  const output = planOutput(returning, table, scope, 'update')
  if (set.length === 0)
    throw new HasuraError('unexpected-payload', 'atleast one of $set, $inc, $mul has to be present')
  const filter = allOf([access.filter, within('.where', () => rowFilter(where, table, scope))])
  return { kind: 'update', table: tableShape(table), set, filter, check: access.check, output }
}

/** Plans `delete`. Throws HasuraError. */
export function planRowDelete(
  { table: name, where, returning }: Extract<RowCommand, { kind: 'delete' }>,
  scope: PlanScope,
): DeletePlan {
  const table = requireTable(name, scope)
  requireWritable(table, 'deletable')
  const access = requireAccess('delete', table, scope)
  refuseValidated(access)
  requireAccess('select', table, scope, needsSelect('delete'))
  const output = planOutput(returning, table, scope, 'delete')
  const filter = allOf([access.filter, within('.where', () => rowFilter(where, table, scope))])
  return { kind: 'delete', table: tableShape(table), filter, output }
}

function requireWritable({ catalog, name }: TableModel, kind: 'insertable' | 'updatable' | 'deletable') {
  if (!catalog[kind]) throw new HasuraError('not-supported', `view "${displayName(name)}" is not ${kind}`)
}

/** Refuses tables whose input a service validates. Hasura writes to them here without validation. */
function refuseValidated({ validatedBy }: Pick<InsertAccess, 'validatedBy'>): void {
  if (validatedBy !== undefined)
    throw new HasuraError(
      'not-supported',
      'a permission with "validate_input" holds for GraphQL mutations only',
    )
}

const needsSelect = (kind: 'update' | 'delete'): string =>
  `; "${kind}" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`

/** Plans the number of rows, and `returning` if it is requested. */
function planOutput(
  returning: readonly string[] | undefined,
  table: TableModel,
  scope: PlanScope,
  use: 'returning' | 'update' | 'delete',
): MutationOutput {
  const count: ResponseField = { key: 'affected_rows', kind: 'affected-rows' }
  if (returning === undefined) return { kind: 'response', fields: [count] }
  const why =
    use === 'returning'
      ? '; "returning" can only be used if the role has "select" permission on the table'
      : needsSelect(use)
  const select = requireAccess('select', table, scope, why)
  const fields = within('.returning', () =>
    [...new Set(returning)].map((name): RowField => {
      const wrong = `Relationships can't be used in "returning".`
      const { column, operand } = selectedColumn(name, table, select, scope, wrong)
      return { key: name, value: { kind: 'operand', operand, type: column.type, jsonPath: undefined } }
    }),
  )
  return { kind: 'response', fields: [{ key: 'returning', kind: 'returning', fields }, count] }
}

/** The values from the client and the presets for a new row, by column. */
function rowValues(
  object: JsonObject,
  table: TableModel,
  { columns, presets }: InsertAccess,
  scope: PlanScope,
): ReadonlyMap<string, Value> {
  const values = new Map(presets.map(({ column, value }) => [column, value]))
  for (const [name, given] of Object.entries(object)) {
    const column = columnNamed(name, table, "relationships can't be inserted")
    if (isPreset(name, presets))
      throw new HasuraError(
        'not-supported',
        `column "${name}" is not insertable for role "${scope.access.role}"`,
      )
    // For admin, Postgres reports the error of a generated column.
    if (!scope.access.isAdmin) requireColumn('insert', name, columns, scope)
    values.set(
      name,
      within(`.${name}`, () => columnValue(given, column, scope.source)),
    )
  }
  return values
}

const isPreset = (name: string, presets: readonly Preset[]): boolean =>
  presets.some(({ column }) => column === name)

function planConflict(
  conflict: RowConflict | undefined,
  given: ReadonlySet<string>,
  table: TableModel,
  scope: PlanScope,
): OnConflictPlan | undefined {
  if (conflict === undefined) return undefined
  const access = scope.access.table(table).update
  if (access === undefined)
    throw new HasuraError(
      'permission-denied',
      `upsert is not allowed for role "${scope.access.role}" since update permissions are not defined`,
    )
  const target = planTarget(conflict, table)
  if (conflict.action === 'ignore') return { target, update: undefined }
  if (target === undefined)
    throw new HasuraError(
      'unexpected-payload',
      "Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'",
    )
  const fixed = [...given].find((name) => !access.columns.has(name))
  if (fixed !== undefined) throw new HasuraError('validation-failed', `column "${fixed}" is not updatable`)
  refuseValidated(access)
  const columns = [...table.columnsByName.keys()].filter((name) => given.has(name))
  const { presets, filter, check } = access
  return { target, update: columns.length === 0 ? undefined : { columns, presets, filter, check } }
}

function planTarget({ constraint, columns }: RowConflict, table: TableModel): OnConflictPlan['target'] {
  if (constraint !== undefined && columns !== undefined)
    throw new HasuraError('unexpected-payload', "'constraint' and 'constraint_on' cannot be set at a time")
  if (columns !== undefined) {
    within('.constraint_on', () =>
      columns.forEach((name, index) => within(`[${index}]`, () => columnNamed(name, table, ''))),
    )
    return { kind: 'columns', names: columns }
  }
  if (constraint === undefined) return undefined
  const { primaryKey, uniqueConstraints } = table.catalog
  if (
    ![...uniqueConstraints, ...(primaryKey === undefined ? [] : [primaryKey])].some(
      (key) => key.constraint === constraint,
    )
  )
    throw new HasuraError(
      'unexpected',
      `constraint ${constraint} for table "${displayName(table.name)}" does not exist`,
      { path: '$.constraint' },
    )
  return { kind: 'constraint', name: constraint }
}

/** The changes by column. If a command changes one twice, the last of `$set`, `$inc`, `$mul` and `$default` counts. */
function planChanges(
  { $set, $inc, $mul, $default }: RowChanges,
  table: TableModel,
  access: UpdateAccess,
  scope: PlanScope,
): readonly UpdateAssignment[] {
  const assignments = new Map<string, UpdateAssignment>(
    access.presets.map(({ column, value }) => [column, { column, operator: 'set', value }]),
  )
  const change = (operator: 'set' | 'increment' | 'multiply', key: string, given: JsonObject): void => {
    for (const [name, value] of Object.entries(given))
      within(key, () => {
        const column = changedColumn(name, table, access, scope)
        const planned = columnValue(value, column, scope.source)
        assignments.set(name, { column: name, operator, value: planned })
      })
  }
  change('set', "['$set']", $set)
  change('increment', "['$inc']", $inc)
  change('multiply', "['$mul']", $mul)
  for (const name of $default)
    within("['$default']", () => {
      changedColumn(name, table, access, scope)
      assignments.set(name, { column: name, operator: 'default' })
    })
  return [...assignments.values()]
}

function changedColumn(name: string, table: TableModel, access: UpdateAccess, scope: PlanScope) {
  const { role } = scope.access
  if (isPreset(name, access.presets))
    throw new HasuraError(
      'not-supported',
      `column "${name}" is not updatable for role "${role}"; its value is predefined in permission`,
    )
  requireColumn('update', name, access.columns, scope)
  return columnNamed(name, table, "relationships can't be updated")
}
