import { displayName } from '../metadata/types.ts'
import { placeholderColumn } from '../schema/mutation-types.ts'
import { allOf, type Predicate, type Value } from '../schema/predicate.ts'
import type { InsertAccess } from '../schema/table-access.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import type { ColumnPair, RelationshipModel, TableModel } from '../schema/source-model.ts'
import type { InputValue, ObjectValue } from './input-value.ts'
import { columnNamed, planFilter } from './plan-filter.ts'
import { relatedTable } from './plan-scope.ts'
import { tableShape } from './plan-mutation.ts'
import type { SelectScope } from './select-scope.ts'
import { enumValues, itemsOf, member, objectOf, valueOf } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { InsertPlan, InsertStep, MutationOutput, NestedInsertPlan, OnConflictPlan } from './tree.ts'

/** Plans an insert as one statement, or, with nested rows, as a series of steps. */
export function planInsert(
  given: ObjectValue,
  table: TableModel,
  output: MutationOutput,
  scope: SelectScope,
): InsertPlan | NestedInsertPlan {
  const single = member(given, 'object')
  const objects = (single === undefined ? itemsOf(member(given, 'objects')) : [single]).map(objectOf)
  const onConflict = planConflict(member(given, 'on_conflict'), table, scope)
  const nested = objects.some((object) => relatedInputs(object, table).length > 0)
  if (!nested) return planFlatInsert(objects, onConflict, table, output, scope)
  const steps: InsertStep[] = []
  const rootSteps = objects.map((object) => {
    // Hasura reports a single row like the only one of a list.
    const path = single === undefined ? object.path : `${object.path}[0]`
    return addRow(steps, { object, path, table, onConflict, fixed: new Map() }, scope)
  })
  return { kind: 'nested-insert', steps, table: tableShape(table), rootSteps, output }
}

function insertAccess(table: TableModel, { access }: SelectScope): InsertAccess {
  const insert = access.table(table).insert
  if (insert === undefined)
    throw new Error(`${access.role} may not insert into ${table.key}, but its schema says so`)
  return insert
}

function planFlatInsert(
  objects: readonly ObjectValue[],
  onConflict: OnConflictPlan | undefined,
  table: TableModel,
  output: MutationOutput,
  scope: SelectScope,
): InsertPlan {
  const access = insertAccess(table, scope)
  const rows = objects.map((object) => rowValues(object, table, access))
  return insertOf(rows, onConflict, table, access, output)
}

/** One statement that inserts rows by the values of their columns; other columns take their defaults. */
export function insertOf(
  rows: readonly ReadonlyMap<string, Value>[],
  onConflict: OnConflictPlan | undefined,
  table: TableModel,
  access: InsertAccess,
  output: MutationOutput,
): InsertPlan {
  const [firstColumn] = table.columnsByName.keys()
  const used = [...table.columnsByName.keys()].filter((name) => rows.some((row) => row.has(name)))
  // Rows without any value need at least one column, which takes its default.
  const columns = used.length > 0 || firstColumn === undefined ? used : [firstColumn]
  return {
    kind: 'insert',
    table: tableShape(table),
    columns,
    rows: rows.map((row) => columns.map((name) => row.get(name))),
    onConflict,
    check: access.check,
    output,
  }
}

/** The values from the client and the presets, by column. */
function rowValues(
  object: ObjectValue,
  table: TableModel,
  { presets }: InsertAccess,
): ReadonlyMap<string, Value> {
  const values = new Map(presets.map(({ column, value }) => [column, value]))
  for (const [name, input] of object.fields) {
    const column = table.columns.get(name)
    if (column !== undefined) values.set(column.name, valueOf(input, column.type))
  }
  return values
}

function planConflict(
  input: InputValue | undefined,
  table: TableModel,
  scope: SelectScope,
): OnConflictPlan | undefined {
  if (input === undefined) return undefined
  const given = objectOf(input)
  const constraint = given.fields.get('constraint')
  if (constraint?.kind !== 'enum') throw new RequestError('missing required field "constraint"', given.path)
  const names = enumValues(member(given, 'update_columns'))
  if (names.includes(placeholderColumn)) throw new RequestError('erroneous column name', given.path)
  const columns = names.map((name) => columnNamed(name, table).name)
  const access = scope.access.table(table).update
  const target = { kind: 'constraint' as const, name: constraint.value }
  if (columns.length === 0 || access === undefined) return { target, update: undefined }
  const filter: Predicate = allOf([access.filter, planFilter(member(given, 'where'), table, scope)])
  return {
    target,
    update: { columns, presets: access.presets, filter, check: access.check },
  }
}

interface RelatedInput {
  readonly relationship: RelationshipModel
  readonly data: readonly ObjectValue[]
  readonly onConflict: InputValue | undefined
}

/** The nested rows of an object. */
const relatedInputs = (object: ObjectValue, table: TableModel): readonly RelatedInput[] =>
  [...object.fields].flatMap(([name, input]) => {
    const relationship = table.relationships.get(name)
    if (relationship === undefined || input.kind === 'null') return []
    const given = objectOf(input)
    const data = given.fields.get('data')
    const objects =
      data === undefined ? [] : data.kind === 'list' ? data.items.map(objectOf) : [objectOf(data)]
    if (objects.length === 0) return []
    return [{ relationship, data: objects, onConflict: member(given, 'on_conflict') }]
  })

interface RowToInsert {
  readonly object: ObjectValue
  /** The path of the row's errors in Hasura. For rows without nested rows it is the path of their list. */
  readonly path: string
  readonly table: TableModel
  readonly onConflict: OnConflictPlan | undefined
  /** Columns whose values come from the row that this one is nested in. */
  readonly fixed: ReadonlyMap<string, Value>
  /** The error when a conflict writes no row; undefined if no other row depends on it. */
  readonly needed?: InsertStep['needed']
}

/** Adds the steps that write a row and its nested rows. Returns the step of the row itself. */
function addRow(steps: InsertStep[], row: RowToInsert, scope: SelectScope): number {
  const { object, path, table, onConflict, fixed } = row
  const access = insertAccess(table, scope)
  const values = new Map(rowValues(object, table, access))
  const presets = new Set(access.presets.map(({ column }) => column))
  // A permission's preset takes precedence over a reference.
  const determine = (determined: ReadonlyMap<string, Value>): void => {
    for (const [column, value] of determined) if (!presets.has(column)) values.set(column, value)
  }
  determine(fixed)
  const related = relatedInputs(object, table)
  for (const input of related.filter(isReferenced)) determine(addReferenced(steps, input, row, scope))
  const dependents = related.filter((input) => !isReferenced(input))
  const columns = [...table.columnsByName.keys()].filter((name) => values.has(name))
  const message = `cannot proceed to insert array relations since insert to table "${displayName(table.name)}" affects zero rows`
  steps.push({
    table: tableShape(table),
    columns,
    row: columns.map((name) => values.get(name)),
    onConflict,
    check: access.check,
    needed: dependents.length === 0 ? row.needed : { message, path },
    path,
  })
  const step = steps.length - 1
  for (const input of dependents) addDependents(steps, input, row, step, scope)
  return step
}

/** Whether the related row is written first, because the row that it is nested in refers to it. */
const isReferenced = ({ relationship }: RelatedInput): boolean =>
  relationship.insertedFirst && relationship.kind === 'object'

/** The columns that the client's values set. */
const givenColumns = ({ object, table }: RowToInsert): readonly string[] =>
  [...object.fields.keys()].flatMap((name) => table.columns.get(name)?.name ?? [])

function refuseDetermined(row: RowToInsert, path: string): void {
  const twice = givenColumns(row).filter((name) => row.fixed.has(name))
  if (twice.length > 0)
    throw new RequestError(
      `cannot insert ${quoted(twice)} columns as their values are already being determined by parent insert`,
      path,
    )
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** Writes the row that this one refers to. Returns this row's columns that take values from it. */
function addReferenced(
  steps: InsertStep[],
  { relationship, data, onConflict }: RelatedInput,
  row: RowToInsert,
  scope: SelectScope,
): ReadonlyMap<string, Value> {
  const path = `${row.path}.${relationship.name}`
  const known = new Set([...givenColumns(row), ...row.fixed.keys()])
  const determined = relationship.mapping.map(({ local }) => local).filter((local) => known.has(local))
  if (determined.length > 0)
    throw new RequestError(
      `cannot insert object relationship "${relationship.name}" as ${quoted(determined)} column values are already determined`,
      path,
    )
  const target = relatedTable(scope, relationship.target)
  const [object] = data
  if (object === undefined) return new Map()
  const message = `cannot proceed to insert object relation "${relationship.name}" since insert to table "${displayName(target.name)}" affects zero rows`
  const step = addRow(
    steps,
    {
      object,
      path: `${path}.data`,
      table: target,
      onConflict: planConflict(onConflict, target, scope),
      fixed: new Map(),
      needed: { message, path },
    },
    scope,
  )
  return writtenColumns(
    step,
    target,
    relationship.mapping.map(({ local, remote }) => ({ column: local, from: remote })),
  )
}

function addDependents(
  steps: InsertStep[],
  { relationship, data, onConflict }: RelatedInput,
  parent: RowToInsert,
  step: number,
  scope: SelectScope,
): void {
  const target = relatedTable(scope, relationship.target)
  const conflict = planConflict(onConflict, target, scope)
  const fixed = writtenColumns(step, parent.table, relationship.mapping.map(toDependent))
  const list = `${parent.path}.${relationship.name}.data`
  const nested = data.some((object) => relatedInputs(object, target).length > 0)
  for (const [index, object] of data.entries()) {
    const place = `${list}[${index}]`
    const row = { object, path: nested ? place : list, table: target, onConflict: conflict, fixed }
    refuseDetermined(row, place)
    addRow(steps, row, scope)
  }
}

const toDependent = ({ local, remote }: ColumnPair) => ({ column: remote, from: local })

/** Columns whose values come from the row of an earlier step. */
function writtenColumns(
  step: number,
  table: TableModel,
  pairs: readonly { readonly column: string; readonly from: string }[],
): ReadonlyMap<string, Value> {
  const names = [...table.columnsByName.keys()]
  return new Map(
    pairs.flatMap(({ column, from }): [string, Value][] => {
      const model = table.columnsByName.get(from)
      if (model === undefined) return []
      const source = { kind: 'written-column' as const, step, column: names.indexOf(from) }
      return [[column, { kind: 'parameter', source, type: typeNameOf(model.type) }]]
    }),
  )
}
