import type {
  DeletePlan,
  InsertPlan,
  InsertStep,
  MutationOutput,
  NestedInsertPlan,
  OnConflictPlan,
  TableShape,
  UpdateAssignment,
  UpdatePlan,
} from '../plan/tree.ts'
import { type Predicate, type Value, isAlways } from '../schema/predicate.ts'
import type {
  Assignment,
  CommonTable,
  Delete,
  Expression,
  FromItem,
  Insert,
  OnConflict,
  Projection,
  Select,
  Update,
} from './ast.ts'
import {
  and,
  binary,
  boolean,
  builtinType,
  call,
  cast,
  column,
  countRows,
  integer,
  select,
  subquery,
  text,
} from './build.ts'
import { type JsonEntry, jsonArray, jsonObject } from './json-row.ts'
import { predicateExpression, rowScope, valueExpression } from './predicate-expression.ts'
import { rowEntries } from './select-expression.ts'
import { exactValue, isLossyInJson } from './exact-value.ts'
import type { Translation } from './translation.ts'

/** The text in Postgres's error when a written row fails its permission's check. */
export const checkViolation = 'check constraint of an insert/update permission has failed'

const written = 'written'
const checked = 'checked'
const checkColumn = 'permission_check'

/**
 * The check is part of the statement: for a row that fails it, the statement casts a text to boolean, and Postgres's
 * error contains that text. So one statement suffices, without a transaction around it and without an own function in
 * the database. The text depends on the row, so it is never evaluated early.
 */
const checkProjection = (condition: Expression): Projection => ({
  value: cast(
    { kind: 'case', condition, then: text('true'), otherwise: text(checkViolation) },
    builtinType('bool'),
  ),
  alias: checkColumn,
})

const columnProjections = ({ columns }: TableShape, alias: string): readonly Projection[] =>
  columns.map(({ name }) => ({ value: column(alias, name), alias: name }))

/** A plan that one statement writes. */
type RowsPlan = InsertPlan | UpdatePlan | DeletePlan

/** A writing statement, with the rows' columns in `returning`, and then the result of a check if it has one. */
interface Write {
  readonly statement: CommonTable['statement']
  readonly isChecked: boolean
}

function writeOf(plan: RowsPlan, translation: Translation): Write {
  switch (plan.kind) {
    case 'insert':
      // An empty list of objects writes nothing.
      return plan.rows.length === 0
        ? { statement: noRows(plan.table, translation), isChecked: false }
        : { statement: insert(plan, plan.rows, translation), isChecked: hasCheck(plan) }
    case 'update':
      // `_set: {}` updates no row.
      return plan.set.length === 0
        ? { statement: noRows(plan.table, translation), isChecked: false }
        : { statement: update(plan, translation), isChecked: !isAlways(plan.check) }
    case 'delete':
      return { statement: deletion(plan, translation), isChecked: false }
    default:
      return plan satisfies never
  }
}

/** A statement that writes, and answers from the written rows. */
export function mutationStatement(plan: RowsPlan, translation: Translation): Select {
  const from = (alias: string): FromItem => ({ kind: 'common-table', name: written, alias })
  const tables = writtenTables(plan, translation)
  return { ...outputSelect(plan.output, from, translation), with: tables }
}

/**
 * Whether the answer contains other rows. A statement doesn't see its own writes, so, as in Hasura, another statement
 * reads them: then the list that a row was added to includes that row.
 */
export function readsOtherRows(output: MutationOutput): boolean {
  const rows = output.kind === 'row' ? [output] : output.fields.filter((field) => field.kind === 'returning')
  return rows.some(({ fields }) => fields.some(({ value }) => value.kind === 'select'))
}

/** A statement that writes, and returns the rows as one JSON array. */
export function rowsStatement(plan: RowsPlan, translation: Translation): Select {
  const alias = translation.aliases.next()
  const row = wholeRow(plan.table, alias)
  return {
    ...select([{ value: call('coalesce', call('json_agg', row), text('[]')), alias: 'root' }], {
      from: { kind: 'common-table', name: written, alias },
    }),
    with: writtenTables(plan, translation),
  }
}

/** The answer, from the rows that `rowsStatement` returned. */
export function answerStatement({ table, output }: RowsPlan, translation: Translation): Select {
  const json: Expression = { kind: 'parameter', source: { kind: 'answer' }, type: builtinType('json') }
  return outputSelect(output, recordsOf(table, json), translation)
}

/** Rows of the table, read from JSON. */
const recordsOf =
  (table: TableShape, json: Expression) =>
  (alias: string): FromItem => ({
    kind: 'function',
    call: call('json_populate_recordset', cast({ kind: 'null' }, table.name), json),
    alias,
  })

function noRows(table: TableShape, { aliases }: Translation): Select {
  const alias = aliases.next()
  return select(columnProjections(table, alias), {
    from: { kind: 'table', name: table.name, alias },
    where: boolean(false),
  })
}

type Insertion = Pick<InsertPlan | InsertStep, 'table' | 'columns' | 'onConflict' | 'check'>

const hasCheck = ({ check, onConflict }: Insertion): boolean =>
  !isAlways(check) || (onConflict?.update !== undefined && !isAlways(onConflict.update.check))

function insert(
  plan: Insertion,
  rows: readonly (readonly (Value | undefined)[])[],
  translation: Translation,
): Insert {
  const alias = translation.aliases.next()
  const scope = rowScope(alias)
  return {
    kind: 'insert',
    table: plan.table.name,
    alias,
    columns: plan.columns,
    rows: rows.map((row) =>
      row.map((value): Expression =>
        value === undefined ? { kind: 'default' } : valueExpression(value, scope),
      ),
    ),
    ...(plan.onConflict === undefined ? {} : { onConflict: onConflict(plan.onConflict, alias, translation) }),
    returning: [
      ...columnProjections(plan.table, alias),
      ...(hasCheck(plan) ? [checkProjection(insertCheck(plan, alias, translation))] : []),
    ],
  }
}

function onConflict({ target, update }: OnConflictPlan, alias: string, translation: Translation): OnConflict {
  if (update === undefined) return { target }
  const set: readonly Assignment[] = [
    ...update.columns.map((name) => ({ column: name, value: column('excluded', name) })),
    ...update.presets
      .filter((preset) => !update.columns.includes(preset.column))
      .map((preset) => ({ column: preset.column, value: valueExpression(preset.value, rowScope(alias)) })),
  ]
  const condition = predicateExpression(update.filter, rowScope(alias), translation)
  return {
    target,
    update: condition.kind === 'boolean' && condition.value ? { set } : { set, where: condition },
  }
}

/** A row that a conflict turned into an update must pass both checks. `xmax` distinguishes it from a new one. */
function insertCheck(
  { check, onConflict: conflict }: Insertion,
  alias: string,
  translation: Translation,
): Expression {
  const own = predicateExpression(check, rowScope(alias), translation)
  if (conflict?.update === undefined || isAlways(conflict.update.check)) return own
  return {
    kind: 'case',
    condition: binary(column(alias, 'xmax'), '=', integer(0)),
    then: own,
    otherwise: and([own, predicateExpression(conflict.update.check, rowScope(alias), translation)]),
  }
}

function update(plan: UpdatePlan, translation: Translation): Update {
  const alias = translation.aliases.next()
  const condition = predicateExpression(plan.filter, rowScope(alias), translation)
  return {
    kind: 'update',
    table: plan.table.name,
    alias,
    set: plan.set.map((assignment) => assigned(assignment, alias)),
    where: condition,
    returning: [
      ...columnProjections(plan.table, alias),
      ...(isAlways(plan.check) ? [] : [checkProjection(checkOf(plan.check, alias, translation))]),
    ],
  }
}

const checkOf = (check: Predicate, alias: string, translation: Translation): Expression =>
  predicateExpression(check, rowScope(alias), translation)

function assigned(assignment: UpdateAssignment, alias: string): Assignment {
  const { column: name, operator } = assignment
  if (operator === 'default') return { column: name, value: { kind: 'default' } }
  const current = column(alias, name)
  const given = valueExpression(assignment.value, rowScope(alias))
  switch (operator) {
    case 'set':
      return { column: name, value: given }
    case 'increment':
      return { column: name, value: binary(current, '+', given) }
    case 'multiply':
      return { column: name, value: binary(current, '*', given) }
    case 'append':
      return { column: name, value: binary(current, '||', given) }
    case 'prepend':
      return { column: name, value: binary(given, '||', current) }
    case 'delete-key':
    case 'delete-element':
      return { column: name, value: binary(current, '-', given) }
    case 'delete-path':
      return { column: name, value: binary(current, '#-', given) }
    default:
      return operator satisfies never
  }
}

function deletion(plan: DeletePlan, translation: Translation): Delete {
  const alias = translation.aliases.next()
  return {
    kind: 'delete',
    table: plan.table.name,
    alias,
    where: predicateExpression(plan.filter, rowScope(alias), translation),
    returning: columnProjections(plan.table, alias),
  }
}

/** The writing statement as a common table expression. The last one has exactly the table's columns. */
function writtenTables(plan: RowsPlan, translation: Translation): readonly CommonTable[] {
  const { statement, isChecked } = writeOf(plan, translation)
  if (!isChecked) return [{ name: written, statement }]
  // Without the check's column these are the table's rows again, as functions of its rows require.
  const rows = select(columnProjections(plan.table, checked), {
    from: { kind: 'common-table', name: checked, alias: checked },
  })
  return [
    { name: checked, statement },
    { name: written, statement: rows },
  ]
}

function outputSelect(
  output: MutationOutput,
  from: (alias: string) => FromItem,
  translation: Translation,
): Select {
  const alias = translation.aliases.next()
  if (output.kind === 'row')
    return select([{ value: jsonObject(rowEntries(output.fields, alias, translation)), alias: 'root' }], {
      from: from(alias),
    })
  const entries = output.fields.map((field): JsonEntry => {
    const { key } = field
    switch (field.kind) {
      case 'text':
        return { key, value: cast(text(field.text), builtinType('text')) }
      case 'affected-rows':
        return { key, value: subquery(select([{ value: countRows }], { from: from(alias) })) }
      case 'returning': {
        const rows = jsonArray(rowEntries(field.fields, alias, translation))
        return { key, value: subquery(select([{ value: rows }], { from: from(alias) })) }
      }
      default:
        return field satisfies never
    }
  })
  return select([{ value: jsonObject(entries), alias: 'root' }])
}

/** Writes a row of a nested insert. Returns its columns, and then the whole row as JSON. */
export function insertStepStatement(step: InsertStep, translation: Translation): Insert {
  const statement = insert(step, [step.row], translation)
  const { alias, returning } = statement
  const whole: Projection = { value: wholeRow(step.table, alias) }
  const count = step.table.columns.length
  return { ...statement, returning: [...returning.slice(0, count), whole, ...returning.slice(count)] }
}

/** A row as JSON, from which `json_populate_recordset` restores the same row. */
const wholeRow = ({ columns }: TableShape, alias: string): Expression =>
  columns.some(({ type }) => isLossyInJson(type))
    ? jsonObject(
        columns.map(({ name, type }) => ({ key: name, value: exactValue(column(alias, name), type) })),
      )
    : call('row_to_json', { kind: 'row', relation: alias })

/** The answer of a nested insert, read after all its steps from the rows of the root field. */
export function nestedAnswerStatement(plan: NestedInsertPlan, translation: Translation): Select {
  const json: Expression = {
    kind: 'parameter',
    source: { kind: 'written-rows', steps: plan.rootSteps },
    type: builtinType('json'),
  }
  const from = recordsOf(plan.table, json)
  if (plan.output.kind === 'row') return outputSelect(plan.output, from, translation)
  const count: Expression = {
    kind: 'parameter',
    source: { kind: 'written-count' },
    type: builtinType('int8'),
  }
  const alias = translation.aliases.next()
  const entries = plan.output.fields.map((field): JsonEntry => {
    if (field.kind === 'affected-rows') return { key: field.key, value: count }
    if (field.kind === 'text') return { key: field.key, value: cast(text(field.text), builtinType('text')) }
    const rows = jsonArray(rowEntries(field.fields, alias, translation))
    return { key: field.key, value: subquery(select([{ value: rows }], { from: from(alias) })) }
  })
  return select([{ value: jsonObject(entries), alias: 'root' }])
}
